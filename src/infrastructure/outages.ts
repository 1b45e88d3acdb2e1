// Logs one line when an engine stops responding and one when it responds again. What fails meanwhile gets no line, so
// that loops which retry and requests that are rejected do not fill the log.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { withDeadline } from './async.js';
import { codeOf, messageOf, RightMissing } from './errors.js';
import type { Log, StoreFailure } from './log.js';

// How often an engine that does not respond is asked.
const ASK_MS = 1_000;
// A call that began during an outage may fail after its end, at the deadline of the call.
const LATE_MS = 10_000;
// A right that no call lacked for this long was given. If it is missing again, that is logged again.
const RIGHT_MS = 600_000;
const CONNECT_MS = 2_000;

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
}

const CLOCK = {
  now: () => performance.now(),
  wait: (ms: number): Promise<void> => pause(ms, undefined, { ref: false }),
};

export class Outages {
  readonly #closing = new AbortController();
  readonly #watched = new Map<string, (failure: StoreFailure) => void>();

  watch(engines: readonly Engine[], log: Log, clock = CLOCK): void {
    for (const engine of engines) {
      const failed = watched(engine, log, this.#closing.signal, clock);
      for (const store of engine.stores) this.#watched.set(store, failed);
    }
  }

  /** Returns whether a watched engine holds the store. Then the failure gets its line only if the engine responds. */
  readonly takes = (failure: StoreFailure): boolean => {
    const failed = this.#closing.signal.aborted ? undefined : this.#watched.get(failure.store);
    failed?.(failure);
    return failed !== undefined;
  };

  /** Ends before the stores close: what fails from then on is no outage. */
  close(): void {
    this.#closing.abort();
  }
}

/** Writes the line of a failure. */
export const logFailure = (log: Log, { reason, level, about, text }: StoreFailure): void =>
  log[level]({ ...about, reason }, text);

const watched = (engine: Engine, log: Log, closing: AbortSignal, clock: typeof CLOCK) => {
  const name = `${engine.name} at ${engine.hosts.join(', ')}`;
  const lacks = rightsLog(name, log, clock);
  const waiting: StoreFailure[] = [];
  let state: 'up' | 'asked' | 'down' = 'up';
  let endedAt = Number.NEGATIVE_INFINITY;

  const waitUntilUp = async (reason: string, began: number): Promise<void> => {
    log.warn(`${name} cannot be used, so ${engine.without}: ${await causeOf(reason, engine.hosts)}`);
    while (!closing.aborted && !(await responds(engine))) await clock.wait(ASK_MS);
    endedAt = clock.now();
    if (!closing.aborted) log.info(`${name} can be used again after ${Math.round((endedAt - began) / 1_000)} s`);
  };
  const logUnlessLate = (failures: readonly StoreFailure[], began: number): void => {
    if (began - endedAt > LATE_MS) for (const failure of failures) logFailure(log, failure);
  };
  const settle = async ({ reason }: StoreFailure): Promise<void> => {
    const began = clock.now();
    const isUp = (await responds(engine)) || closing.aborted;
    state = isUp ? 'asked' : 'down';
    const failures = waiting.splice(0);
    if (isUp) logUnlessLate(failures, began);
    else await waitUntilUp(reason, began);
    state = 'up';
  };
  return (failure: StoreFailure): void => {
    if (failure.lacksRight) lacks(failure.reason);
    else if (state !== 'down') waiting.push(failure);
    if (failure.lacksRight || state !== 'up') return;
    state = 'asked';
    void settle(failure);
  };
};

const rightsLog = (name: string, log: Log, { now }: typeof CLOCK) => {
  const lastAt = new Map<string, number>();
  return (right: string): void => {
    const last = lastAt.get(right) ?? Number.NEGATIVE_INFINITY;
    lastAt.set(right, now());
    if (now() - last > RIGHT_MS) log.warn(`${name}: ${right}; see "Rights" in docs/operations.md`);
  };
};

// An engine that refuses a call for want of a right responds.
const responds = ({ ask }: Engine): Promise<boolean> =>
  ask().then(
    () => true,
    (error: unknown) => error instanceof RightMissing,
  );

// A client often says only that it has no connection, so each host is tried.
const causeOf = async (reason: string, hosts: readonly string[]): Promise<string> => {
  const faults = (await Promise.all(hosts.map(connectionFault))).filter((fault) => fault !== undefined);
  return (faults.length === hosts.length ? faults : [...faults, reason.replace(/\s+/g, ' ')]).join(', ');
};

/** Returns why a host accepts no connection; undefined if it accepts one, or if only DNS knows its port. */
const connectionFault = async (host: string): Promise<string | undefined> => {
  const [, name, port] = /^\[?(.*?)\]?:(\d+)$/.exec(host) ?? [];
  if (port === undefined) return undefined;
  const socket = connect(Number(port), name).unref();
  const fault = (error: unknown) => `${codeOf(error) ?? messageOf(error)} ${host}`;
  const tried = withDeadline(once(socket, 'connect'), CONNECT_MS).then(() => undefined, fault);
  return tried.finally(() => socket.destroy());
};
