// Tests what a page of the log is worth if the responses of the server end early or do not arrive.
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadlinePassed } from '../../../../src/infrastructure/async.js';
import { DOUBT_MS, type Reading } from '../../../../src/infrastructure/facts/eventstoredb/connection.js';
import { toPosition } from '../../../../src/infrastructure/facts/eventstoredb/events.js';
import { LogReader, readBackwards } from '../../../../src/infrastructure/facts/eventstoredb/log.js';
import type { LogMessage } from '../../../../src/infrastructure/facts/eventstoredb/messages.js';
import type { RecordedEvent } from '../../../../src/infrastructure/facts/facts.js';
import { PAGE } from '../../../../src/infrastructure/pages.js';
import { recorded } from '../../../projections/support/recorded.js';

const positionOf = (n: number) => toPosition({ commit: BigInt(n), prepare: BigInt(n) });

const eventAt = (n: number, aggregate = 'user'): RecordedEvent => ({
  ...recorded(n, { type: 'Happened', data: null }, { aggregate }),
  position: positionOf(n),
});

const nothing = { event: undefined, position: undefined, isCaughtUp: false, bytes: 10 };
const sent = (n: number): LogMessage => ({ ...nothing, event: eventAt(n), position: positionOf(n) });
const reached = (n: number): LogMessage => ({ ...nothing, position: positionOf(n) });
const caughtUp: LogMessage = { ...nothing, isCaughtUp: true };

const HEAD = 99;
const range = { aggregates: ['user'], after: positionOf(10) };

/** What a subscription sends. An error ends it, and a number is how many milliseconds it is silent. */
type Sent = LogMessage | Error | number;

/** Returns a server whose subscriptions send these messages, one list for each. Without more messages, they are silent. */
const serverOf = (...calls: readonly (readonly Sent[])[]) => {
  const requests: { readonly after: string | undefined; readonly windowsPerReport: number | undefined }[] = [];
  let ended = 0;
  let reads = 0;
  const subscribe = async (request: Buffer) => {
    const options = streams.ReadReq.deserializeBinary(request).getOptions();
    const messages = [...(calls[requests.length] ?? [])];
    requests.push({
      after: options?.getAll()?.getPosition()?.getCommitPosition(),
      windowsPerReport: options?.getFilter()?.getCheckpointintervalmultiplier(),
    });
    const next = async (): Promise<LogMessage> => {
      const message = messages.shift() ?? (await new Promise<never>(() => undefined));
      if (message instanceof Error) throw message;
      if (typeof message !== 'number') return message;
      await new Promise((resolve) => setTimeout(resolve, message));
      return next();
    };
    const end = () => {
      ended += 1;
    };
    return { next, end };
  };
  const read = async () => {
    reads += 1;
    return { events: [eventAt(HEAD, 'foreign')], isWhole: true };
  };
  return { requests, connection: { read, subscribe }, open: () => requests.length - ended, reads: () => reads };
};

/** Returns the first page after event 10, with at most 3 events. */
const pageFrom = (...messages: readonly Sent[]) => new LogReader(serverOf(messages).connection).page(range, 3, 100);

const cut = new Error('cut');

