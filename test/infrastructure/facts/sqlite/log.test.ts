// Tests the events that the log on SQLite returns for its rows, also for the rows of a damaged file.
import { describe, expect, it } from 'vitest';
import { EventDamaged } from '../../../../src/infrastructure/errors.js';
import { type EventRow, eventPage, positionOf } from '../../../../src/infrastructure/facts/sqlite/log.js';
import { PAGE } from '../../../../src/infrastructure/pages.js';
import { metadata } from '../support/harness.js';

const row: EventRow = {
  position: 7,
  stream: 'user-1',
  revision: 4,
  id: 'e1',
  type: 'Happened',
  data: '{"n":1}',
  metadata: JSON.stringify(metadata),
};
const { data, position, ...members } = row;
const event = { ...members, data: { n: 1 }, metadata, position: positionOf(7) };

describe('the events of a page', () => {
  it('are those of its rows', () =>
    expect(eventPage([row, { ...row, data: 'null' }])).toEqual({
      ...{ events: [event, { ...event, data: null }], bytes: data.length + 'null'.length, complete: true },
    }));

  it.each([
    ['two', 2, { data }],
    ['those with the bytes of a page', undefined, { data: JSON.stringify('x'.repeat(PAGE.bytes / 2)) }],
  ])('are limited to %s', (_, limit, large) => {
    const { events, complete } = eventPage(Array<EventRow>(3).fill({ ...row, ...large }), limit);
    expect([events.length, complete]).toEqual([2, false]);
  });

  it('have their open members if only sealed text is damaged', () => {
    const damaged = { ...row, data: '{"name":null,"sealed":"a\u0001b"}' };
    expect(eventPage([damaged]).events).toMatchObject([{ data: { name: null, sealed: expect.any(String) } }]);
  });

  it.each([
    { stream: null },
    { revision: 'four' },
    { revision: 0.5 },
    { id: 1 },
    { type: null },
    { data: null },
    { data: 1 },
    { data: '{"n":' },
    { metadata: 1 },
    { metadata: '{' },
  ])('cannot be read if a row is damaged: %j', (damage) => {
    const damaged = Object.assign({}, row, damage);
    expect(() => eventPage([row, damaged])).toThrow(EventDamaged);
  });
});

describe('a position', () => {
  it('is text that sorts in the order of the log', () => {
    const positions = [0, 9, 10, 99, 100, 2 ** 40].map(positionOf);
    expect(positions.toSorted()).toEqual(positions);
  });
});
