import { describe, expect, it } from 'vitest';
import { AllRefused, NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { webhookNotifier } from '../../../src/infrastructure/notifier/webhook.js';
import { Final } from '../../../src/infrastructure/work/work.js';
import { first } from '../../support/items.js';
import { type Arrived, remoteNotifierSuite } from './notifier.suite.js';
import { endpoint, secret, signatureOf } from './support/webhook-endpoint.js';

const openWebhook = async () => {
  const target = await endpoint();
  return { ...target, notifier: webhookNotifier({ url: target.url, secret }) };
};
const never = new AbortController().signal;
const message = {
  id: 'one',
  person: 'ana',
  channel: 'SMS',
  to: '+5511987654321',
  subject: 'none',
  text: 'código 123456',
  writtenAt: 0,
} as const;

remoteNotifierSuite('a webhook', async () => {
  const { notifier, posts, respondWith, close } = await openWebhook();
  let isRefusing = false;
  const arrived = async (): Promise<readonly Arrived[]> => {
    const byId = new Map(posts.map(({ body, headers }) => [headers['idempotency-key'], JSON.parse(body) as Arrived]));
    return isRefusing ? [] : [...byId.values()];
  };
  const refuse = (how: 'permanently' | 'temporarily') => {
    isRefusing = true;
    respondWith((response, { body }) => response.writeHead(how === 'permanently' ? 422 : 503).end(body));
  };
  return { notifier, arrived, refuse, close, silence: () => respondWith(() => {}) };
});

describe('a webhook', () => {
  it('receives the message as JSON, signed with a timestamp, under the id of the message', async () => {
    const { notifier, posts } = await openWebhook();
    await notifier.send(message, never);
    const post = first(posts);
    const { path, headers, body } = post;
    expect(path).toBe('/sms?tenant=1');
    expect(JSON.parse(body)).toEqual({ id: 'one', to: message.to, text: message.text });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'one' });
    const timestamp = `${headers['x-webhook-timestamp']}`;
    expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(90_000);
    expect(headers['x-webhook-signature']).toBe(signatureOf(post));
    expect(JSON.stringify(headers)).not.toContain(secret);
  });

  it('is not followed when it redirects, and its response body is not in the error', async () => {
    const { notifier, respondWith, posts, url } = await openWebhook();
    const other = await endpoint();
    for (const status of [301, 302, 307, 308]) {
      respondWith((response) => response.writeHead(status, { Location: other.url }).end('elsewhere'));
      await expect(notifier.send(message, never)).rejects.toThrow(new NotSent(`the webhook responded with ${status}`));
    }
    expect([posts.length, other.posts]).toEqual([4, []]);
    expect(url).not.toBe(other.url);
  });

  it.each<[string, readonly number[], typeof NotSent | typeof Final]>([
    ['refuses this message permanently', [400, 402, 406, 409, 410, 413, 415, 418, 422, 451], Final],
    ['refuses every message', [300, 301, 302, 303, 307, 308, 401, 403, 404, 405], AllRefused],
    ['may accept the message later', [408, 425, 429, 500, 501, 502, 503, 504, 507, 599], NotSent],
  ])('%s with %j', async (_, statuses, verdict) => {
    const { notifier, respondWith } = await openWebhook();
    for (const status of statuses) {
      respondWith((response, { body }) => response.writeHead(status, { 'Retry-After': '1' }).end(body));
      const failure: unknown = await notifier.send(message, never).catch((error: unknown) => error);
      expect([failure, (failure as Error).constructor]).toEqual([
        new verdict(`the webhook responded with ${status}`),
        verdict,
      ]);
    }
  });

  it('that is unreachable is not named in the error', async () => {
    const { close, url } = await openWebhook();
    await close();
    const failing = webhookNotifier({ url: `${url}&token=canary`, secret }).send(message, never);
    await expect(failing).rejects.not.toThrow(/canary|tenant/);
    await expect(failing).rejects.toBeInstanceOf(NotSent);
  });
});
