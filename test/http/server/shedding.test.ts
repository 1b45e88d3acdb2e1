// What clients observe while a process has more requests than it can answer soon.
import express, { type ErrorRequestHandler, type Response } from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { problemOf } from '../../../src/http/problems/problems.js';
import { RequestContext } from '../../../src/http/response/request-context.js';
import { sendProblem } from '../../../src/http/response/sending.js';
import { Load, shedding, shedReport } from '../../../src/http/server/overload.js';
import { listen } from '../../../src/http/server/server.js';
import { UnreadResponses } from '../../../src/http/server/unread-responses.js';
import { eventually } from '../../support/eventually.js';
import { openSocket } from '../../support/raw-http.js';
import { expectProblem } from '../support/refusals.js';

/** Starts a server with room for `most` requests. Each request waits until the test releases it. */
const waitingServer = async (most: number) => {
  const releases: (() => void)[] = [];
  const reports = { shed: vi.fn(), warn: vi.fn() };
  const seen: Response[] = [];
  const app = express();
  app.use((_, response, next) => {
    seen.push(response);
    response.locals = new RequestContext(response, undefined, []);
    next();
  });
  const load = new Load(most);
  app.use(shedding({ load, unread: new UnreadResponses(load), exemptPaths: ['/livez'] }));
  app.get(['/livez', '/now'], (_, response) => void response.json('here'));
  app.use((_, response) => void releases.push(() => response.json('done')));
  const onShed = shedReport({ shed: reports.shed }, { warn: reports.warn });
  const failed: ErrorRequestHandler = (error, _request, response, _next) => {
    onShed();
    return sendProblem(response, problemOf(error));
  };
  app.use(failed);
  const server = await listen(app, '127.0.0.1', 0);
  const asked: Promise<unknown>[] = [];
  onTestFinished(async () => {
    for (const release of releases) release();
    await Promise.all(asked);
    await server.close(0);
  });
  const ask = async (path = '/') => {
    const response = await fetch(`${server.url}${path}`);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  /** Begins `count` requests and resolves when all of them wait. */
  const fill = async (count: number) => {
    const filling = Array.from({ length: count }, () => ask());
    asked.push(...filling);
    await eventually(() => expect(releases.length).toBe(count));
    return filling;
  };
  const hasRoom = () => eventually(async () => expect((await ask('/now')).status).toBe(200));
  return { url: server.url, ask, fill, hasRoom, releases, reports, seen };
};

it('responds with 503 and Retry-After to a request for which there is no room', async () => {
  const { ask, fill } = await waitingServer(2);
  await fill(2);
  const refused = await ask('/now');
  expectProblem(refused, 503, 'overloaded');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('responds at the end of the turn, so that no client sends its next request in the same turn', async () => {
  const { ask, fill, seen } = await waitingServer(1);
  await fill(1);
  const sentInTurn = new Promise((resolve) => {
    seen.push = (response) => {
      process.nextTick(() => resolve(response.headersSent));
      return 0;
    };
  });
  const refused = ask('/now');
  expect(await sentInTurn).toBe(false);
  expect((await refused).status).toBe(503);
});

it('counts every request that it refuses and logs the first in each minute', async () => {
  const { ask, fill, reports } = await waitingServer(1);
  await fill(1);
  for (let n = 0; n < 3; n += 1) await ask('/now');
  expect([reports.shed.mock.calls.length, reports.warn.mock.calls.length]).toEqual([3, 1]);
});

it('completes the requests that it accepted and accepts others as they end', async () => {
  const { ask, fill, hasRoom, releases } = await waitingServer(2);
  const accepted = await fill(2);
  expect((await ask('/now')).status).toBe(503);
  for (const release of releases.splice(0)) release();
  expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual([200, 200]);
  await hasRoom();
});

it('does not count a request whose client has disconnected', async () => {
  const { url, ask, hasRoom, releases } = await waitingServer(1);
  const socket = await openSocket(url);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await eventually(() => expect(releases.length).toBe(1));
  expect((await ask('/now')).status).toBe(503);
  socket.destroy();
  await hasRoom();
});

it('serves the exempt paths even when it has no room', async () => {
  const { ask, fill } = await waitingServer(1);
  await fill(1);
  expect([(await ask('/livez')).status, (await ask('/now')).status]).toEqual([200, 503]);
});
