// Rejects requests while too many wait, so that accepted requests get a response soon. `Pace` rejects requests while the
// waiting work would take too long (infrastructure/pace.ts).
import type { RequestHandler } from 'express';
import type { Log } from '../../infrastructure/log.js';
import { OVERLOADED, pace } from '../../infrastructure/pace.js';
import { contextOf, type HoldsUnread } from '../response/request-context.js';
import { atMostEvery } from './at-most-every.js';

const MAX_REQUESTS = 1_200;
const WARN_INTERVAL_MS = 60_000;

/** Counts the running requests. */
export class Load {
  readonly #maxRequests: number;
  #running = 0;

  constructor(maxRequests = MAX_REQUESTS) {
    this.#maxRequests = maxRequests;
  }

  get isFull(): boolean {
    return this.#running >= this.#maxRequests;
  }

  begin(): void {
    this.#running += 1;
  }

  readonly end = (): void => {
    this.#running -= 1;
  };

  /** Stops counting a running request while it waits for its client: for the body, or until the response is read. */
  pause(): void {
    this.#running -= 1;
  }

  resume(): void {
    this.#running += 1;
  }
}

export interface SheddingOptions {
  readonly load: Load;
  readonly unread: HoldsUnread;
  /** The paths whose requests are never rejected. */
  readonly exemptPaths: readonly string[];
}

/** Returns a handler that rejects requests while the load is full. */
export const shedding =
  ({ load, unread, exemptPaths }: SheddingOptions): RequestHandler =>
  (request, response, next) => {
    if (load.isFull && !exemptPaths.includes(request.path)) {
      // A response during the turn would let its client send the next request in the same turn. While over a thousand
      // sockets have data, libuv reads them again and again and lets everything else wait: for 10 seconds, as measured.
      void Promise.resolve(pace.goOn()).then(() => next(OVERLOADED));
      return;
    }
    load.begin();
    contextOf(response).unread = unread;
    response.on('close', load.end);
    next();
  };

/** Returns a function that counts a rejected request, and logs a warning once a minute. */
export const shedReport = (metrics: { shed(): void }, log: Pick<Log, 'warn'>): (() => void) => {
  const warn = atMostEvery(WARN_INTERVAL_MS, () => log.warn('overloaded: requests are rejected with 503'));
  return () => {
    metrics.shed();
    warn();
  };
};
