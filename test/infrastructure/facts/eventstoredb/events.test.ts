// Tests the events and positions that the facts return for those of EventStoreDB.
import { describe, expect, it } from 'vitest';
import {
  fromPosition,
  reaches,
  toPosition,
  toRecorded,
} from '../../../../src/infrastructure/facts/eventstoredb/events.js';
import type { RecordedEvent } from '../../../../src/infrastructure/facts/facts.js';
import { eventFrame } from '../../../support/eventstoredb/frames.js';
import { metadata } from '../support/harness.js';

describe('a position', () => {
  it('is text that sorts in the order of the log', () => {
    const numbers = [0n, 9n, 10n, 255n, 2n ** 53n, 2n ** 63n - 1n];
    const places = numbers.flatMap((commit) => [0n, 3n, commit].map((prepare) => ({ commit, prepare })));
    const positions = places.map(toPosition);
    expect(positions.map(fromPosition)).toEqual(places);
    for (const position of positions) expect(position).toMatch(/^[0-9a-z]{16,64}$/);
    const inOrder = numbers.map((at) => toPosition({ commit: at, prepare: at }));
    expect(inOrder.toSorted()).toEqual(inOrder);
  });

  it.each([
    '',
    '0000000000000042',
    'x'.repeat(32),
    `${'0'.repeat(31)}G`,
    '0'.repeat(33),
    `${'0'.repeat(32)}\n`,
    `x${'0'.repeat(32)}`,
  ])('is not %j', (position) => expect(() => fromPosition(position)).toThrow(RangeError));

  const [early, late] = [1n, 2n].map((at) => toPosition({ commit: at, prepare: at }));
  it.each([
    [late, early, true],
    [late, late, true],
    [early, late, false],
    [early, undefined, true],
    [undefined, undefined, true],
    [undefined, early, false],
  ])('reaches another position unless it is before the other: %j, %j', (position, end, expected) =>
    expect(reaches(position, end)).toBe(expected),
  );
});

const ID = '5f1f2c1e-6d5c-4d0e-9a55-0d7f5e0c8a01';
const CREATED = Date.UTC(2026, 2, 4);

/** Returns what the facts return for an event that has these bytes of metadata. */
const recordedWith = (bytes: string): RecordedEvent => {
  const received = eventFrame({
    ...{ position: 7, stream: 'user-1', revision: 4, id: ID, type: 'Happened', contentType: 'application/json' },
    ...{ data: Buffer.from('{"n":1}'), metadata: Buffer.from(bytes), created: CREATED },
  });
  const event = received.getEvent()?.getEvent();
  if (event === undefined) throw new Error('the frame has no event');
  return toRecorded(event);
};

describe('an event', () => {
  it.each([
    metadata,
    { ...metadata, clock: '2026-03-04T05:06:07Z', sessionId: 's', address: '::1', sealedAddress: 'x' },
    { ...metadata, another: { member: 1 } },
  ])('keeps metadata of our form: %j', (given) =>
    expect(recordedWith(JSON.stringify(given))).toEqual({
      ...{ id: ID, type: 'Happened', data: { n: 1 }, metadata: given },
      ...{ stream: 'user-1', revision: 4, position: toPosition({ commit: 7n, prepare: 7n }) },
    }),
  );

  it.each([
    '',
    'no JSON',
    'null',
    '"text"',
    '[1]',
    ...[
      { at: undefined },
      { at: 1_772_600_767_089 },
      { at: 'yesterday' },
      { clock: 1 },
      { actor: undefined },
      { actor: null },
      { actor: 'anonymous' },
      { actor: { roles: [] } },
      { actor: { id: 'anonymous' } },
      { actor: { id: 'anonymous', roles: 'ADMINISTRATOR' } },
      { actor: { id: 'anonymous', roles: ['ADMINISTRATOR', 7] } },
      { origin: 5 },
      { origin: null },
      { sessionId: 5 },
      { address: [] },
      { sealedAddress: {} },
      { correlationId: undefined },
      { causationId: 7 },
      { schemaVersion: undefined },
      { schemaVersion: '1' },
      { schemaVersion: 1.5 },
    ].map((member) => JSON.stringify({ ...metadata, ...member })),
  ])('has metadata of our form instead of %s', (given) =>
    expect(recordedWith(given).metadata).toEqual({
      at: new Date(CREATED).toISOString(),
      actor: { id: 'unknown', roles: [] },
      correlationId: ID.replaceAll('-', ''),
      causationId: ID,
      schemaVersion: 1,
    }),
  );
});
