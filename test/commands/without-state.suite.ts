// The guarantees of commands on an aggregate without a state on every engine of the facts: they read one event of a long
// stream, and no two processes append at the same revision.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/commands/context.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { Streams } from '../../src/commands/streams.js';
import { unguarded } from '../../src/commands/uniqueness.js';
import { securityLog } from '../../src/domain/security-log.js';
import type { Facts, RecordedEvent, StreamRange } from '../../src/infrastructure/facts/facts.js';
import { collect, Log, newEvent, written } from '../infrastructure/facts/support/harness.js';
import type { NewStore } from '../infrastructure/support/two-engines.js';
import { contextOf } from './support/process.js';

const EVENTS = 600;

/** Returns the facts, the number of events that were read from streams, and the ranges of the reads. */
const counted = (facts: Facts) => {
  let read = 0;
  const ranges: (StreamRange | undefined)[] = [];
  async function* each(events: AsyncIterable<RecordedEvent>) {
    for await (const event of events) {
      read += 1;
      yield event;
    }
  }
  const counting: Pick<Facts, 'append' | 'readStream'> = {
    append: (...append) => facts.append(...append),
    readStream: (stream, range) => {
      ranges.push(range);
      return each(facts.readStream(stream, range));
    },
  };
  return { facts: counting as Facts, read: () => read, ranges };
};

/** Starts a process that records sign-ins of one user. */
const processOf = (facts: Facts, userId: string) => {
  const handle = commandHandler(new Streams(facts), unguarded);
  return (sessionId: string, context: Partial<CommandContext> = {}) =>
    handle(securityLog, userId, { type: 'RecordSignIn', data: { sessionId, platform: 'WEB' } }, contextOf(context));
};

const sessionsIn = (events: readonly RecordedEvent[]) =>
  events.map(({ data }) => (data as { readonly sessionId: string }).sessionId);

/** Declares the tests for the engine that `newLog` opens. */
export const withoutStateSuite = (name: string, newLog: NewStore<Facts>): void => {
  describe(`the security log of a user on ${name}`, () => {
    const log = new Log(newLog);
    const userId = randomUUID();
    const stream = `securityLog-${userId}`;
    const recorded = () => collect(log.facts.readStream(stream));

    beforeAll(async () => {
      const data = { sessionId: randomUUID(), platform: 'WEB' };
      const events = Array.from({ length: EVENTS }, () => ({ ...newEvent(data), type: 'SignedIn' }));
      written(await log.facts.append(stream, 'no-stream', events));
    });

    it('is read from its last event only, however long it is', async () => {
      const { facts, read, ranges } = counted(log.facts);
      const { revision } = await processOf(facts, userId)(randomUUID());
      expect([revision, read(), ranges]).toEqual([EVENTS, 1, [{ to: 0, limit: 1, backwards: true }]]);
    });

    it('gets every event of two processes that record at the same time', async () => {
      const before = await recorded();
      const processes = [log.facts, log.beside].map((facts) => processOf(facts, userId));
      const sessions = Array.from({ length: 20 }, () => randomUUID());
      await Promise.all(sessions.map((session, n) => processes[n % 2]?.(session)));
      const added = (await recorded()).slice(before.length);
      expect(sessionsIn(added).toSorted()).toEqual(sessions.toSorted());
      expect(added.map(({ revision }) => revision)).toEqual(sessions.map((_, n) => before.length + n));
    });

    it('gets an event behind that of another process that a process has not read, with one more read', async () => {
      const { facts, read } = counted(log.facts);
      const [first, second] = [processOf(facts, userId), processOf(log.beside, userId)];
      const { revision } = await first(randomUUID());
      await second(randomUUID());
      const reads = read();
      expect((await first(randomUUID())).revision).toBe(revision + 2);
      expect(read()).toBe(reads + 1);
    });

    it('refuses an event if it is not at the expected revision', async () => {
      const [first, second] = [log.facts, log.beside].map((facts) => processOf(facts, userId));
      const revision = (await first?.(randomUUID()))?.revision ?? -1;
      await second?.(randomUUID());
      const expecting = (expected: number) => first?.(randomUUID(), { precondition: [expected] });
      await expect(expecting(revision)).rejects.toMatchObject({ name: 'PreconditionFailed' });
      expect(await expecting(revision + 1)).toMatchObject({ revision: revision + 2 });
    });

    it('has the event of a repeated command once, which reads no event before it', async () => {
      const context = contextOf({ resumed: true });
      const sessionId = randomUUID();
      const once = await processOf(log.facts, userId)(sessionId, context);
      const { facts, read } = counted(log.facts);
      const again = await processOf(facts, userId)(sessionId, context);
      expect([again.revision, again.events]).toMatchObject([once.revision, once.events]);
      expect(read()).toBeLessThanOrEqual(3);
      expect(sessionsIn(await recorded()).filter((session) => session === sessionId)).toHaveLength(1);
    });
  });
};
