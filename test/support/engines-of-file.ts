// Provides the distributed engines of one service: the engines that the environment names, else new ones.
import { it } from 'vitest';
import type { Directories } from './directory.js';
import type { EngineSet } from './engine-set.js';
import { EventStoreDbServer } from './eventstoredb/server.js';
import { TEST_MASTER_KEY } from './master-key.js';
import { Mongo } from './mongodb.js';
import { noEngines } from './no-engines.js';
import { SharedRedis } from './redis.js';

export type EngineUrls = EngineSet['environment'];

const givenStore = process.env['EVENTSTORE_URL'] || undefined;

/**
 * The engines of a service. Services share one MongoDB and each has its own databases there. Services also share an
 * EventStoreDB and a Redis that the environment names. Otherwise each service has its own.
 */
export class Engines {
  readonly #directories: Directories;
  readonly #mongo = new Mongo();
  readonly #redis = new SharedRedis();
  readonly #store: EventStoreDbServer;
  #urls: EngineUrls | undefined;

  /** Keeps the data of new engines in `directories`. */
  constructor(directories: Directories) {
    this.#directories = directories;
    this.#store = new EventStoreDbServer({ directory: directories.make() });
  }

  /** The environment variables that make a process of the service use these engines. */
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

/** Declares tests that need all engines. If an engine is unavailable, declares one skipped test with the reason. */
export const withEngines = (name: string, declare: () => void): void => {
  const reason = noEngines();
  if (reason === undefined) declare();
  else it(name, ({ skip }) => skip(reason));
};
