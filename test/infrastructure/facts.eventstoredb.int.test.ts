import { afterAll, beforeAll } from 'vitest';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { factsSuite } from './facts.suite.js';

const given = process.env['EVENTSTORE_URL'];
const server = new EventStoreDbServer({ directory: temporaryDirectory() });
beforeAll(() => (given === undefined ? server.start() : undefined));
afterAll(() => server.stop());

// The deadline is long, so that no test fails on a busy machine.
const open = () => new EventStoreDbFacts(given ?? server.url, { deadlineMs: 60_000 });

factsSuite(`EventStoreDB (${given === undefined ? 'the test server' : 'EVENTSTORE_URL'})`, async () => {
  const facts = open();
  return {
    facts,
    beside: async () => open(),
    reopen: async () => {
      await facts.close();
      if (given === undefined) await server.restart();
      return open();
    },
  };
});
