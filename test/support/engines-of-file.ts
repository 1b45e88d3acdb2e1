// The distributed engines for the service of a test file: those that the environment names, else its own.
import { afterAll, beforeAll, it } from 'vitest';
import { temporaryDirectory } from './directory.js';
import { EventStoreDbServer } from './eventstoredb/server.js';
import { TEST_MASTER_KEY } from './master-key.js';
import { Mongo } from './mongodb.js';
import { noEngines } from './no-engines.js';
import type { RealSet } from './real-set.js';
import { SharedRedis } from './redis.js';

export type EngineUrls = RealSet['environment'];

const givenStore = process.env['EVENTSTORE_URL'] || undefined;

/**
 * The engines, there while tests run. A MongoDB is shared, with databases of the file's own; an EventStoreDB and a Redis
 * that the environment names are shared as they are, else they are the file's own.
 */
export class EnginesOfFile {
  readonly #mongo = new Mongo();
  readonly #redis = new SharedRedis();
  readonly #store = new EventStoreDbServer({ directory: temporaryDirectory() });
  #urls: EngineUrls | undefined;

  constructor() {
    beforeAll(async () => {
      if (givenStore === undefined) await this.#store.start();
      this.#urls = {
        EVENTSTORE_URL: givenStore ?? this.#store.url,
        MONGODB_URL: this.#mongo.newUrl(),
        REDIS_URL: this.#redis.url,
        MASTER_KEY: TEST_MASTER_KEY,
      };
    });
    afterAll(() => this.#store.kill());
  }

  /** What makes a process of the service use them. */
  get urls(): EngineUrls {
    if (this.#urls === undefined) throw new Error('the engines are there only while tests run');
    return this.#urls;
  }
}

/** Declares tests that need every engine; where one is not to be had, one skipped test says why. */
export const withEngines = (name: string, declare: () => void): void => {
  const reason = noEngines();
  if (reason === undefined) declare();
  else it(name, ({ skip }) => skip(reason));
};
