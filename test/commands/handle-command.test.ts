// Commands of processes whose cached states may be outdated, and of a process whose log is unavailable.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PreconditionFailed, TooContended } from '../../src/commands/context.js';
import { commandHandler, meetsPrecondition } from '../../src/commands/handle-command.js';
import { Streams } from '../../src/commands/streams.js';
import { unguarded } from '../../src/commands/uniqueness.js';
import { specialty } from '../../src/domain/specialty.js';
import { PersonalFieldsUnreadable, StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { intercepted } from '../projections/support/intercepted.js';
import { MemoryFacts } from '../support/memory-facts.js';
import { contextOf } from './support/process.js';

/** Starts a process, and notes its calls of the log. `failing` takes the place of its appends. */
const processOn = (facts: Facts, failing?: Facts['append']) => {
  const calls: string[] = [];
  const noted = intercepted(facts, (name, _, call) => {
    calls.push(name);
    return name === 'append' && failing !== undefined ? failing('', 'no-stream', []) : call();
  });
  const streams = new Streams(noted);
  const handle = commandHandler(streams, unguarded);
  const content = { name: 'a', description: null, enabled: true };
  return {
    ...{ calls, streams },
    create: () => handle(specialty, 'new', { type: 'CreateSpecialty', data: content }, contextOf()),
    rename: (id: string, name: string, precondition?: readonly number[]) =>
      handle(specialty, id, { type: 'ReviseSpecialty', data: { name } }, contextOf(precondition && { precondition })),
  };
};

/** Starts a process that has cached an aggregate named `b`, which another process has named `c` since then. */
const outdated = async () => {
  const facts = new MemoryFacts();
  const [first, other] = [processOn(facts), processOn(facts)];
  const { id } = await first.create();
  await first.rename(id, 'b');
  await other.rename(id, 'c');
  first.calls.length = 0;
  return { ...first, id };
};

describe('a command on an outdated state', () => {
  it.each(['b', 'd'])('is decided again on the state after all events: the new name %s', async (name) => {
    const { id, rename, streams } = await outdated();
    const { revision, state, events } = await rename(id, name);
    expect([revision, state, events.length]).toMatchObject([3, { fields: { name } }, 1]);
    expect(await streams.fresh(specialty, id)).toMatchObject({ revision, state });
  });

  it('records nothing if it changes nothing in the state after all events', async () => {
    const { id, rename } = await outdated();
    expect(await rename(id, 'c')).toMatchObject({ revision: 2, events: [] });
  });

  it('is refused only if its revision is not that of the stream', async () => {
    const { id, rename } = await outdated();
    await expect(rename(id, 'd', [1])).rejects.toMatchObject({ ...new PreconditionFailed(2) });
    const behind = await outdated();
    expect((await behind.rename(behind.id, 'd', [2])).revision).toBe(3);
  });
});

it('a process reads a stream of one event once for all of its commands', async () => {
  const { create, rename, calls, streams } = processOn(new MemoryFacts());
  const { id, position } = await create();
  expect(streams.ownWrites.of(`specialty-${id}`)).toBe(position);
  for (const name of ['b', 'c', 'd']) await rename(id, name);
  expect(calls.toSorted()).toEqual(['append', 'append', 'append', 'append', 'readStream']);
});

it('a command gives up after 20 attempts during which others wrote', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const { create, calls } = processOn(new MemoryFacts(), async () => ({ outcome: 'conflict' }));
  await expect(create()).rejects.toThrow(TooContended);
  expect(calls.filter((name) => name === 'append')).toHaveLength(20);
});

it('a command behind one that found the log unavailable fails without an attempt, a later one tries', async () => {
  const facts = new MemoryFacts();
  const { id } = await processOn(facts).create();
  const down = () => Promise.reject(new StoreUnavailable('the log', 'it is down'));
  const { rename, calls } = processOn(facts, down);
  const waiting = await Promise.allSettled(['b', 'c', 'd'].map((name) => rename(id, name)));
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await expect(rename(id, 'e')).rejects.toThrow(StoreUnavailable);
  expect(calls.filter((name) => name === 'append')).toHaveLength(2);
});

it('an aggregate whose personal fields cannot be opened takes no command until they can be', async () => {
  const facts = new MemoryFacts();
  const { id } = await processOn(facts).create();
  const { rename } = processOn(facts);
  facts.alter((log) => log.map((event) => ({ ...event, flaw: { kind: 'unreadable' } })));
  for (const name of ['a', 'b']) await expect(rename(id, name)).rejects.toThrow(PersonalFieldsUnreadable);
  facts.alter((log) => log.map(({ flaw, ...event }) => event));
  expect((await rename(id, 'b')).revision).toBe(1);
});

it.each([
  [undefined, -1, true],
  ['any', -1, false],
  ['any', 0, true],
  [[1, 3], 3, true],
  [[1, 3], 2, false],
] as const)('the precondition %o at revision %i is met: %s', (precondition, revision, isMet) =>
  expect(meetsPrecondition(precondition, revision)).toBe(isMet),
);
