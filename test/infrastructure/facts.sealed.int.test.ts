import { afterAll, beforeAll, expect } from 'vitest';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { factsSuite } from './facts.suite.js';
import { BoxedFacts } from './sealing/boxed.js';

const given = process.env['EVENTSTORE_URL'];
const server = new EventStoreDbServer({ directory: temporaryDirectory() });
beforeAll(() => (given === undefined ? server.start() : undefined));
afterAll(() => server.stop());

const unread: string[] = [];
afterAll(() => expect(unread).toEqual([]));

const sealed = (open: () => Facts, restart?: () => Promise<void>) => async () => {
  const directory = temporaryDirectory();
  const boxed = () => new BoxedFacts(open(), directory, (what) => unread.push(what));
  const facts = boxed();
  return {
    facts,
    beside: async () => boxed(),
    reopen: async () => {
      await facts.close();
      await restart?.();
      return boxed();
    },
  };
};

factsSuite('SQLite, all of it personal', async () => {
  const directory = temporaryDirectory();
  return sealed(() => new SqliteFacts(directory))();
});

factsSuite(
  `EventStoreDB (${given === undefined ? 'the test server' : 'EVENTSTORE_URL'}), all of it personal`,
  sealed(() => new EventStoreDbFacts(given ?? server.url), given === undefined ? () => server.restart() : undefined),
);
