// Appends to EventStoreDB. If the outcome of a try is unknown, the tail of the stream settles it.
import { setTimeout as pause } from 'node:timers/promises';
import { DeadlinePassed } from '../../async.js';
import { AppendTooLarge, MAX_APPEND_BYTES } from '../../errors.js';
import type { Append, AppendOutcome, NewEvent } from '../facts.js';
import type { StreamPage } from '../revisions.js';
import type { EventStoreDbConnection } from './connection.js';
import { type AppendFailure, failureOf, unavailable } from './errors.js';

/** An append, and the time (epoch ms) by which the server must have responded. */
interface TimedAppend extends Append {
  readonly until: number;
}

interface Failed {
  readonly outcome: AppendFailure;
  readonly error: unknown;
}

// The share of the remaining time that a try may take, so that there is time to check whether it was written.
const TRY_SHARE = 0.7;
// The pause before a retry, doubled each time, with jitter.
const PAUSE_MS = 25;
const MAX_PAUSE_MS = 500;

const LAST: StreamPage = { from: undefined, limit: 1, backwards: true };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Throws if an append must not be tried at all: the server would reject it in a way that ends the process. */
export const checkAppend = (stream: string, events: readonly NewEvent[]): void => {
  if (!isName(stream)) throw new Error(`"${stream}" is not a valid stream name`);
  if (events.length === 0) throw new Error(`an append to ${stream} has no events`);
  for (const { id, type } of events) {
    if (!UUID.test(id)) throw new Error(`an event for ${stream} has the id "${id}", which is no UUID`);
    if (!isName(type)) throw new Error(`an event for ${stream} has the type "${type}", which is not a valid name`);
  }
  const bytes = events.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
};

// Names that start with a dollar sign belong to EventStoreDB.
const isName = (name: string): boolean => typeof name === 'string' && name !== '' && !name.startsWith('$');

/**
 * Appends even if responses are lost. The same ids at the same revision are the same append, so it is retried until it
 * is known to be written or rejected. Rejects with `StoreUnavailable` if that is not known in time.
 */
export const appendWithRetries = async (
  connection: EventStoreDbConnection,
  append: TimedAppend,
): Promise<AppendOutcome> => {
  for (let tries = 0; ; tries += 1) {
    const tried = await tryOnce(connection, append);
    const settled = isSettled(tried) ? tried : await settleOutcome(connection, append, tried);
    if (isSettled(settled)) return settled;
    const longest = Math.min(PAUSE_MS * 2 ** tries, MAX_PAUSE_MS);
    if (timeLeft(append) <= longest) throw unavailable(settled.error, 'append to streams');
    await pause(longest * (0.5 + Math.random() / 2));
  }
};

const isSettled = (result: AppendOutcome | Failed): result is AppendOutcome =>
  result.outcome === 'written' || result.outcome === 'conflict';

/** Returns how long an append may still take, in milliseconds. */
export const timeLeft = ({ until }: TimedAppend): number => until - performance.now();

const tryOnce = async (connection: EventStoreDbConnection, append: TimedAppend): Promise<AppendOutcome | Failed> => {
  const { stream, expected, events } = append;
  try {
    const ms = Math.max(1, timeLeft(append) * TRY_SHARE);
    const written = await connection.append(stream, expected, events, ms);
    if (written === undefined)
      return { outcome: 'wrong-revision', error: new Error(`${stream} is not at ${expected}`) };
    const { revision, position } = written;
    // A server may leave out the position of an append that it had written before.
    return position === undefined
      ? { outcome: 'unknown', error: new Error(`the server returned no position for an append to ${stream}`) }
      : { outcome: 'written', revision, position };
  } catch (error) {
    return { outcome: failureOf(error), error };
  }
};

// Returns what the stream shows about an append. If the outcome is still open, the append is retried.
const settleOutcome = async (
  connection: EventStoreDbConnection,
  append: TimedAppend,
  { outcome, error }: Failed,
): Promise<AppendOutcome | Failed> => {
  if (outcome === 'rejected') throw unavailable(error, 'append to streams');
  if (outcome === 'too-large') throw new AppendTooLarge(MAX_APPEND_BYTES + 1);
  if (outcome === 'deleted') {
    throw new Error(`the stream ${append.stream} was closed with a tombstone and takes no events`, { cause: error });
  }
  try {
    const found = await readOutcome(connection, append);
    if (found !== undefined) return found;
    if (outcome !== 'wrong-revision') return { outcome, error };
    // A writer that conflicts with hidden events would decide on the same state again and again.
    await connection.readStream(append.stream, LAST, Math.max(1, timeLeft(append)));
    return { outcome: 'conflict' };
  } catch (failure) {
    return { outcome: failureOf(failure), error: failure };
  }
};

// Returns what the stream holds in the place of these events; undefined if that is nothing. Compares ids and not
// revisions, because a stream that was deleted and started again continues to count.
const readOutcome = async (
  connection: EventStoreDbConnection,
  append: TimedAppend,
): Promise<AppendOutcome | undefined> => {
  const { stream, expected, events } = append;
  const from = expected === 'no-stream' ? 0 : expected + 1;
  const page = { from, limit: events.length, backwards: false };
  const ms = Math.max(1, timeLeft(append));
  const { events: found, isWhole } = await connection.readStream(stream, page, ms);
  const last = found.at(-1);
  if (last === undefined) return undefined;
  const areOurs = found.every(({ id }, index) => id === events[index]?.id.toLowerCase());
  if (areOurs && !isWhole) throw new DeadlinePassed(ms);
  const isOurs = areOurs && found.length === events.length;
  return isOurs ? { outcome: 'written', revision: last.revision, position: last.position } : { outcome: 'conflict' };
};
