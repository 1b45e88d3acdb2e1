// What a test of HTTP may do with the service, whatever engines it runs on and however many processes it is.
import type { Opaque } from '../../src/http/kernel/opaque.js';
import type { Position } from '../../src/infrastructure/facts/facts.js';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import type { Client } from './client.js';
import type { Ended } from './process.js';
import type { Recorded } from './recorded.js';
import type { LogLine } from './server.js';

/** An event as every engine holds it. */
export type Fact = Omit<Recorded, 'position'>;

/** The service; its data outlive a stop. */
export interface Service extends Client {
  /** Where requests go; another address after each start. */
  readonly url: string;
  /** What it has logged. */
  readonly log: readonly LogLine[];
  /** Starts what answers requests; resolves when it is ready. */
  start(): Promise<void>;
  /** Asks what answers requests to end; gives its exit code. */
  stop(): Promise<number | null>;
  /** Ends what answers requests at once, as a crash does. */
  kill(): Promise<void>;
  /** Stops it and starts it again; what answers requests has this in its environment from now on. */
  restart(more?: Readonly<Record<string, string>>): Promise<void>;
  /** Runs the operator's tool on its stores, with this on standard input. */
  operate(command: readonly string[], input?: string): Promise<Ended>;
  /** The events of the log, in order; of one stream, where it is named. */
  recorded(stream?: string): Promise<readonly Fact[]>;
  /** The messages that it has sent, in no order. */
  outbox(): readonly Message[];
  /** Returns the last position of the log; undefined if the log is empty. An equal position means no new event. */
  head(): Promise<Position | undefined>;
  /** What it seals positions with. */
  opaque(): Promise<Opaque>;
}

/** A service with its processes and data, in the hands of who started it. */
export interface OwnedService extends Service {
  /** Prepares the service for the next test. */
  beginTest(): Promise<void>;
  /** Ends its processes and removes its data. */
  end(): Promise<void>;
}
