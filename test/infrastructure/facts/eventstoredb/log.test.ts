// Tests what a page of the log is worth if the responses of the server end early or do not arrive.
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from 'vitest';
import { DeadlinePassed } from '../../../../src/infrastructure/async.js';
import { toPosition } from '../../../../src/infrastructure/facts/eventstoredb/events.js';
import { LogReader, readBackwards } from '../../../../src/infrastructure/facts/eventstoredb/log.js';
import type { LogMessage } from '../../../../src/infrastructure/facts/eventstoredb/messages.js';
import type { RecordedEvent } from '../../../../src/infrastructure/facts/facts.js';
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

/**
 * Returns a server whose subscriptions send these messages, one list for each. An error ends a subscription. A
 * subscription without more messages is silent.
 */
const serverOf = (...calls: readonly (readonly (LogMessage | Error)[])[]) => {
  const requests: { readonly after: string | undefined; readonly windowsPerReport: number | undefined }[] = [];
  let ended = 0;
  const subscribe = async (request: Buffer) => {
    const options = streams.ReadReq.deserializeBinary(request).getOptions();
    const messages = [...(calls[requests.length] ?? [])];
    requests.push({
      after: options?.getAll()?.getPosition()?.getCommitPosition(),
      windowsPerReport: options?.getFilter()?.getCheckpointintervalmultiplier(),
    });
    const next = async () => {
      const message = messages.shift() ?? (await new Promise<never>(() => undefined));
      if (message instanceof Error) throw message;
      return message;
    };
    const end = () => {
      ended += 1;
    };
    return { next, end };
  };
  const read = async () => ({ events: [eventAt(HEAD, 'foreign')], isWhole: true });
  return { requests, connection: { read, subscribe }, open: () => requests.length - ended };
};

/** Returns the first page after event 10, with at most 3 events. */
const pageFrom = (...messages: readonly (LogMessage | Error)[]) =>
  new LogReader(serverOf(messages).connection).page(range, 3, 100);

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
    const { connection, requests, open } = serverOf([sent(20), sent(21), sent(22), sent(23), caughtUp]);
    const reader = new LogReader(connection);
    const first = await reader.page(range, 3, 100);
    const second = await reader.page({ ...range, after: first.position }, 3, 100);
    expect([first, second]).toMatchObject([
      { events: [eventAt(20), eventAt(21), eventAt(22)], atEnd: false },
      { events: [eventAt(23)], position: positionOf(HEAD), atEnd: true },
    ]);
    expect([requests.length, open()]).toEqual([1, 0]);
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

describe('a page of the log backwards', () => {
  const pageOf = (...responses: readonly (readonly RecordedEvent[] | Error)[]) => {
    const left = [...responses];
    const read = async () => {
      const events = left.shift() ?? new DeadlinePassed(1);
      if (events instanceof Error) throw events;
      return { events, isWhole: true };
    };
    return readBackwards({ read, subscribe: () => Promise.reject(cut) }, range, 3, 100);
  };

  it('is read without the filter if a filtered read finds nothing in time', async () => {
    const passed = Array.from({ length: 512 }, (_, n) => eventAt(1_000 - n, n === 5 ? 'user' : 'foreign'));
    const page = { events: [eventAt(995)], position: positionOf(489), atEnd: false };
    expect(await pageOf(new DeadlinePassed(1), passed)).toEqual(page);
  });

  it('cannot be read if that finds nothing in time, either', () => expect(pageOf()).rejects.toThrow(DeadlinePassed));
});
