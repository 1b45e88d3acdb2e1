import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Repeated, runWrk } from '../../bench/src/lib/wrk.js';

const isMissing = spawnSync('wrk', ['-v']).error !== undefined;

/** Has wrk send requests over one connection for a second to a server that ends with the test. */
const runOn = async (
  requests: readonly Repeated[],
  handle: (request: IncomingMessage, response: ServerResponse) => void,
) => {
  const server = createServer(handle).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return runWrk({ url: `http://127.0.0.1:${port}`, requests, connections: 1, seconds: 1 });
};

describe('the load of wrk', () => {
  it('sends the requests in turn, with their bodies and tokens', async ({ skip }) => {
    skip(isMissing, 'wrk is missing: npm run bench:install');
    const requests: readonly Repeated[] = [
      { method: 'POST', path: '/a', body: { text: 'a "quoted" text\n\\ with ä' }, token: 'a.b' },
      { method: 'GET', path: '/b?limit=1' },
    ];
    const seen: unknown[] = [];
    const { requests: count } = await runOn(requests, (request, response) => {
      const { method, url, headers } = request;
      void text(request).then((body) => {
        seen.push([method, url, headers['content-type'], headers.authorization, body]);
        response.end('{}');
      });
    });
    expect(count).toBeGreaterThan(4);
    const posted = ['POST', '/a', 'application/json', 'Bearer a.b', JSON.stringify(requests[0]?.body)];
    const read = ['GET', '/b?limit=1', undefined, undefined, ''];
    // wrk asks for a request before it starts, so the second may be the first that it sends.
    expect(seen.slice(0, 2)).toEqual(expect.arrayContaining([posted, read]));
    expect(seen.slice(2, 4)).toEqual(seen.slice(0, 2));
  });

  it('rejects if a response is a refusal', async ({ skip }) => {
    skip(isMissing, 'wrk is missing: npm run bench:install');
    const run = runOn([{ method: 'GET', path: '/' }], (_, response) => void response.writeHead(503).end());
    await expect(run).rejects.toThrow('requests were refused');
  });

  it('rejects if a connection breaks', async ({ skip }) => {
    skip(isMissing, 'wrk is missing: npm run bench:install');
    const run = runOn([{ method: 'GET', path: '/' }], ({ socket }) => void socket.destroy());
    await expect(run).rejects.toThrow('broke');
  });
});
