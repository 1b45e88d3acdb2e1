// The one MongoDB client of a process, and what an engine has of it: a database of its own and a deadline for each call.
import { type Db, type DbOptions, MongoClient, type MongoClientOptions, ReadConcern, WriteConcern } from 'mongodb';
import { DeadlinePassed, withDeadline } from '../async.js';
import { StoreUnavailable } from '../errors.js';
import { isUnavailable } from './failures.js';

/** How long a call may take that a request waits for, in milliseconds. */
export const PROMPT_MS = 5_000;
/** How long a call of the background may take, in milliseconds. */
export const PATIENT_MS = 30_000;

// With its defaults, a replica set takes up to about 12 s for an unplanned failover. A call of the background waits for
// the new primary, and so does the driver's retry of a write. A call that a request waits for ends at its own deadline.
const SELECTION_MS = 15_000;
const CONNECT_MS = 3_000;
const DEFAULT_NAME = 'clinical_protocols';

// The driver's own `timeoutMS` has no effect in this version: the deadline of a call is ours, and these options end what
// goes on behind it. All of them win over the same options in the URL, which may only ask for more patience.
const clientOptions = (url: string): MongoClientOptions => ({
  appName: 'clinical-protocols',
  serverSelectionTimeoutMS: Math.max(SELECTION_MS, selectionIn(url)),
  connectTimeoutMS: CONNECT_MS,
  waitQueueTimeoutMS: SELECTION_MS,
  socketTimeoutMS: PATIENT_MS,
  retryWrites: true,
  retryReads: true,
  readPreference: 'primary',
});

// What was acknowledged survives a failover and what is read was acknowledged, whatever the URL says. Secondaries that lag
// have as long as the call has: a write that is given up earlier is sent again, which makes them lag more.
const databaseOptions = (deadlineMs: number): DbOptions => ({
  writeConcern: new WriteConcern('majority', deadlineMs, true),
  readConcern: new ReadConcern('majority'),
  readPreference: 'primary',
});

/** What every call passes on to the driver, so that the server too gives up in time. */
export interface Within {
  readonly maxTimeMS: number;
}

/**
 * The client of a process. It connects with the first call and reconnects by itself, so the server need not be there
 * yet. It is closed with the last of the databases opened on it.
 */
export class MongoConnection {
  readonly #client: MongoClient;
  readonly #name: string;
  readonly #onError: (error: Error) => void;
  #users = 0;

  /** Throws if `url` is no connection string. `onError` hears of what an operator should know and no call fails by. */
  constructor(url: string, onError: (error: Error) => void = (error) => process.emitWarning(error)) {
    this.#client = new MongoClient(url, clientOptions(url));
    this.#name = databaseIn(url) ?? DEFAULT_NAME;
    this.#onError = onError;
  }

  /** The database `<name>_<suffix>`, where <name> is the one in the URL; `store` is what errors call it. */
  open(store: string, suffix: string): MongoDatabase {
    this.#users += 1;
    const name = `${this.#name}_${suffix}`;
    const close = async () => {
      this.#users -= 1;
      if (this.#users === 0) await this.#client.close();
    };
    const open = (deadlineMs: number) => this.#client.db(name, databaseOptions(deadlineMs));
    return new MongoDatabase({ store, open, close, report: this.#onError });
  }
}

/** What a database is made of. */
interface Opening {
  /** What errors call it. */
  readonly store: string;
  /** Gives the database for calls that may take so long. */
  readonly open: (deadlineMs: number) => Db;
  readonly close: () => Promise<void>;
  readonly report: (error: Error) => void;
}

/** A database as an engine uses it. */
export class MongoDatabase {
  readonly #opening: Opening;
  #closed = false;

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  /** Tells the operator of a fault that no call fails by. */
  report(error: Error): void {
    this.#opening.report(error);
  }

  /**
   * What one call of the driver gives. Rejects with `StoreUnavailable` where the server cannot answer, or has not by the
   * deadline: the call may then still come to its end. Other errors, a duplicate key for one, are the caller's.
   */
  async run<T>(call: (db: Db, within: Within) => Promise<T>, deadlineMs = PROMPT_MS): Promise<T> {
    const { store } = this.#opening;
    if (this.#closed) throw new StoreUnavailable(store, new Error('it is closed'));
    try {
      return await withDeadline(this.#connected(call, deadlineMs), deadlineMs);
    } catch (error) {
      throw isUnavailable(error) || error instanceof DeadlinePassed ? new StoreUnavailable(store, error) : error;
    }
  }

  /** Ends the use of the database; a call in flight may be cut off. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#opening.close();
  }

  // Not every call of the driver connects by itself (a bulk write does not).
  async #connected<T>(call: (db: Db, within: Within) => Promise<T>, deadlineMs: number): Promise<T> {
    const db = this.#opening.open(deadlineMs);
    await db.client.connect();
    return call(db, { maxTimeMS: deadlineMs });
  }
}

// Not by the URL class of Node, which refuses a list of hosts.
const databaseIn = (url: string): string | undefined => {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
};

// A replica set whose elections take longer has `electionTimeoutMillis` raised, and the URL says so.
const selectionIn = (url: string): number => Number(/[?&]serverSelectionTimeoutMS=(\d+)/i.exec(url)?.[1] ?? 0);
