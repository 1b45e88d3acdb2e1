// The MongoDB client of a process. Each engine has its own database on it and a deadline for each call.
import {
  type Db,
  type DbOptions,
  MongoClient,
  type MongoClientOptions,
  ReadConcern,
  type ServerHeartbeatStartedEvent,
  WriteConcern,
} from 'mongodb';
import { DeadlinePassed, settlesWithin, withDeadline } from '../async.js';
import { STORES, StoreUnavailable } from '../errors.js';
import { mongoFailure } from './failures.js';

/** The time limit of a call that a request waits for, in milliseconds. */
export const PROMPT_MS = 5_000;
/** The time limit of a background call, in milliseconds. */
export const PATIENT_MS = 30_000;

// With default settings, an unplanned failover of a replica set takes up to about 12 s. Background calls and the
// driver's retries of writes wait for the new primary. A call that a request waits for ends at its own deadline.
const SELECTION_MS = 15_000;
const CONNECT_MS = 3_000;
const HEARTBEAT_MS = 10_000;
// A check waits for a connection and for a response on it, or for a change of the server and then for a response.
const CHECK_MS = 2 * CONNECT_MS;
const AWAITED_CHECK_MS = HEARTBEAT_MS + CONNECT_MS;
// If the process itself was suspended, it first reads the response that has arrived in the meantime.
const READING_MS = 1_000;
// The driver says goodbye to the server before it closes its connections, and waits long for a silent one.
const CLOSING_MS = 1_000;
const DEFAULT_NAME = 'clinical_protocols';

// The driver's own `timeoutMS` has no effect in this version. Calls therefore have a deadline of this class, and these
// options end the work behind it. They override the options in the URL, which may only raise the selection timeout.
const clientOptions = (url: string): MongoClientOptions => ({
  appName: 'clinical-protocols',
  serverSelectionTimeoutMS: Math.max(SELECTION_MS, selectionIn(url)),
  connectTimeoutMS: CONNECT_MS,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  waitQueueTimeoutMS: SELECTION_MS,
  socketTimeoutMS: PATIENT_MS,
  retryWrites: true,
  retryReads: true,
  readPreference: 'primary',
});

// Regardless of the URL, acknowledged writes survive a failover, and reads return only acknowledged writes. The write
// concern waits for lagging secondaries until the deadline: giving up earlier would repeat the write and make them lag
// more.
const databaseOptions = (deadlineMs: number): DbOptions => ({
  writeConcern: new WriteConcern('majority', deadlineMs, true),
  readConcern: new ReadConcern('majority'),
  readPreference: 'primary',
});

/** The options that every call passes to the driver, so that the server also stops in time. */
export interface CallLimits {
  readonly maxTimeMS: number;
}

export interface MongoDatabase {
  /** Reports a fault that no call fails with to the operator. */
  readonly report: (error: Error) => void;
  /**
   * Returns the result of a driver call. Rejects with `StoreUnavailable` if the server is unavailable or does not
   * respond by the deadline, in which case the call may still succeed. Other errors, such as a duplicate key, are
   * passed on.
   */
  readonly run: <T>(call: (db: Db, limits: CallLimits) => Promise<T>, deadlineMs?: number) => Promise<T>;
  /** Closes the database. A call in flight may be interrupted. */
  readonly close: () => Promise<void>;
}

/**
 * The client of a process. It connects with the first call and reconnects automatically, so the server does not have to
 * be up yet. It closes when the last of its databases closes.
 */
export class MongoConnection {
  readonly #url: string;
  #client: MongoClient;
  readonly #name: string;
  readonly #onError: (error: Error) => void;
  #users = 0;

  /** Throws if `url` is not a connection string. `onError` is called with faults that no call fails with. */
  constructor(url: string, onError: (error: Error) => void = (error) => process.emitWarning(error)) {
    this.#url = url;
    this.#client = this.#newClient();
    this.#name = databaseIn(url) ?? DEFAULT_NAME;
    this.#onError = onError;
  }

  /** Opens the database `<name>_<suffix>`, with the name from the URL. `store` is its name in errors. */
  open(store: string, suffix: string): MongoDatabase {
    this.#users += 1;
    let isClosed = false;
    const name = `${this.#name}_${suffix}`;
    const connected = async <T>(call: (db: Db, limits: CallLimits) => Promise<T>, ms: number): Promise<T> => {
      // Some driver calls, such as bulk writes, do not connect automatically.
      await this.#client.connect();
      return call(this.#client.db(name, databaseOptions(ms)), { maxTimeMS: ms });
    };
    return {
      report: this.#onError,
      run: async (call, deadlineMs = PROMPT_MS) => {
        if (isClosed) throw new StoreUnavailable(store, 'it is closed');
        try {
          return await withDeadline(connected(call, deadlineMs), deadlineMs);
        } catch (error) {
          throw error instanceof DeadlinePassed ? new StoreUnavailable(store, error) : mongoFailure(store, error);
        }
      },
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        this.#users -= 1;
        if (this.#users === 0) await settlesWithin(this.#client.close(), CLOSING_MS);
      },
    };
  }

  /**
   * Creates a client that is replaced if a check of a server does not end. Version 7.9 of the driver waits for `drain`
   * after a write to a socket that the server has just closed, and no `drain` follows. After such a check no other check
   * begins, and every call waits until its deadline, even once the server is back.
   */
  #newClient(): MongoClient {
    const client = new MongoClient(this.#url, clientOptions(this.#url));
    const checks = new Map<string, NodeJS.Timeout>();
    const end = (server: string) => clearTimeout(checks.get(server));
    client.on('serverHeartbeatStarted', ({ connectionId, awaited }: ServerHeartbeatStartedEvent) => {
      end(connectionId);
      const replace = () => this.#replace(client, connectionId);
      const wait = (ms: number, then: () => void) => checks.set(connectionId, setTimeout(then, ms).unref());
      wait(awaited ? AWAITED_CHECK_MS : CHECK_MS, () => wait(READING_MS, replace));
    });
    client.on('serverHeartbeatSucceeded', ({ connectionId }) => end(connectionId));
    client.on('serverHeartbeatFailed', ({ connectionId }) => end(connectionId));
    client.on('serverClosed', ({ address }) => end(address));
    return client;
  }

  // The calls in flight are interrupted. They could only wait.
  #replace(client: MongoClient, server: string): void {
    if (client !== this.#client || this.#users === 0) return;
    const cause = new Error(`a check of ${server} does not end, so the driver starts again`);
    this.#onError(new StoreUnavailable(STORES.mongoDb, cause));
    this.#client = this.#newClient();
    client.close().catch(this.#onError);
  }
}

// Node's URL class cannot parse a list of hosts.
const databaseIn = (url: string): string | undefined => {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
};

// If a replica set has a higher `electionTimeoutMillis`, the operator raises this timeout in the URL.
const selectionIn = (url: string): number => Number(/[?&]serverSelectionTimeoutMS=(\d+)/i.exec(url)?.[1] ?? 0);
