import { onTestFinished } from 'vitest';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { withMongo } from '../support/mongodb.js';
import { storePairSuite } from './store-pair.suite.js';

withMongo('the judgement of stores on servers', (mongo) =>
  storePairSuite(async () => {
    const server = new EventStoreDbServer({ directory: temporaryDirectory() });
    await server.start();
    const facts = new EventStoreDbFacts(server.url, { deadlineMs: 60_000 });
    const vault = new MongoVault(new MongoConnection(mongo.newUrl()));
    onTestFinished(async () => {
      await facts.close();
      await vault.close();
      await server.stop();
    });
    return { facts, vault };
  }),
);