describe('a page of the log', () => {
  it('is at the end, at the head, if the server has caught up', async () => {
    expect(await pageFrom(sent(20), reached(30), caughtUp)).toEqual({
      events: [eventAt(20)],
      position: positionOf(HEAD),
      atEnd: true,
      bytes: 10,
    });
    expect(await pageFrom(caughtUp)).toMatchObject({ events: [], position: positionOf(HEAD), atEnd: true });
  });

  it('is at the end behind the head if events were committed meanwhile', async () =>
    expect(await pageFrom(sent(HEAD), sent(120), caughtUp)).toMatchObject({ position: positionOf(120), atEnd: true }));

  it.each([
    ['is full', [sent(20), sent(21), sent(22), caughtUp], 22],
    ['has no more time', [sent(20)], 20],
    ['has no more time, after a report', [sent(20), reached(70)], 70],
    ['is cut', [sent(20), cut], 20],
    ['is cut behind the head', [sent(120), cut], 120],
  ])('is not at the end if it %s', async (_, messages, last) =>
    expect(await pageFrom(...messages)).toMatchObject({ position: positionOf(last), atEnd: false }),
  );

  it('has no event that EventStoreDB wrote', async () => {
    const own = { ...sent(20), event: { ...eventAt(20), type: '$streamDeleted' } };
    expect(await pageFrom(own, caughtUp)).toMatchObject({ events: [], atEnd: true });
  });

  it('is full if its events have the bytes of a page', async () => {
    const { connection } = serverOf([{ ...sent(20), bytes: PAGE.bytes }, sent(21), caughtUp]);
    const reader = new LogReader(connection);
    const { position } = await reader.page(range, 3, 100);
    expect(position).toBe(positionOf(20));
    expect(await reader.page({ ...range, after: position }, 3, 100)).toMatchObject({ events: [eventAt(21)] });
  });

  it('is at the end without a call if it starts at the head, or if the log is empty', async () => {
    const { connection, requests } = serverOf();
    const atHead = { ...range, after: positionOf(HEAD) };
    const none = { events: [], atEnd: true };
    expect(await new LogReader(connection).page(atHead, 3, 20)).toEqual({ ...none, position: atHead.after });
    const empty = { ...connection, read: async () => ({ events: [], isWhole: true }) };
    const whole = { ...range, after: undefined };
    expect(await new LogReader(empty).page(whole, 3, 20)).toEqual({ ...none, position: undefined });
    expect(requests).toEqual([]);
  });

  it('needs no call if its events are known up to the head, or a part of them is', async () => {
    const { connection, requests } = serverOf();
    const page = { events: [eventAt(20)], position: positionOf(20), atEnd: false };
    const asked: unknown[] = [];
    const reader = new LogReader(connection, (...known) => {
      asked.push(known);
      return page;
    });
    expect(await reader.page(range, 3, 20)).toBe(page);
    expect([asked, requests]).toEqual([[[range, 3, positionOf(HEAD)]], []]);
  });

  it('leaves no call open if its reader is closed meanwhile', async () => {
    const { connection, requests, open } = serverOf([sent(20), sent(21), sent(22)]);
    const reader = new LogReader(connection);
    const page = reader.page(range, 3, 100);
    reader.close();
    await page;
    expect([requests.length, open()]).toEqual([1, 0]);
  });

  it('cannot be read if the server ends the call first', () => expect(pageFrom(cut)).rejects.toBe(cut));

  it('is read again with more reports if there is none, also none before its start', async () => {
    const { connection, requests, open } = serverOf([reached(0)], [reached(40)]);
    const reader = new LogReader(connection);
    expect(await reader.page(range, 3, 100)).toMatchObject({ position: positionOf(40), atEnd: false });
    expect(requests).toEqual([
      { after: '10', windowsPerReport: 2 },
      { after: '10', windowsPerReport: 1 },
    ]);
    expect(open()).toBe(1);
    reader.close();
    expect(open()).toBe(0);
  });

  it('cannot be read from a server that is older than its reports', async () => {
    const { connection, open } = serverOf();
    await expect(new LogReader(connection).page(range, 3, 20)).rejects.toThrow('23.10 or later');
    expect(open()).toBe(0);
  });
});

describe('the pages of a backlog', () => {
  it('come from one call, which ends with them', async () => {
    const { connection, requests, open, reads } = serverOf([sent(20), sent(21), sent(22), sent(23), caughtUp]);
    const reader = new LogReader(connection);
    const first = await reader.page(range, 3, 100);
    const second = await reader.page({ ...range, after: first.position }, 3, 100);
    expect([first, second]).toMatchObject([
      { events: [eventAt(20), eventAt(21), eventAt(22)], atEnd: false },
      { events: [eventAt(23)], position: positionOf(HEAD), atEnd: true },
    ]);
    expect([requests.length, open(), reads()]).toEqual([1, 0, 1]);
  });

  it('continue in another call after a cut', async () => {
    const { connection, requests } = serverOf([sent(20), cut], [sent(30), caughtUp]);
    const reader = new LogReader(connection);
    const { position } = await reader.page(range, 3, 100);
    expect(await reader.page({ ...range, after: position }, 3, 100)).toMatchObject({
      events: [eventAt(30)],
      atEnd: true,
    });
    expect(requests.map(({ after }) => after)).toEqual(['10', '20']);
  });

  it('lose no message that arrives between two of them', async () => {
    let arrive = (_: LogMessage) => {};
    const messages = [Promise.resolve(sent(20)), new Promise<LogMessage>((resolve) => (arrive = resolve))];
    const subscription = { next: () => messages.shift() ?? Promise.resolve(caughtUp), end: () => undefined };
    const { read } = serverOf().connection;
    const reader = new LogReader({ read, subscribe: async () => subscription });
    const { position } = await reader.page(range, 3, 20);
    arrive(sent(21));
    await new Promise(setImmediate);
    expect(await reader.page({ ...range, after: position }, 3, 1_000)).toMatchObject({ events: [eventAt(21)] });
  });
});

