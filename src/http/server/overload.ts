// Rejects requests while more requests wait than the process can handle soon, so that accepted requests get a response
// within a second, however many arrive. Requests wait in two places. Requests that the process has started wait for a
// store and for each other. The process counts these. Requests that the process has not read yet wait in the sockets.
// These show as a long turn of the event loop, because one turn reads every socket that has data. A slow event loop by
// itself rejects nothing, because a handful of requests is slow on a busy machine, too. It counts only together with
// the number of requests. (The npm packages for this, such as toobusy-js and overload-protection, measure only the
// event loop.)
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { RequestHandler, Response } from 'express';
import type { Log } from '../../infrastructure/log.js';
import { Problem } from '../problems/problems.js';
import { contextOf, type HoldsUnread } from '../response/request-context.js';
import { sendProblem } from '../response/sending.js';
import { atMostEvery } from './at-most-every.js';

/** The bounds above which requests are rejected. */
export interface LoadBounds {
  /** The maximum number of running requests while the event loop is not busy. */
  readonly maxRequests: number;
  /** The number of requests that may always run, or start in one turn of the event loop, however slow they are. */
  readonly minRequests: number;
  /** The maximum time in seconds that a request may wait in either place while the event loop is busy. */
  readonly waitS: number;
}

/** The event loop of Node.js, or of a test. */
export interface EventLoop {
  readonly now: () => number;
  /** Calls back after everything that had arrived at the start of the turn was read. */
  readonly atEndOfTurn: (callback: () => void) => void;
  readonly utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
}

const BOUNDS: LoadBounds = { maxRequests: 1_200, minRequests: 256, waitS: 0.2 };
const EVENT_LOOP: EventLoop = {
  now: () => performance.now(),
  atEndOfTurn: setImmediate,
  utilization: (since) => performance.eventLoopUtilization(since),
};
const MEASURE_MS = 100;
const WARN_INTERVAL_MS = 60_000;
const BUSY_UTILIZATION = 0.9;
// One measurement may see many requests start and few end. So earlier measurements count, too, for about half a second.
const DECAY = 0.8;

/** Counts the running requests, and the responses per second while the process is busy. */
export class Load {
  readonly #bounds: LoadBounds;
  readonly #loop: EventLoop;
  #running = 0;
  #limit: number;
  #completed = 0;
  #busy = { completed: 0, seconds: 0 };
  /** When the current turn of the event loop started to read requests; undefined before its first request. */
  #turnStartedAt: number | undefined;
  #startedInTurn = 0;
  #measuredAt: number;
  #seen: EventLoopUtilization;

  constructor(bounds: Partial<LoadBounds> = {}, loop: EventLoop = EVENT_LOOP) {
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#loop = loop;
    this.#limit = this.#bounds.maxRequests;
    this.#measuredAt = loop.now();
    this.#seen = loop.utilization();
  }

  /** Returns whether another request would wait too long. */
  isFull(): boolean {
    const now = this.#loop.now();
    if (now - this.#measuredAt >= MEASURE_MS) this.#measure(now);
    if (this.#turnStartedAt === undefined) {
      this.#turnStartedAt = now;
      this.#loop.atEndOfTurn(this.#endTurn);
    }
    const { minRequests, waitS } = this.#bounds;
    const isLate = this.#startedInTurn >= minRequests && now - this.#turnStartedAt > waitS * 1_000;
    return isLate || this.#running >= this.#limit;
  }

  /** Calls back at the end of the current turn of the event loop. */
  atEndOfTurn(callback: () => void): void {
    this.#loop.atEndOfTurn(callback);
  }

  begin(): void {
    this.#running += 1;
    this.#startedInTurn += 1;
  }

  readonly end = (): void => {
    this.#running -= 1;
    this.#completed += 1;
  };

  /** Stops counting a running request while it waits for its client: for the body, or until the response is read. */
  pause(): void {
    this.#running -= 1;
  }

  resume(): void {
    this.#running += 1;
  }

  readonly #endTurn = (): void => {
    this.#turnStartedAt = undefined;
    this.#startedInTurn = 0;
  };

  // Little's law: the number of running requests divided by the responses per second is the time that the last one
  // waits.
  #measure(now: number): void {
    const { maxRequests, minRequests, waitS } = this.#bounds;
    const seen = this.#loop.utilization();
    if (this.#loop.utilization(this.#seen).utilization < BUSY_UTILIZATION) {
      this.#limit = maxRequests;
    } else {
      const completed = this.#busy.completed * DECAY + this.#completed;
      const seconds = this.#busy.seconds * DECAY + (now - this.#measuredAt) / 1_000;
      this.#busy = { completed, seconds };
      this.#limit = Math.min(maxRequests, Math.max(minRequests, Math.round((waitS * completed) / seconds)));
    }
    this.#completed = 0;
    this.#measuredAt = now;
    this.#seen = seen;
  }
}

// Created once, because the stack of an error costs more than the rest of a rejection.
const OVERLOADED = new Problem('overloaded', { headers: { 'Retry-After': '1' } });

export interface SheddingOptions {
  readonly load: Load;
  readonly unread: HoldsUnread;
  /** The paths whose requests are never rejected. */
  readonly exemptPaths: readonly string[];
  readonly metrics: { shed(): void };
  readonly log: Pick<Log, 'warn'>;
}

/** Returns a handler that rejects requests while the load is full, and logs a warning once a minute. */
export const shedding = ({ load, unread, exemptPaths, metrics, log }: SheddingOptions): RequestHandler => {
  const warn = atMostEvery(WARN_INTERVAL_MS, () => log.warn('overloaded: requests are rejected with 503'));
  const rejected: Response[] = [];
  const respond = () => {
    for (const response of rejected.splice(0)) void sendProblem(response, OVERLOADED);
  };
  return (request, response, next) => {
    if (load.isFull() && !exemptPaths.includes(request.path)) {
      metrics.shed();
      warn();
      // A response during the turn would let its client send the next request in the same turn. While over a thousand
      // sockets have data, libuv reads them again and again and lets everything else wait: for 10 seconds, as measured.
      if (rejected.push(response) === 1) load.atEndOfTurn(respond);
      return;
    }
    load.begin();
    contextOf(response).unread = unread;
    response.on('close', load.end);
    next();
  };
};
