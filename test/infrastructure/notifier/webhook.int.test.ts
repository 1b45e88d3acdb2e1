import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { webhookNotifier } from '../../../src/infrastructure/notifier/webhook.js';
import { type Arrived, remoteNotifierSuite } from './notifier.suite.js';

const secret = 'a secret that only both sides know';

interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Respond = (response: ServerResponse, post: Post) => void;

/** Starts an endpoint that keeps each request and responds as the test says, by default with 202. */
const endpoint = async () => {
  const posts: Post[] = [];
  let respond: Respond = (response) => response.writeHead(202).end();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const post = { path: request.url ?? '', headers: request.headers, body };
    posts.push(post);
    respond(response, post);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}/sms?tenant=1`, posts, close },
    respondWith: (next: Respond) => {
      respond = next;
    },
  };
};

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
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = posts;
    expect(path).toBe('/sms?tenant=1');
    expect(JSON.parse(body)).toEqual({ id: 'one', to: message.to, text: message.text });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'one' });
    const timestamp = `${headers['x-webhook-timestamp']}`;
    expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(90_000);
    const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    expect(headers['x-webhook-signature']).toBe(`sha256=${expected}`);
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

  it('that is unreachable is not named in the error', async () => {
    const { close, url } = await openWebhook();
    await close();
    const failing = webhookNotifier({ url: `${url}&token=canary`, secret }).send(message, never);
    await expect(failing).rejects.not.toThrow(/canary|tenant/);
    await expect(failing).rejects.toBeInstanceOf(NotSent);
  });
});
