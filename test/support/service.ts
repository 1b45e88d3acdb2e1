// The interface of the service for HTTP tests, independent of its engines and the number of its processes.
import type { Opaque } from '../../src/http/route/opaque.js';
import type { Position } from '../../src/infrastructure/facts/facts.js';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import type { Client } from './client.js';
import type { ProgramResult } from './process.js';
import type { Recorded } from './recorded.js';
import type { LogLine } from './server.js';

/** A recorded event without its position, which differs by engine. */
export type Fact = Omit<Recorded, 'position'>;

/** The service. It keeps its data when it stops. */
export interface Service extends Client {
  /** The address for requests, which changes at each start. */
  readonly url: string;
  /** The log lines of the http processes. */
  readonly log: readonly LogLine[];
  /** Starts the http process. Resolves when it is ready. */
  start(): Promise<void>;
  /** Sends SIGTERM to the http process and returns its exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL to the http process, which ends it like a crash. */
  kill(): Promise<void>;
  /** Stops the http process and starts it again. Adds `more` to its environment for this and later starts. */
  restart(more?: Readonly<Record<string, string>>): Promise<void>;
  /** Runs the operator's tool on the stores of the service, with `input` on standard input. */
  runCli(command: readonly string[], input?: string): Promise<ProgramResult>;
  /** Returns the events of the log in order, or only those of one stream. */
  recorded(stream?: string): Promise<readonly Fact[]>;
  /** Returns the sent messages in no particular order. */
  outbox(): readonly Message[];
  /** Returns the last position of the log, or undefined if it is empty. An equal position means no new event. */
  head(): Promise<Position | undefined>;
  /** Returns the cipher that the service seals positions with. */
  opaque(): Promise<Opaque>;
}

/** A service whose processes and data belong to the caller, who ends it. */
export interface OwnedService extends Service {
  /** Prepares the service for the next test. */
  beginTest(): Promise<void>;
  /** Ends its processes and removes its data. */
  end(): Promise<void>;
}
