// When the read models of a projection that the code no longer knows are dropped.
import { expect, it } from 'vitest';
import { type Control, changed } from '../../../src/infrastructure/views/control.js';
import { at } from './support/harness.js';

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;
const control: Control = {
  log: '018f4c3e-0000-7000-8000-000000000001',
  live: 3,
  next: 5,
  generations: {
    3: { version: 1, collections: [], position: at(7), lease: { owner: 'a', until: NOW } },
    4: { version: 2, collections: [] },
  },
};
const abandoned = (from: Control | undefined, now: number, afterMs = DAY_MS) =>
  changed('abandon', from, { afterMs }, now) ?? control;

it('a projection is dropped a day after it was first found without a lease, and keeps its numbers and its log', () => {
  const noted = abandoned(control, NOW + 1);
  expect(noted).toEqual({ ...control, unheld: { since: NOW + 1, position: at(7) } });
  expect(abandoned(noted, NOW + DAY_MS)).toEqual(noted);
  const { log, live, next } = control;
  expect(abandoned(noted, NOW + 1 + DAY_MS)).toMatchObject({ log, live, next, generations: {} });
});

it('a projection whose lease is held stays, and the day begins again', () => {
  const noted = abandoned(abandoned(control, NOW + 1), NOW);
  expect(noted).toEqual(control);
  expect(abandoned(noted, NOW + 2 * DAY_MS).unheld?.since).toBe(NOW + 2 * DAY_MS);
});

it('the day begins again after a rollback to a version that ran the projection', () => {
  const noted = abandoned(control, NOW + 1);
  const advanced = changed('advance', noted, { number: 3, owner: 'a', position: at(8) }, NOW) ?? noted;
  const later = NOW + 9 * DAY_MS;
  expect(abandoned(advanced, later)).toMatchObject({
    unheld: { since: later, position: at(8) },
    generations: { 3: {} },
  });
});

it('an embedded projection is dropped at once, even if its lease is held', () => {
  expect(abandoned(control, NOW, 0).generations).toEqual({});
});

it('a version that knows a dropped projection builds it again, under another number', () => {
  const dropped = abandoned(control, NOW, 0);
  expect(changed('abandon', dropped, { afterMs: DAY_MS }, NOW)).toBeUndefined();
  const shape = { name: 'things', version: 1, collections: [] };
  const again = changed('prepare', dropped, { shape, first: 1, log: control.log }, NOW);
  expect(again).toMatchObject({ log: control.log, next: 6, generations: { 5: { version: 1 } } });
});
