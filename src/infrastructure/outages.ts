// Logs one line when an engine stops responding, and one when it responds again. Warnings about other failed calls in
// between are dropped. Otherwise loops that retry, and requests that are rejected, would fill the log.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { withDeadline } from './async.js';
import { codeOf, messageOf, RightMissing } from './errors.js';
import type { Fault, WrongSettings } from './fault.js';
import type { Log, StoreFailure } from './log.js';

// How often an engine that does not respond is asked.
const ASK_MS = 1_000;
// An outage has ended if nothing failed for this long. A call that began during the outage fails within its deadline.
const QUIET_MS = 10_000;
// If a failure comes back after this long, it gets a line again.
const FORGET_MS = 60_000;
// If no call lacks a right for this long, somebody gave it.
const RIGHT_MS = 600_000;
const CONNECT_MS = 2_000;
const SETTINGS_MS = 600_000;

/** A server that holds stores. */
export interface Engine {
  readonly name: string;
  readonly hosts: readonly string[];
  /** What the service does without the engine. */
  readonly without: string;
  /** The names that errors give to its stores. */
  readonly stores: readonly string[];
  /** Rejects while the engine is unavailable. */
  readonly ask: () => Promise<unknown>;
  readonly wrongSettings?: () => Promise<WrongSettings | undefined>;
  /** The code of the fault of wrong settings. */
  readonly unsafe?: string;
}

const CLOCK = {
  now: () => performance.now(),
  wait: (ms: number): Promise<void> => pause(ms, undefined, { ref: false }),
};

export class Outages {
  readonly #closing = new AbortController();
  readonly #wrong = new Map<Engine, WrongSettings>();
  readonly #watched = new Map<string, (failure: StoreFailure) => void>();

  watch(engines: readonly Engine[], log: Log, clock = CLOCK): void {
    for (const engine of engines) {
      const failed = watched(engine, log, this.#closing.signal, clock);
      for (const store of engine.stores) this.#watched.set(store, failed);
      if (engine.wrongSettings !== undefined) void this.#watchSettings(engine, log, clock);
    }
  }

  /**
   * Returns whether this object writes what is to be written about a failure. An error is always left to the log, because
   * it may be the only trace of something that was lost.
   */
  readonly takes = (failure: StoreFailure): boolean => {
    const failed = this.#closing.signal.aborted ? undefined : this.#watched.get(failure.store);
    failed?.(failure);
    return failed !== undefined && failure.level === 'warn';
  };

  /** Returns the faults of the settings that the engines had when they last responded. */
  readonly faults = async (): Promise<readonly Fault[]> =>
    [...this.#wrong].flatMap(([{ name, unsafe: code }, { text, isUnsafe }]) =>
      code !== undefined && isUnsafe ? [{ code, detail: `${name}: ${text}` }] : [],
    );

  async #watchSettings(engine: Engine, log: Log, clock: typeof CLOCK): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const found = await engine.wrongSettings?.().catch(unknownIfRefused);
      const [known = RIGHT, wrong = known] = [this.#wrong.get(engine), found];
      const text = `${engine.name}: ${wrong.text || 'all settings are right'}; see "Engines" in docs/operations.md`;
      if (wrong.text !== known.text) log.warn(text);
      this.#wrong.set(engine, wrong);
      await clock.wait(found === undefined ? QUIET_MS : SETTINGS_MS);
    }
  }

  /** Ends before the stores close: what fails from then on is no outage. */
  close(): void {
    this.#closing.abort();
  }
}

/** Writes the line of a failure. */
export const logFailure = (log: Log, { reason, level, about, text }: StoreFailure): void =>
  log[level]({ ...about, reason }, text);

const watched = (engine: Engine, log: Log, closing: AbortSignal, clock: typeof CLOCK) => {
  const name = [engine.name, engine.hosts.join(', ')].filter((part) => part !== '').join(' at ');
  const [isNewFailure, isNewRight] = [firstOf(FORGET_MS, clock), firstOf(RIGHT_MS, clock)];
  const waiting: StoreFailure[] = [];
  let state: 'up' | 'asked' | 'down' = 'up';
  let failedAt = 0;

  const write = (): void => {
    for (const failure of waiting.splice(0)) if (isNewFailure(failure.text)) logFailure(log, failure);
  };
  const waitUntilUp = async (reason: string, began: number): Promise<void> => {
    log.warn(`${name} cannot be used, so ${engine.without}: ${await causeOf(reason, engine.hosts)}`);
    while (!closing.aborted && clock.now() - failedAt < QUIET_MS) {
      await clock.wait(ASK_MS);
      if (!(await responds(engine))) failedAt = clock.now();
    }
    if (!closing.aborted) log.info(`${name} can be used again after ${Math.round((failedAt - began) / 1_000)} s`);
  };
  const settle = async (reason: string): Promise<void> => {
    const began = clock.now();
    if (!(await responds(engine)) && !closing.aborted) {
      state = 'down';
      failedAt = clock.now();
      waiting.length = 0;
      await waitUntilUp(reason, began);
    }
    write();
    state = 'up';
  };
  closing.addEventListener('abort', write);
  const lacks = (right: string): void => {
    if (isNewRight(right)) log.warn(`${name}: ${right}; see "Rights" in docs/operations.md`);
  };
  const fails = (failure: StoreFailure): void => {
    failedAt = clock.now();
    if (state !== 'down' && failure.level === 'warn') waiting.push(failure);
    if (state !== 'up') return;
    state = 'asked';
    void settle(failure.reason);
  };
  return (failure: StoreFailure): void => (failure.lacksRight ? lacks(failure.reason) : fails(failure));
};

// An engine that does not respond is reported elsewhere, and asked again soon.
const unknownIfRefused = (error: unknown) => (error instanceof RightMissing ? UNKNOWN : undefined);
const UNKNOWN: WrongSettings = { text: 'its settings are unknown', isUnsafe: false };
const RIGHT: WrongSettings = { text: '', isUnsafe: false };

/** Returns a function that returns whether something did not happen in the time before. */
const firstOf = (ms: number, { now }: typeof CLOCK) => {
  const lastAt = new Map<string, number>();
  return (what: string): boolean => {
    const last = lastAt.get(what) ?? Number.NEGATIVE_INFINITY;
    lastAt.set(what, now());
    return now() - last > ms;
  };
};

// An engine that refuses a call for want of a right responds.
const responds = async ({ ask }: Engine): Promise<boolean> => {
  try {
    await ask();
    return true;
  } catch (error) {
    return error instanceof RightMissing;
  }
};

// A client often says only that it has no connection, so each host is tried.
const causeOf = async (reason: string, hosts: readonly string[]): Promise<string> => {
  const faults = (await Promise.all(hosts.map(connectionFault))).filter((fault) => fault !== undefined);
  const isWhole = faults.length > 0 && faults.length === hosts.length;
  return [...faults, ...(isWhole ? [] : [reason.replace(/\s+/g, ' ')])].join(', ');
};

/** Returns why a host accepts no connection; undefined if it accepts one, or if only DNS knows its port. */
const connectionFault = async (host: string): Promise<string | undefined> => {
  const [, name, port] = /^\[?(.*?)\]?:(\d+)$/.exec(host) ?? [];
  if (port === undefined) return undefined;
  try {
    const socket = connect(Number(port), name).unref();
    await withDeadline(once(socket, 'connect'), CONNECT_MS).finally(() => socket.destroy());
    return undefined;
  } catch (error) {
    return `${codeOf(error) ?? messageOf(error)} ${host}`;
  }
};
