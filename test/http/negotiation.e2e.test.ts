// The media type of a response, where a client can choose it: Accept without the parameters of media types.
import { beforeAll, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { createDoctor, successful } from './support/samples.js';

const server = sharedService();
const JSON_TYPE = 'application/json';
const LINES = 'application/x-ndjson';
const TABLE = 'text/csv';
const CLOUD_EVENTS = 'application/cloudevents-batch+json';
const EVENTS = '/audit/events?limit=1';
const DECISIONS = '/audit/decisions?limit=1';

beforeAll(() => createDoctor(server));

const typeOf = async (path: string, accept: string) => {
  const { headers } = successful(await server.get(path, { Accept: accept }));
  expect((headers.get('vary') ?? '').toLowerCase().split(/, */)).toContain('accept');
  return headers.get('content-type')?.split(';')[0];
};

it.each([
  [EVENTS, 'application/json;odata.metadata=minimal', JSON_TYPE],
  [EVENTS, 'APPLICATION/JSON ; Charset="UTF-8"', JSON_TYPE],
  [EVENTS, 'application/json;profile="a;q=0,b";q=0.4, application/x-ndjson;charset=latin1;q=0.5', LINES],
  [EVENTS, 'application/cloudevents-batch+json;charset=utf-8, application/json;q=0.1', CLOUD_EVENTS],
  [EVENTS, 'application/json; q=0.1, application/x-ndjson; q=0.9', LINES],
  [EVENTS, 'application/json ;charset=utf-8 ; q = 0.1, application/x-ndjson; v=1; q=0.9', LINES],
  [DECISIONS, 'text/csv; header=present', TABLE],
  [DECISIONS, 'text/csv;header=absent;Q=0.2, application/x-ndjson;v=1;q=0.3', LINES],
  [DECISIONS, 'text/*;format=flowed', TABLE],
  ['/', 'application/json; indent=4', JSON_TYPE],
  ['/', 'text/html;level=1;q=0.3, application/json;q=0.2', 'text/html'],
  ['/', 'text/html;level=2;q=0, application/json;v="1,2"', JSON_TYPE],
])('%s with Accept: %s is %s: only q counts of its parameters', async (path, accept, type) => {
  expect(await typeOf(path, accept)).toBe(type);
});

it.each(['image/webp', 'application/xml;q=0.9', 'text/html, application/xhtml+xml', '*/*;q=0', 'application/json;q=0'])(
  'a client that accepts none of the types (%s) gets JSON',
  async (accept) => {
    expect([await typeOf(EVENTS, accept), await typeOf(DECISIONS, accept)]).toEqual([JSON_TYPE, JSON_TYPE]);
  },
);

it('JSON is the type of a client that does not choose', async () => {
  for (const accept of ['*/*', 'application/*', '']) expect(await typeOf(EVENTS, accept)).toBe(JSON_TYPE);
});
