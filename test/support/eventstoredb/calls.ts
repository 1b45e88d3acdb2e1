// What the handlers of all methods share.
import type { ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import { callError, notReady } from './errors.js';
import type { Fault, Faults, Method } from './faults.js';
import type { Store } from './store.js';

/** The parts of the server that handlers use. */
export interface Backend {
  readonly store: Store;
  readonly faults: Faults;
  /** Returns whether the server has started. Until then every call fails as not ready. */
  isReady(): boolean;
  /** Resets the connections of all clients. */
  cut(): void;
  /** Returns how many events a filtered read or a subscription examines in a millisecond. */
  examinedPerMs(): number;
  /** Counts events of the log that a read or a subscription has examined. */
  examined(events: number): void;
  /** Returns how many messages may wait for the consumer of a live subscription. */
  burst(): number;
  /** Returns how long a read takes to send an event, in milliseconds. */
  eventMs(): number;
  /** Counts a call. */
  called(method: Method): void;
}

/** The ways to end a call. */
export interface Ending {
  fail(error: ServiceError): void;
  /** Ends the call successfully, even without a response. */
  end(): void;
}

/** Counts a call and applies an injected fault. Returns whether there was a fault. */
export const misbehaves = (backend: Backend, method: Method, ending: Ending, afterCommit = false): boolean => {
  if (!afterCommit) backend.called(method);
  const fault = backend.isReady() ? backend.faults.take(method, afterCommit) : ({ kind: 'not-ready' } as const);
  if (fault === undefined) return false;
  commit(backend, fault, ending);
  return true;
};

const commit = (backend: Backend, fault: Fault, ending: Ending): void => {
  const acts: { readonly [K in Fault['kind']]: (fault: Extract<Fault, { kind: K }>) => void } = {
    silence: () => undefined,
    'half-close': () => ending.end(),
    cut: () => backend.cut(),
    'not-ready': () => ending.fail(notReady()),
    status: ({ code, details, trailers }) => ending.fail(callError(code, details, trailers)),
  };
  acts[fault.kind](fault as never);
};

/** Resolves when a call accepts frames again, or has ended. */
export const drained = (call: ServerWritableStream<unknown, unknown>): Promise<void> =>
  new Promise((resolve) => {
    const over = () => {
      call.off('drain', over);
      call.off('cancelled', over);
      resolve();
    };
    call.on('drain', over);
    call.on('cancelled', over);
  });
