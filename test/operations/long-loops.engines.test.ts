// The stand-ins keep their events in memory and make each read slower than a server does, so the store is smaller.
import { afterAll, beforeAll } from 'vitest';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { withMongo } from '../support/mongodb.js';
import { longLoopsSuite } from './long-loops.suite.js';

// The suite needs its own server, because it begins with an empty log.
const server = new EventStoreDbServer({ directory: temporaryDirectory() });
beforeAll(() => server.start());
afterAll(() => server.stop());

withMongo('the long loops on EventStoreDB and MongoDB', (mongo) => {
  const fresh = async () => {
    const connection = new MongoConnection(mongo.newUrl());
    return { vault: new MongoVault(connection), views: new MongoViews(connection) };
  };
  const open = async () => ({ ...(await fresh()), stored: new EventStoreDbFacts(server.url, { deadlineMs: 60_000 }) });
  longLoopsSuite('EventStoreDB and MongoDB', open, fresh, { users: 150, stream: 1_500 });
});
