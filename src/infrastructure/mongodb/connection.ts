// The one MongoDB client of a process, and what an engine has of it: a database of its own and a deadline for each call.
import { type Db, type DbOptions, MongoClient, type MongoClientOptions, ReadConcern, WriteConcern } from 'mongodb';
import { StoreUnavailable } from '../errors.js';
import { isUnavailable } from './failures.js';

/** How long a call may take that a request waits for, in milliseconds. */
export const PROMPT_MS = 5_000;
/** How long a call of the background may take, in milliseconds. */
export const PATIENT_MS = 30_000;

const SELECTION_MS = 3_000;
const DEFAULT_NAME = 'clinical_protocols';

// The driver's own `timeoutMS` does nothing in this version: the deadline of a call is ours, these let its parts go
// before or soon after it. They win over the same options in the URL.
const CLIENT: MongoClientOptions = {
  appName: 'clinical-protocols',
  serverSelectionTimeoutMS: SELECTION_MS,
  connectTimeoutMS: SELECTION_MS,
  waitQueueTimeoutMS: SELECTION_MS,
  socketTimeoutMS: PATIENT_MS,
};

// What was acknowledged survives a failover and what is read was acknowledged, whatever the URL says.
const DATABASE: DbOptions = {
  writeConcern: new WriteConcern('majority', PROMPT_MS, true),
  readConcern: new ReadConcern('majority'),
  readPreference: 'primary',
};

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
  #users = 0;

  /** Throws where `url` is no connection string. */
  constructor(url: string) {
    this.#client = new MongoClient(url, CLIENT);
    this.#name = databaseIn(url) ?? DEFAULT_NAME;
  }

  /** The database `<name>_<suffix>`, where <name> is the one in the URL; `store` is what errors call it. */
  open(store: string, suffix: string): MongoDatabase {
    this.#users += 1;
    const db = this.#client.db(`${this.#name}_${suffix}`, DATABASE);
    const close = async () => {
      this.#users -= 1;
      if (this.#users === 0) await this.#client.close();
    };
    return new MongoDatabase(store, db, close);
  }
}

/** A database as an engine uses it. */
export class MongoDatabase {
  readonly #store: string;
  readonly #db: Db;
  readonly #release: () => Promise<void>;
  #closed = false;

  constructor(store: string, db: Db, release: () => Promise<void>) {
    this.#store = store;
    this.#db = db;
    this.#release = release;
  }

  /**
   * What one call of the driver gives. Rejects with `StoreUnavailable` where the server cannot answer, or has not by the
   * deadline: the call may then still come to its end. Other errors, a duplicate key for one, are the caller's.
   */
  async run<T>(call: (db: Db, within: Within) => Promise<T>, deadlineMs = PROMPT_MS): Promise<T> {
    if (this.#closed) throw new StoreUnavailable(this.#store, new Error('it is closed'));
    try {
      return await inTime(this.#connected(call, deadlineMs), deadlineMs);
    } catch (error) {
      throw isUnavailable(error) || error instanceof DeadlinePassed ? new StoreUnavailable(this.#store, error) : error;
    }
  }

  /** Ends the use of the database; a call in flight may be cut off. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#release();
  }

  // Not every call of the driver connects by itself (a bulk write does not).
  async #connected<T>(call: (db: Db, within: Within) => Promise<T>, deadlineMs: number): Promise<T> {
    await this.#db.client.connect();
    return call(this.#db, { maxTimeMS: deadlineMs });
  }
}

class DeadlinePassed extends Error {}

const inTime = async <T>(call: Promise<T>, deadlineMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([call, deadline]);
  } finally {
    clearTimeout(timer);
  }
};

// Not by the URL class of Node, which refuses a list of hosts.
const databaseIn = (url: string): string | undefined => {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
};
