// Starts the distributed engines or their stand-ins as servers that a test may stop, suspend, kill and start again.
import { describe, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from './directory.js';
import { EventStoreDbServer } from './eventstoredb/server.js';
import { TEST_MASTER_KEY } from './master-key.js';
import { MongoProcess, mongoSource } from './mongo-server.js';
import { noRedisServer, RedisProcess } from './redis-server.js';

/** Returns why a set cannot start, or undefined if it can. */
export const noEngineSet = (): string | undefined => {
  const mongo = mongoSource();
  if (mongo.kind === 'none') return mongo.reason;
  if (mongo.kind === 'running') return 'MONGODB_URL names a server that a test cannot stop';
  return noRedisServer;
};

/** One server of each engine, each with its own data. */
export class EngineSet {
  readonly facts: EventStoreDbServer;
  readonly mongo: MongoProcess;
  readonly redis: RedisProcess;

  private constructor(facts: EventStoreDbServer, mongo: MongoProcess, redis: RedisProcess) {
    this.facts = facts;
    this.mongo = mongo;
    this.redis = redis;
  }

  /** Starts a set. */
  static async start(): Promise<EngineSet> {
    const facts = new EventStoreDbServer({ directory: temporaryDirectory() });
    const mongo = await MongoProcess.on(mongoSource(), temporaryDirectory());
    const redis = await RedisProcess.on(temporaryDirectory());
    const set = new EngineSet(facts, mongo, redis);
    await Promise.all([facts.start(), mongo.start(), redis.start()]);
    return set;
  }

  /** The environment variables that make a process of the service use the set. */
  get environment(): Readonly<Record<'EVENTSTORE_URL' | 'MONGODB_URL' | 'REDIS_URL' | 'MASTER_KEY', string>> {
    return {
      EVENTSTORE_URL: this.facts.url,
      MONGODB_URL: `${this.mongo.url}clinical_protocols`,
      REDIS_URL: this.redis.url,
      MASTER_KEY: TEST_MASTER_KEY,
    };
  }

  async end(): Promise<void> {
    await Promise.all([this.facts.kill(), this.mongo.end('SIGKILL'), this.redis.end('SIGKILL')]);
  }
}

/** Starts a set that is killed at the end of the test. */
export const startEngineSet = async (): Promise<EngineSet> => {
  const set = await EngineSet.start();
  onTestFinished(() => set.end());
  return set;
};

/** Declares tests that start a set. If no set can start, one skipped test says why. */
export const onRealSet = (name: string, declare: () => void): void => {
  const reason = noEngineSet();
  if (reason === undefined) describe(name, declare);
  else it(name, ({ skip }) => skip(reason));
};
