// Rejects requests while too many wait, so that accepted requests get a response soon. `Pace` rejects requests while the
// waiting work would take too long (infrastructure/pace.ts).
import type { RequestHandler, Response } from 'express';
import type { Log } from '../../infrastructure/log.js';
import { Problem } from '../problems/problems.js';
import { contextOf, type HoldsUnread } from '../response/request-context.js';
import { sendProblem } from '../response/sending.js';
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

// Created once, because the stack of an error costs more than the rest of a rejection.
const OVERLOADED = new Problem('overloaded', { headers: { 'Retry-After': '1' } });

export interface SheddingOptions {
  readonly load: Load;
  readonly unread: HoldsUnread;
  /** The paths whose requests are never rejected. */
  readonly exemptPaths: readonly string[];
  /** Called for each rejected request. */
  readonly onShed: () => void;
}

/** Returns a handler that rejects requests while the load is full. */
export const shedding = ({ load, unread, exemptPaths, onShed }: SheddingOptions): RequestHandler => {
  const rejected: Response[] = [];
  const respond = () => {
    for (const response of rejected.splice(0)) void sendProblem(response, OVERLOADED);
  };
  return (request, response, next) => {
    if (load.isFull && !exemptPaths.includes(request.path)) {
      onShed();
      // A response during the turn would let its client send the next request in the same turn. While over a thousand
      // sockets have data, libuv reads them again and again and lets everything else wait: for 10 seconds, as measured.
      if (rejected.push(response) === 1) setImmediate(respond);
      return;
    }
    load.begin();
    contextOf(response).unread = unread;
    response.on('close', load.end);
    next();
  };
};

/** Returns a function that counts a rejected request, and logs a warning once a minute. */
export const shedReport = (metrics: { shed(): void }, log: Pick<Log, 'warn'>): (() => void) => {
  const warn = atMostEvery(WARN_INTERVAL_MS, () => log.warn('overloaded: requests are rejected with 503'));
  return () => {
    metrics.shed();
    warn();
  };
};
