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
import { Problem } from '../kernel/problems.js';
import { sendProblem } from '../kernel/sending.js';
import { atMostEvery } from './at-most-every.js';

/** The bounds above which requests are rejected. */
export interface LoadBounds {
  /** The maximum number of running requests while the event loop is not busy. */
  readonly most: number;
  /** The number of requests that may always run, or start in one turn of the event loop, however slow they are. */
  readonly least: number;
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

// `most` exceeds the number of bodies that may arrive from one address (kernel/bodies.ts), so a single client cannot
// reach it.
const BOUNDS: LoadBounds = { most: 1_200, least: 256, waitS: 0.2 };
const EVENT_LOOP: EventLoop = {
  now: () => performance.now(),
  atEndOfTurn: setImmediate,
  utilization: (since) => performance.eventLoopUtilization(since),
};
const LOOK_EVERY_MS = 100;
const TOLD_EVERY_MS = 60_000;
const BUSY = 0.9;
// One measurement may see many requests start and few end. So earlier measurements count, too, for about half a second.
const KEPT = 0.8;

/** Counts the running requests, and the responses per second while the process is busy. */
export class Load {
  readonly #bounds: LoadBounds;
  readonly #loop: EventLoop;
  #underWay = 0;
  #limit: number;
  #answered = 0;
  #busy = { answered: 0, seconds: 0 };
  /** When the current turn of the event loop started to read requests; undefined before its first request. */
  #turnFrom: number | undefined;
  #begunInTurn = 0;
  #lookedAt: number;
  #seen: EventLoopUtilization;

  constructor(bounds: Partial<LoadBounds> = {}, loop: EventLoop = EVENT_LOOP) {
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#loop = loop;
    this.#limit = this.#bounds.most;
    this.#lookedAt = loop.now();
    this.#seen = loop.utilization();
  }

  /** Returns whether another request would wait too long. */
  isFull(): boolean {
    const now = this.#loop.now();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) this.#look(now);
    if (this.#turnFrom === undefined) {
      this.#turnFrom = now;
      this.#loop.atEndOfTurn(this.#endTurn);
    }
    const { least, waitS } = this.#bounds;
    const isLate = this.#begunInTurn >= least && now - this.#turnFrom > waitS * 1_000;
    return isLate || this.#underWay >= this.#limit;
  }

  /** Calls back at the end of the current turn of the event loop. */
  atEndOfTurn(callback: () => void): void {
    this.#loop.atEndOfTurn(callback);
  }

  begin(): void {
    this.#underWay += 1;
    this.#begunInTurn += 1;
  }

  readonly end = (): void => {
    this.#underWay -= 1;
    this.#answered += 1;
  };

  readonly #endTurn = (): void => {
    this.#turnFrom = undefined;
    this.#begunInTurn = 0;
  };

  // Little's law: the number of running requests divided by the responses per second is the time that the last one
  // waits.
  #look(now: number): void {
    const { most, least, waitS } = this.#bounds;
    const seen = this.#loop.utilization();
    if (this.#loop.utilization(this.#seen).utilization < BUSY) {
      this.#limit = most;
    } else {
      const answered = this.#busy.answered * KEPT + this.#answered;
      const seconds = this.#busy.seconds * KEPT + (now - this.#lookedAt) / 1_000;
      this.#busy = { answered, seconds };
      this.#limit = Math.min(most, Math.max(least, Math.round((waitS * answered) / seconds)));
    }
    this.#answered = 0;
    this.#lookedAt = now;
    this.#seen = seen;
  }
}

// Created once, because the stack of an error costs more than the rest of a rejection.
const OVERLOADED = new Problem('overloaded', { headers: { 'Retry-After': '1' } });

export interface SheddingOptions {
  readonly load: Load;
  /** The paths whose requests are never rejected. */
  readonly spared: readonly string[];
  readonly metrics: { shed(): void };
  readonly log: Pick<Log, 'warn'>;
}

/** Returns a handler that rejects requests while the load is full, and logs a warning once a minute. */
export const shedding = ({ load, spared, metrics, log }: SheddingOptions): RequestHandler => {
  const tell = atMostEvery(TOLD_EVERY_MS, () => log.warn('overloaded: requests are refused with 503'));
  const rejected: Response[] = [];
  const respond = () => {
    for (const response of rejected.splice(0)) sendProblem(response, OVERLOADED);
  };
  return (request, response, next) => {
    if (load.isFull() && !spared.includes(request.path)) {
      metrics.shed();
      tell();
      // A response during the turn would let its client send the next request in the same turn. While over a thousand
      // sockets have data, libuv reads them again and again and lets everything else wait: for 10 seconds, as measured.
      if (rejected.push(response) === 1) load.atEndOfTurn(respond);
      return;
    }
    load.begin();
    response.on('close', load.end);
    next();
  };
};
