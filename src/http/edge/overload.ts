// Refuses requests while more of them wait than the process can answer soon, so that those which it accepts are answered
// within a second, however many arrive. Requests wait at two places. Those that the process has begun wait for a store
// and for each other: they are counted. Those that it has not read yet wait in the sockets: they show as a turn of the
// event loop that takes long, because one turn reads every socket that has something. A slow event loop alone refuses
// nothing, because on a busy machine a handful of requests is slow, too; it counts only with the number of requests.
// (The npm packages for this, such as toobusy-js and overload-protection, go by the event loop alone.)
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { RequestHandler } from 'express';
import type { Log } from '../../infrastructure/log.js';
import { Problem } from '../kernel/problems.js';
import { atMostEvery } from './at-most-every.js';

/** When requests are refused. */
export interface LoadBounds {
  /** How many requests may be under way while the event loop has time. */
  readonly most: number;
  /** How many may be under way, or begin in one turn of the event loop, however slow they are. */
  readonly least: number;
  /** For how long a request may wait at either place while the event loop has no time, in seconds. */
  readonly waitS: number;
}

/** The event loop of Node.js, or the one of a test. */
export interface EventLoop {
  readonly now: () => number;
  /** Calls back when everything has been read that had arrived when the turn began. */
  readonly atEndOfTurn: (callback: () => void) => void;
  readonly utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
}

// `most` is more than the bodies of one address that may be arriving (kernel/bodies.ts): a single client cannot fill it.
const BOUNDS: LoadBounds = { most: 1_200, least: 256, waitS: 0.2 };
const EVENT_LOOP: EventLoop = {
  now: () => performance.now(),
  atEndOfTurn: setImmediate,
  utilization: (since) => performance.eventLoopUtilization(since),
};
const LOOK_EVERY_MS = 100;
const TOLD_EVERY_MS = 60_000;
const BUSY = 0.9;
// One look may see many requests begin and few end: what was seen before counts, too, for about half a second.
const KEPT = 0.8;

/** Counts the requests under way, and how many the process answers a second while it is busy. */
export class Load {
  readonly #bounds: LoadBounds;
  readonly #loop: EventLoop;
  #underWay = 0;
  #limit: number;
  #answered = 0;
  #busy = { answered: 0, seconds: 0 };
  /** When the turn of the event loop began to read requests; undefined before its first request. */
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

  /** Returns whether another request would wait for too long. */
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

  // Little's law: the requests under way, divided by those answered a second, are the seconds that the last one waits.
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

// Made once: the stack of an error costs more than the rest of a refusal.
const OVERLOADED = new Problem('overloaded', { headers: { 'Retry-After': '1' } });

export interface SheddingOptions {
  readonly load: Load;
  /** The paths at which no request is refused. */
  readonly spared: readonly string[];
  readonly metrics: { shed(): void };
  readonly log: Pick<Log, 'warn'>;
}

/** Returns a handler that refuses requests while the load is full, and says so in the log once a minute. */
export const shedding = ({ load, spared, metrics, log }: SheddingOptions): RequestHandler => {
  const tell = atMostEvery(TOLD_EVERY_MS, () => log.warn('overloaded: requests are refused with 503'));
  return (request, response, next) => {
    if (load.isFull() && !spared.includes(request.path)) {
      metrics.shed();
      tell();
      next(OVERLOADED);
      return;
    }
    load.begin();
    response.on('close', load.end);
    next();
  };
};
