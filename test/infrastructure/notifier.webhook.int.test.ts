import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NotSent } from '../../src/infrastructure/notifier/notifier.js';
import { WebhookNotifier } from '../../src/infrastructure/notifier/webhook.js';
import { type Arrived, remoteNotifierSuite } from './notifier.suite.js';

const secret = 'a secret that both sides know, and nobody else';

interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Answering = (response: ServerResponse, post: Post) => void;

/** An endpoint that answers as a test says, by default with 202, and keeps what it accepted. */
const endpoint = async () => {
  const posts: Post[] = [];
  let answer: Answering = (response) => response.writeHead(202).end();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const post = { path: request.url ?? '', headers: request.headers, body };
    posts.push(post);
    answer(response, post);
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
    answering: (next: Answering) => {
      answer = next;
    },
  };
};

const opened = async () => {
  const place = await endpoint();
  return { ...place, notifier: new WebhookNotifier({ url: place.url, secret }) };
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
  const { notifier, posts, answering, close } = await opened();
  let isRefusing = false;
  const arrived = async (): Promise<readonly Arrived[]> => {
    const byId = new Map(posts.map(({ body, headers }) => [headers['idempotency-key'], JSON.parse(body) as Arrived]));
    return isRefusing ? [] : [...byId.values()];
  };
  const refuse = (how: 'permanently' | 'temporarily') => {
    isRefusing = true;
    answering((response, { body }) => response.writeHead(how === 'permanently' ? 422 : 503).end(body));
  };
  return { notifier, arrived, refuse, close, silence: () => answering(() => {}) };
});

describe('a webhook', () => {
  it('is posted JSON of the message, signed with its time, under the id of the message', async () => {
    const { notifier, posts } = await opened();
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

  it('is not followed where it redirects to, and what it answers is not read into the failure', async () => {
    const { notifier, answering, posts, url } = await opened();
    const other = await endpoint();
    for (const status of [301, 302, 307, 308]) {
      answering((response) => response.writeHead(status, { Location: other.url }).end('elsewhere'));
      await expect(notifier.send(message, never)).rejects.toThrow(new NotSent(`the webhook responded with ${status}`));
    }
    expect([posts.length, other.posts]).toEqual([4, []]);
    expect(url).not.toBe(other.url);
  });

  it('that is not to be reached is named in no failure', async () => {
    const { close, url } = await opened();
    await close();
    const failing = new WebhookNotifier({ url: `${url}&token=canary`, secret }).send(message, never);
    await expect(failing).rejects.not.toThrow(/canary|tenant/);
    await expect(failing).rejects.toBeInstanceOf(NotSent);
  });
});
