// An endpoint that takes SMS for a provider.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The secret that the endpoint and the service share. */
export const secret = 'a secret that only both sides know';

interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Respond = (response: ServerResponse, post: Post) => void;

/** Starts an endpoint that keeps each request and responds as the test says, by default with 202. */
export const endpoint = async () => {
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

/** Returns the signature that a post must have. */
export const signatureOf = ({ headers, body }: Post): string =>
  `sha256=${createHmac('sha256', secret).update(`${headers['x-webhook-timestamp']}.${body}`).digest('hex')}`;
