import { afterAll, beforeAll, describe } from 'vitest';
import { EventStoreDbFacts } from '../../../src/infrastructure/facts/eventstoredb.js';
import { temporaryDirectory } from '../../support/directory.js';
import { EventStoreDbServer } from '../../support/eventstoredb/server.js';
import { factsSuite } from './facts.suite.js';
import { subscribeSuite } from './subscribe.suite.js';
import { Log } from './support/harness.js';

const given = process.env['EVENTSTORE_URL'];
// The deadline is long, so that no test fails on a busy machine.
const deadlineMs = 60_000;

const runningServer = (): EventStoreDbServer => {
  const server = new EventStoreDbServer({ directory: temporaryDirectory() });
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};

const server = runningServer();
factsSuite(`EventStoreDB (${given === undefined ? 'the test server' : 'EVENTSTORE_URL'})`, () => () => {
  return new EventStoreDbFacts(given ?? server.url, { deadlineMs });
});

// What the live subscription loses is read in pages of the log, so the whole contract holds without it.
describe('the facts on EventStoreDB that drops every live subscription', () => {
  const dropping = runningServer();
  dropping.burst = 0;
  subscribeSuite(new Log(() => () => new EventStoreDbFacts(dropping.url, { deadlineMs, pollMs: 20 })));
});
