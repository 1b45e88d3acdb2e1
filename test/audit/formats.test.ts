// What auditors see of an event, as an entry of the audit log, as a line of a bundle and as a CloudEvent.
import { describe, expect, it } from 'vitest';
import { asCloudEvents, entryOf, lineOf } from '../../src/audit/formats.js';
import type { EventMetadata, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { at } from '../infrastructure/views/support/harness.js';
import { uuidOf } from '../support/specification.js';

const base: EventMetadata = {
  at: '2026-01-05T08:00:00.000Z',
  actor: { id: 'operator', roles: [] },
  correlationId: '0'.repeat(32),
  causationId: 'request-1',
  schemaVersion: 1,
};
const eventWith = (metadata: object, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...{
    id: uuidOf(1),
    type: 'UserActivated',
    data: { a: 1 },
    stream: `user-${uuidOf(2)}`,
    revision: 3,
    position: at(4),
  },
  metadata: { ...base, ...metadata },
  ...more,
});
const entry = {
  position: at(4),
  stream: `user-${uuidOf(2)}`,
  category: 'user',
  revision: 3,
  id: uuidOf(1),
  type: 'UserActivated',
  origin: null,
  ...base,
  data: { a: 1 },
};
const cloudEvent = {
  specversion: '1.0',
  id: uuidOf(1),
  source: `/streams/user-${uuidOf(2)}`,
  type: 'UserActivated',
  subject: uuidOf(2),
  time: base.at,
  datacontenttype: 'application/json',
  position: at(4),
  revision: 3,
  actor: 'operator',
  correlationid: base.correlationId,
  causationid: 'request-1',
  schemaversion: 1,
  data: { a: 1 },
};

const cloudEventOf = async (event: RecordedEvent): Promise<unknown> => {
  const pages = (async function* () {
    yield* [[], [event]];
  })();
  let text = '';
  for await (const part of asCloudEvents(pages)) text += part;
  return JSON.parse(text)[0];
};

describe('an event', () => {
  const clock = '2026-01-05T07:00:00.000Z';
  it.each<[string, object, object, object]>([
    ['no optional metadata', {}, {}, {}],
    ['an origin', { origin: 'https://a' }, { origin: 'https://a' }, { origin: 'https://a' }],
    ['a session', { sessionId: 's' }, { sessionId: 's' }, { sessionid: 's' }],
    ['an address', { address: '192.0.2.1' }, { address: '192.0.2.1' }, { address: '192.0.2.1' }],
    ['an address whose actor was erased', { address: null }, { address: null }, {}],
    ['a sealed address', { sealedAddress: 'x' }, { sealedAddress: 'x' }, {}],
    ['a clock that was behind', { clock }, { metadata: { clock } }, { clock }],
  ])('with %s shows it where the format has a place for it', async (_name, metadata, inEntry, inCloudEvent) => {
    expect(entryOf(eventWith(metadata))).toStrictEqual({ ...entry, ...inEntry });
    expect(await cloudEventOf(eventWith(metadata))).toStrictEqual({ ...cloudEvent, ...inCloudEvent });
  });

  it('has in the line of a bundle all metadata from which its leaf is computed', () => {
    expect(lineOf(eventWith({ origin: 'https://a' }))).toStrictEqual({ ...entry, origin: 'https://a' });
    const others = { clock, note: 'of another program', address: null };
    expect(lineOf(eventWith(others))).toStrictEqual({ ...entry, address: null, metadata: others });
  });

  it('shows the digests of its personal values beside them', () => {
    const digests = { '/a': 'digest' };
    expect(entryOf(eventWith({}, { digests }))).toStrictEqual({ ...entry, data: { a: 1, digests } });
  });
});
