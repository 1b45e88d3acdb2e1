// The fast path of a response: its headers are written as one list, and no library replaces its methods.
import { ServerResponse } from 'node:http';
import express, { type Response } from 'express';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { problemJson } from '../../../src/http/problems/formats.js';
import { ORIGIN_SETTINGS } from '../../../src/http/request/origins.js';
import { sendResponse } from '../../../src/http/response/sending.js';
import { entrance } from '../../../src/http/server/entrance.js';
import { listen } from '../../../src/http/server/server.js';
import { quiet } from '../../projections/support/replay.js';

const LONG = '/10000';
const SHORT = '/10';

let seen: Response;
let url: string;
beforeAll(async () => {
  const app = express().disable('x-powered-by').set(ORIGIN_SETTINGS, { publicUrl: undefined, corsOrigins: [] });
  const metrics = { responded: () => undefined, shed: () => undefined };
  app.use(
    entrance({
      log: quiet,
      metrics,
      callers: 'open',
      corsOrigins: [],
      uncompressed: [],
      problemsAt: () => problemJson,
    }),
  );
  app.get('/:length', (request, response) => {
    seen = response;
    const body = 'x'.repeat(Number(request.params.length));
    return sendResponse(response, { status: 200, headers: { ETag: '"1"' }, body });
  });
  const server = await listen(app, '127.0.0.1', 0);
  url = server.url;
  return () => server.close(0);
});

const REPLACED = ['write', 'end', 'writeHead', 'on'];

/** Sends a request. Returns how many headers were set one by one and which methods of the response were replaced. */
const askFor = async (path: string, coding: string) => {
  const setHeader = vi.spyOn(ServerResponse.prototype, 'setHeader');
  onTestFinished(() => setHeader.mockRestore());
  const { headers } = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': coding } });
  expect([headers.get('etag'), headers.get('x-frame-options')]).toEqual(['"1"', 'SAMEORIGIN']);
  return { set: setHeader.mock.calls.length, replaced: REPLACED.filter((name) => Object.hasOwn(seen, name)) };
};

describe('a response', () => {
  it.each([
    ['short', SHORT, 'gzip'],
    ['not to be compressed', LONG, 'identity'],
    ['compressed', LONG, 'gzip'],
  ])('that is %s has its headers written as one list by its own methods', async (_, path, coding) => {
    expect(await askFor(path, coding)).toEqual({ set: 0, replaced: [] });
  });
});
