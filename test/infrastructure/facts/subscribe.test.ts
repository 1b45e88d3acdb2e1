// Tests the subscription of every engine on a log in memory, whose bell and clock the test controls.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogPage } from '../../../src/infrastructure/facts/facts.js';
import { type SubscribedLog, subscribe } from '../../../src/infrastructure/facts/subscribe.js';

const POLL_MS = 1_000;

/** A log in which each event is its position. It counts its reads. */
class FakeLog implements SubscribedLog {
  readonly pollMs = POLL_MS;
  reads = 0;
  head = 0;
  failures: unknown[] = [];
  failure: Error | undefined;
  isSilent = false;
  ring: () => void = () => undefined;
  isListening = false;

  async readLog({ after }: { readonly after: string | undefined }, limit: number): Promise<LogPage> {
    this.reads += 1;
    if (this.failure !== undefined) throw this.failure;
    if (this.isSilent) await new Promise<never>(() => undefined);
    const position = Math.min(this.head, Number(after ?? 0) + limit);
    return { events: [], position: position === 0 ? undefined : `${position}`, atEnd: position === this.head };
  }

  listen(_: readonly string[], ring: () => void, signal: AbortSignal): void {
    this.ring = ring;
    this.isListening = true;
    signal.addEventListener('abort', () => {
      this.isListening = false;
    });
  }

  onFailure(error: unknown): void {
    if (error instanceof RangeError) throw error;
    this.failures.push(error);
  }
}

describe('a subscription', () => {
  let log: FakeLog;
  let abort: AbortController;
  const follow = (after?: string) => {
    const positions: (string | undefined)[] = [];
    const ended = (async () => {
      for await (const page of subscribe(log, { aggregates: ['a'], after }, abort.signal))
        positions.push(page.position);
    })();
    return { positions, ended };
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    log = new FakeLog();
    abort = new AbortController();
  });
  afterEach(() => {
    abort.abort();
    vi.useRealTimers();
  });

  it('reads the log once for each poll while nothing happens, and yields nothing', async () => {
    const { positions } = follow();
    await vi.advanceTimersByTimeAsync(0);
    expect([log.reads, positions]).toEqual([1, [undefined]]);
    await vi.advanceTimersByTimeAsync(10 * POLL_MS);
    expect([log.reads, positions]).toEqual([11, [undefined]]);
  });

  it('reads when the bell rings, also if it rang during a read', async () => {
    const { positions } = follow();
    await vi.advanceTimersByTimeAsync(0);
    log.head = 1;
    log.ring();
    log.ring();
    await vi.advanceTimersByTimeAsync(0);
    log.head = 2;
    log.ring();
    await vi.advanceTimersByTimeAsync(0);
    expect(positions).toEqual([undefined, '1', '2']);
  });

  it('reads what the bell missed at the next poll', async () => {
    const { positions } = follow();
    await vi.advanceTimersByTimeAsync(0);
    log.head = 5;
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(positions).toEqual([undefined, '5']);
  });

  it('reads a backlog without waiting', async () => {
    log.head = 1_000;
    const { positions } = follow('3');
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(positions.at(-1)).toBe('1000');
    expect(positions.length).toBeGreaterThan(1);
  });

  it('tries a failed read again at the next poll, and continues where it was', async () => {
    log.head = 3;
    const { positions } = follow();
    await vi.advanceTimersByTimeAsync(0);
    log.failure = new Error('away');
    log.head = 4;
    await vi.advanceTimersByTimeAsync(3 * POLL_MS);
    expect([positions, log.failures]).toEqual([['3'], [log.failure, log.failure, log.failure]]);
    log.failure = undefined;
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(positions).toEqual(['3', '4']);
  });

  it('rejects if another try would fail in the same way, and then listens no more', async () => {
    log.failure = new RangeError('no position');
    const { ended } = follow();
    await expect(ended).rejects.toBe(log.failure);
    expect(log.isListening).toBe(false);
  });

  it('reports no failure of a read that its abort ended', async () => {
    log.isSilent = true;
    const { ended } = follow();
    await vi.advanceTimersByTimeAsync(0);
    abort.abort();
    await ended;
    expect([log.reads, log.failures]).toEqual([1, []]);
  });

  it('listens no more once it is aborted', async () => {
    const { ended } = follow();
    await vi.advanceTimersByTimeAsync(0);
    expect(log.isListening).toBe(true);
    abort.abort();
    await ended;
    expect([log.isListening, vi.getTimerCount()]).toEqual([false, 0]);
  });
});