describe('a page of the log from a slow server', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Returns the page that a reader with `mayTake` milliseconds returns within `ms` of them. */
  const pageWithin = async (ms: number, mayTake: number, ...calls: readonly (readonly Sent[])[]) => {
    const { connection, requests } = serverOf(...calls);
    const page = new LogReader(connection).page(range, 3, mayTake);
    await vi.advanceTimersByTimeAsync(ms);
    const late = Promise.reject(new Error(`no page within ${ms} ms`));
    return { page: await Promise.race([page, late]), calls: requests.length };
  };

  it('comes from the first call if that advances in half of the time', async () =>
    expect(await pageWithin(10_000, 10_000, [4_000, reached(40)])).toMatchObject({
      ...{ page: { position: positionOf(40) }, calls: 1 },
    }));

  it.each([10_000, 1_000])('comes from the second call if the first is silent for half of %i ms', async (mayTake) =>
    expect(await pageWithin(mayTake, mayTake, [], [mayTake * 0.4, reached(40)])).toMatchObject({
      ...{ page: { position: positionOf(40) }, calls: 2 },
    }),
  );

  it('does not wait for more events for longer than a second', async () =>
    expect(await pageWithin(1_000, 10_000, [100, sent(20), 1_500, sent(21)])).toMatchObject({
      page: { events: [eventAt(20)], atEnd: false },
    }));
});

/** Returns the read of a page of 3 events before event 10, from a server with these responses; then it is silent. */
const backwards = (...responses: readonly (Partial<Reading> | Error)[]) => {
  const deadlines: number[] = [];
  const read = async (_: Buffer, ms: number): Promise<Reading> => {
    const response = responses[deadlines.push(ms) - 1] ?? new DeadlinePassed(ms);
    if (response instanceof Error) throw response;
    return { events: [], isWhole: true, ...response };
  };
  const page = (ms = 100) => readBackwards({ read, subscribe: () => Promise.reject(cut) }, range, 3, ms);
  return { page, deadlines };
};

describe('a page of the log backwards', () => {
  const own = { ...eventAt(8), type: '$streamDeleted' };
  const eventsAt = (...numbers: readonly number[]) => numbers.map((n) => eventAt(n));
  it.each<[string, Partial<Reading>, { events: readonly number[]; position: number; atEnd: boolean }]>([
    ['no events', {}, { events: [], position: 10, atEnd: true }],
    ['fewer events', { events: eventsAt(9, 8) }, { events: [9, 8], position: 8, atEnd: true }],
    ['as many events', { events: eventsAt(9, 8, 7) }, { events: [9, 8, 7], position: 7, atEnd: false }],
    ['a part', { events: eventsAt(9, 8), isWhole: false }, { events: [9, 8], position: 8, atEnd: false }],
    ['its own', { events: [eventAt(9), own, eventAt(7)] }, { events: [9, 7], position: 7, atEnd: false }],
  ])('is at the end only if a whole response has fewer events than the limit: %s', async (_, response, page) =>
    expect(await backwards(response).page()).toEqual({
      ...{ ...page, events: eventsAt(...page.events), position: positionOf(page.position) },
    }),
  );

  it.each([
    ['one of 512', [5], 512, { events: [5], last: 511, atEnd: false }],
    ['one of fewer', [5], 511, { events: [5], last: 510, atEnd: true }],
    ['more than the limit', [1, 2, 5, 7], 512, { events: [1, 2, 5], last: 5, atEnd: false }],
    ['more than the limit, of fewer', [1, 2, 5, 7], 9, { events: [1, 2, 5], last: 5, atEnd: false }],
  ])('is read without the filter if a filtered read finds nothing in time: %s', async (_, ours, count, page) => {
    const passed = Array.from({ length: count }, (_, n) => eventAt(1_000 - n, ours.includes(n) ? 'user' : 'foreign'));
    const { events, last, atEnd } = page;
    expect(await backwards(new DeadlinePassed(1), { events: passed }).page()).toEqual({
      ...{ events: events.map((n) => eventAt(1_000 - n)), position: positionOf(1_000 - last), atEnd },
    });
  });

  it.each([10_000, 100])('shares %i ms between both reads, and the first casts no doubt on the server', async (ms) => {
    const { page, deadlines } = backwards(new DeadlinePassed(1), {});
    await page(ms);
    const [first = 0, second = 0] = deadlines;
    expect(first + second).toBe(ms);
    expect(first).toBeLessThan(Math.min(ms, DOUBT_MS));
  });

  it('cannot be read if neither finds an event in time, or if the first fails', async () => {
    await expect(backwards().page()).rejects.toThrow(DeadlinePassed);
    await expect(backwards(cut, {}).page()).rejects.toBe(cut);
  });
});
