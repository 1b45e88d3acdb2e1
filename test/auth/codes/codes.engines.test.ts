import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../../src/infrastructure/vault/mongodb.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { BullMqWork } from '../../../src/infrastructure/work/bullmq.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { withMongo } from '../../support/mongodb.js';
import { withRedis } from '../../support/redis.js';
import { codesSuite } from './codes.suite.js';
import { closedAfterTest } from './support/codes-harness.js';

withMongo('codes in a vault on MongoDB', (mongo) => {
  codesSuite('MongoDB', () =>
    closedAfterTest({
      vault: new MongoVault(new MongoConnection(mongo.newUrl())),
      work: new SqliteWork(temporaryDirectory()),
    }),
  );
});

withRedis('codes sent by BullMQ', (redis) => {
  codesSuite('SQLite and BullMQ', () =>
    closedAfterTest({
      vault: new SqliteVault(temporaryDirectory()),
      work: new BullMqWork(redis.url, { prefix: redis.newPrefix() }),
    }),
  );
});
