// The cache of folded streams: later commands need no read, and the cache stays within its memory limit.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { operatorContext } from '../../src/cli/operator.js';
import type { CommandContext } from '../../src/commands/context.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { newUuid } from '../../src/commands/ids.js';
import { cacheBytes, Streams } from '../../src/commands/streams.js';
import { unguarded } from '../../src/commands/uniqueness.js';
import type { Of } from '../../src/domain/decider.js';
import { protocol } from '../../src/domain/protocol/decide.js';
import { protocolCommands, type protocolEvents } from '../../src/domain/protocol/schemas.js';
import { canonicalJson } from '../../src/infrastructure/canonical-json.js';
import type { Facts, NewEvent, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { measureHeap } from '../support/heap.js';
import { EARLIER } from '../support/specification.js';

const OPTIONS = ['Not at all', 'Several days', 'More than half the days', 'Nearly every day'];
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const questionnaire = () =>
  protocolCommands.CreateQuestionnaire.parse({
    institutionId: newUuid(),
    name: 'Nine questions with four options',
    prompt: 'Over the last 2 weeks, how often have you been bothered by any of the following problems?',
    questions: upTo(9).map((n) => ({
      questionText: `Question ${n}: little interest or pleasure in doing things`,
      responseType: 'SELECT',
      options: OPTIONS.map((optionText, score) => ({ optionText, score })),
    })),
    scoreRanges: upTo(5).map((n) => ({ minScore: 5 * n, maxScore: 5 * n + 4, classification: `Band ${n}` })),
  });

type ProtocolEvent = Of<typeof protocolEvents>;

const decided = (): readonly ProtocolEvent[] => {
  const given = { now: EARLIER, newId: newUuid, actor: { id: 'operator', roles: [] } };
  return protocol.decide.CreateQuestionnaire(protocol.initialState, questionnaire(), given);
};

/**
 * Returns facts in memory that count the reads of streams. `eventsOf` returns the events of streams without appends.
 */
const factsInMemory = (eventsOf: (stream: string) => readonly ProtocolEvent[] = () => []) => {
  const streams = new Map<string, readonly NewEvent[]>();
  let reads = 0;
  const metadata = { ...operatorContext(), at: EARLIER, schemaVersion: 1 };
  const recorded = (stream: string): readonly RecordedEvent[] =>
    (streams.get(stream) ?? eventsOf(stream).map((event) => ({ ...event, id: newUuid(), metadata }))).map(
      (event, revision) => ({ ...event, stream, revision, position: '0' }),
    );
  const facts: Pick<Facts, 'append' | 'readStream'> = {
    append: async (stream, _, events) => {
      const all = [...recorded(stream), ...events];
      streams.set(stream, all);
      return { outcome: 'written', revision: all.length - 1, position: '0' };
    },
    async *readStream(stream, { from = 0 } = {}) {
      reads += 1;
      yield* recorded(stream).slice(from);
    },
  };
  return { facts: facts as Facts, reads: () => reads };
};

it('the recorded time never goes back within a stream, and is otherwise the time of the clock', async () => {
  const { facts } = factsInMemory();
  const times = ['10:00', '09:00', '10:00', '11:00', '10:30'].map((time) => `2026-03-04T${time}:00.000Z`);
  let now = times[0];
  const handle = commandHandler(new Streams(facts, () => new Date(now ?? '')), unguarded);
  const create = { type: 'CreateQuestionnaire', data: questionnaire() } as const;
  const { id } = await handle(protocol, 'new', create, operatorContext());
  for (const time of times.slice(1)) {
    now = time;
    await handle(protocol, id, { type: 'ReviseProtocol', data: { name: time } }, operatorContext());
  }
  const recorded: string[] = [];
  for await (const { metadata } of facts.readStream(`protocol-${id}`)) recorded.push(metadata.at);
  const [ten, , , eleven] = times;
  expect(recorded.filter((at, index) => at !== recorded[index - 1])).toEqual([ten, eleven]);
  expect(recorded.slice(-5)).toEqual([ten, ten, ten, eleven, eleven]);
});

describe('the streams that a process has folded', () => {
  it('are read for the first command on an aggregate, but not for later commands', async () => {
    const { facts, reads } = factsInMemory();
    const handle = commandHandler(new Streams(facts), unguarded);
    const { id } = await handle(
      protocol,
      'new',
      { type: 'CreateQuestionnaire', data: questionnaire() },
      operatorContext(),
    );
    expect(reads()).toBe(0);
    for (const name of ['A', 'B', 'C']) {
      await handle(protocol, id, { type: 'ReviseProtocol', data: { name } }, operatorContext());
    }
    expect(reads()).toBe(1);
  });

  it('hold no more of the heap than the limit, however many streams the process loads', async () => {
    const { facts } = factsInMemory(decided);
    const streams = new Streams(facts);
    const one = await streams.load(protocol, newUuid());
    const many = Math.ceil((3 * cacheBytes) / JSON.stringify(one.state).length);
    const { made, bytes } = await measureHeap(async () => {
      for (const _ of upTo(many)) await streams.load(protocol, newUuid());
      return streams;
    });
    expect(made).toBe(streams);
    // The limit does not count the names of the streams and the list of the cache.
    expect(bytes).toBeLessThan(1.25 * cacheBytes);
    expect(bytes).toBeGreaterThan(cacheBytes / 4);
  });

  it('count what the cache itself takes for each stream, however small its state is', async () => {
    const events = decided().slice(0, 1);
    const { facts, reads } = factsInMemory(() => events);
    const streams = new Streams(facts);
    const small = { aggregate: 'small', initialState: 0, evolve: {} };
    for (const n of upTo(Math.ceil(cacheBytes / 500) + 1)) await streams.load(small, `${n}`);
    const before = reads();
    await streams.load(small, '1');
    expect(reads()).toBe(before + 1);
  });

  it('count a stream with many changes by the size of its state', async () => {
    const { facts, reads } = factsInMemory(decided);
    const handle = commandHandler(new Streams(facts), unguarded);
    const id = newUuid();
    const prompt = 'x'.repeat(cacheBytes / 20);
    for (const n of upTo(50)) {
      await handle(protocol, id, { type: 'ReviseProtocol', data: { prompt: `${n}${prompt}` } }, operatorContext());
    }
    expect(reads()).toBe(1);
  });

  it('measure a growing state only after its events have doubled it', async () => {
    const { facts } = factsInMemory();
    const streams = new Streams(facts);
    let measurements = 0;
    const pages = (count: number) => ({
      count,
      toJSON: () => {
        measurements += 1;
        return 'x'.repeat(10 * count);
      },
    });
    const Written = ({ count }: ReturnType<typeof pages>) => pages(count + 1);
    const book = { aggregate: 'book', initialState: pages(0), evolve: { Written } };
    let loaded = await streams.load(book, 'a');
    for (const _ of upTo(600)) {
      const [event, context] = [{ type: 'Written', data: 'x'.repeat(8) }, operatorContext()];
      const appended = await streams.append({ decider: book, id: 'a', loaded }, [event], EARLIER, context);
      if (appended === undefined) throw new Error('the append was a conflict');
      loaded = appended;
    }
    // With 2, 5, 11 and so on up to 383 pages: JSON adds two quotes to the text of a state.
    expect(measurements).toBe(8);
  });
});

describe('a stream that is ahead of the clock', () => {
  const AHEAD_MS = 60_001;
  const recordedAt = async (now: number, more: Partial<CommandContext> = {}) => {
    const { facts } = factsInMemory(decided);
    const streams = new Streams(facts, () => new Date(now));
    const content = { name: 'Another name' };
    const id = newUuid();
    await commandHandler(streams, unguarded)(
      protocol,
      id,
      { type: 'ReviseProtocol', data: content },
      { ...operatorContext(), ...more },
    );
    const events: RecordedEvent[] = [];
    for await (const event of facts.readStream(`protocol-${id}`)) events.push(event);
    return { streams, metadata: events.at(-1)?.metadata };
  };

  it('keeps its time, and records the time of the clock if the clock is more than a minute behind', async () => {
    const now = Date.parse(EARLIER) - AHEAD_MS;
    const { streams, metadata } = await recordedAt(now);
    expect(metadata).toMatchObject({ at: EARLIER, clock: new Date(now).toISOString() });
    expect(streams.clockFaults()).toMatchObject([{ code: 'clock-behind' }]);
  });

  it.each([{}, { origin: 'import', sessionId: newUuid(), address: '192.0.2.1' }])(
    'records its metadata in canonical order, also with %o',
    async (more) => {
      const { metadata } = await recordedAt(Date.parse(EARLIER) - AHEAD_MS, more);
      expect(metadata).toMatchObject(more);
      expect(JSON.stringify(metadata)).toBe(canonicalJson(metadata));
    },
  );

  it.each([AHEAD_MS - 1, 0, -AHEAD_MS])('is not reported if the clock is %i ms behind', async (behind) => {
    const { streams, metadata } = await recordedAt(Date.parse(EARLIER) - behind);
    expect(metadata).not.toHaveProperty('clock');
    expect(streams.clockFaults()).toEqual([]);
  });

  it('is reported for an hour', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { streams } = await recordedAt(Date.parse(EARLIER) - AHEAD_MS);
    vi.advanceTimersByTime(3_599_999);
    expect(streams.clockFaults()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(streams.clockFaults()).toEqual([]);
  });
});
