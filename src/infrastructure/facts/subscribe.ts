// The subscription of every engine: it reads the log page by page, and then again whenever a bell rings. A timer
// replaces the rings that the bell misses, so a subscription is correct without them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortable } from '../async.js';
import { Bell } from '../bell.js';
import { PAGE } from '../pages.js';
import type { Facts, LogPage, LogRange } from './facts.js';

export interface SubscribedLog extends Pick<Facts, 'readLog'> {
  /** The time after which the log is read again without a ring, in milliseconds. */
  readonly pollMs: number;
  /** Calls `ring` until `signal` aborts, when there may be new events of these aggregates. It may miss some. */
  listen(aggregates: readonly string[], ring: () => void, signal: AbortSignal): void;
  /** Reports a failed read, which will be tried again. Throws if another try would fail in the same way. */
  onFailure(error: unknown): void;
}

export async function* subscribe(
  log: SubscribedLog,
  range: LogRange,
  signal: AbortSignal,
): AsyncGenerator<LogPage, void> {
  const bell = new Bell();
  const end = new AbortController();
  const ending = AbortSignal.any([signal, end.signal]);
  ending.addEventListener('abort', bell.ring);
  log.listen(range.aggregates, bell.ring, ending);
  try {
    yield* pages(log, range, bell, signal);
  } finally {
    end.abort();
  }
}

async function* pages(log: SubscribedLog, range: LogRange, bell: Bell, signal: AbortSignal): AsyncGenerator<LogPage> {
  for (let after = range.after, isDue = true; ; ) {
    const page = await readNext(log, { ...range, after }, bell, signal);
    if (page === undefined) return;
    if (isDue || page.position !== after) yield page;
    after = page.position;
    isDue = !page.atEnd;
    await (page.atEnd ? bell.wait(log.pollMs) : nextTurn());
  }
}

// Tries until a read succeeds. Returns undefined if the signal aborts.
const readNext = async (
  log: SubscribedLog,
  range: LogRange,
  bell: Bell,
  signal: AbortSignal,
): Promise<LogPage | undefined> => {
  while (!signal.aborted) {
    try {
      return await abortable(log.readLog(range, PAGE.items), signal);
    } catch (error) {
      if (!signal.aborted) log.onFailure(error);
      await bell.wait(log.pollMs);
    }
  }
  return undefined;
};
