import { afterAll, beforeAll } from 'vitest';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { withMongo } from '../support/mongodb.js';
import { growerSuite } from './grower.suite.js';

// The suite needs its own server, because it begins with an empty log.
const server = new EventStoreDbServer({ directory: temporaryDirectory() });
beforeAll(() => server.start());
afterAll(() => server.stop());

withMongo('growth of the tree on EventStoreDB and MongoDB', (mongo) =>
  growerSuite('EventStoreDB and MongoDB', async () => {
    const facts = new EventStoreDbFacts(server.url, { deadlineMs: 60_000 });
    const vault = new MongoVault(new MongoConnection(mongo.newUrl()));
    const close = async () => {
      await facts.close();
      await vault.close();
    };
    return { facts, vault, close };
  }),
);
