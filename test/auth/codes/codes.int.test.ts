import { onTestFinished } from 'vitest';
import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../../src/infrastructure/vault/mongodb.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { BullMqWork } from '../../../src/infrastructure/work/bullmq.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { withMongo } from '../../support/mongodb.js';
import { withRedis } from '../../support/redis.js';
import { codesSuite } from './codes.suite.js';

/** Returns the same store, which the end of the test closes. */
const closed = <T extends { close(): Promise<void> }>(store: T): T => {
  onTestFinished(() => store.close());
  return store;
};
const embeddedWork = () => closed(new SqliteWork(temporaryDirectory()));

codesSuite('SQLite', () => ({ vault: closed(new SqliteVault(temporaryDirectory())), work: embeddedWork() }));

withMongo('codes in a vault on MongoDB', (mongo) => {
  codesSuite('MongoDB', () => ({
    vault: closed(new MongoVault(new MongoConnection(mongo.newUrl()))),
    work: embeddedWork(),
  }));
});

withRedis('codes sent by BullMQ', (redis) => {
  codesSuite('SQLite and BullMQ', () => ({
    vault: closed(new SqliteVault(temporaryDirectory())),
    work: closed(new BullMqWork(redis.url, { prefix: redis.newPrefix() })),
  }));
});
