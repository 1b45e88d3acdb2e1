// The distributed engines for one service: those that the environment names, else its own.
import { it } from 'vitest';
import type { Directories } from './directory.js';
import { EventStoreDbServer } from './eventstoredb/server.js';
import { TEST_MASTER_KEY } from './master-key.js';
import { Mongo } from './mongodb.js';
import { noEngines } from './no-engines.js';
import type { RealSet } from './real-set.js';
import { SharedRedis } from './redis.js';

export type EngineUrls = RealSet['environment'];

const givenStore = process.env['EVENTSTORE_URL'] || undefined;

/**
 * The engines of a service. A MongoDB is shared, with databases of the service's own. An EventStoreDB and a Redis that
 * the environment names are shared as they are; otherwise they are the service's own.
 */
export class Engines {
  readonly #directories: Directories;
  readonly #mongo = new Mongo();
  readonly #redis = new SharedRedis();
  readonly #store: EventStoreDbServer;
  #urls: EngineUrls | undefined;

  /** Keeps the data in these directories. */
  constructor(directories: Directories) {
    this.#directories = directories;
    this.#store = new EventStoreDbServer({ directory: directories.make() });
  }

  /** What makes a process of the service use them. */
  get urls(): EngineUrls {
    if (this.#urls === undefined) throw new Error('the engines are not started');
    return this.#urls;
  }

  async start(): Promise<void> {
    await this.#redis.start(this.#directories.make());
    if (givenStore === undefined) await this.#store.start();
    this.#urls = {
      EVENTSTORE_URL: givenStore ?? this.#store.url,
      MONGODB_URL: this.#mongo.newUrl(),
      REDIS_URL: this.#redis.url,
      MASTER_KEY: TEST_MASTER_KEY,
    };
  }

  async end(): Promise<void> {
    await Promise.all([this.#store.kill(), this.#mongo.end(), this.#redis.end()]);
  }
}

/** Declares tests that need every engine; if an engine is unavailable, one skipped test says why. */
export const withEngines = (name: string, declare: () => void): void => {
  const reason = noEngines();
  if (reason === undefined) declare();
  else it(name, ({ skip }) => skip(reason));
};
