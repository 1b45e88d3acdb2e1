import { afterAll, beforeAll } from 'vitest';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { withoutStateSuite } from './without-state.suite.js';

const given = process.env['EVENTSTORE_URL'];
const server = new EventStoreDbServer({ directory: temporaryDirectory() });
beforeAll(() => server.start());
afterAll(() => server.stop());

// The deadline is long, so that no test fails on a busy machine.
withoutStateSuite('EventStoreDB', () => () => new EventStoreDbFacts(given ?? server.url, { deadlineMs: 60_000 }));
