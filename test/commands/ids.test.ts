import { describe, expect, it } from 'vitest';
import { type CommandIds, randomIds, seededIds } from '../../src/commands/ids.js';

const seed = { random: '0123456789abcdef0123456789abcdef', at: Date.UTC(2026, 0, 5) };
const idsFrom = (ids: CommandIds): string[] => {
  const newId = ids.newIds();
  return [ids.aggregateId(), ids.eventId(0), ids.eventId(1), newId(), newId()];
};

describe('the ids of a command', () => {
  it('are derived from a seed', () => {
    const made = idsFrom(seededIds(seed));
    expect(idsFrom(seededIds(seed))).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(idsFrom(seededIds({ ...seed, at: seed.at + 1 }))).not.toEqual(made);
  });

  it('are the same in every version of the service, which may resume a command of another version', () => {
    expect([...idsFrom(seededIds(seed)), seededIds(seed).part('a').eventId(0)]).toEqual([
      '019b8b74-1800-7c31-8227-61833ef69fd5',
      '019b8b74-1800-7779-a8c2-973522fc8358',
      '019b8b74-1800-7f5e-8f00-f69b057d468f',
      '019b8b74-1800-72e3-8e43-7942815e2a73',
      '019b8b74-1800-795a-9305-ff5239141c79',
      '019b8b74-1800-7a71-87c6-c0fd14ebad2f',
    ]);
  });

  it.each([
    ['random', randomIds],
    ['seeded', () => seededIds(seed)],
  ])('differ for each part, and are the same for the same part (%s)', (_, newIds) => {
    const ids = newIds();
    const parts = [ids, ids.part('a'), ids.part('b'), ids.part('a').part('b')];
    const events = parts.map((part) => part.eventId(0));
    expect(new Set(events).size).toBe(parts.length);
    expect(ids.part('a').eventId(0)).toBe(events[1]);
  });

  it('of a part are derived from the seed too', () =>
    expect(idsFrom(seededIds(seed).part('a'))).toEqual(idsFrom(seededIds(seed).part('a'))));
});
