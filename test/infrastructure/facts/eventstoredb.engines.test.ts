import { afterAll, beforeAll } from 'vitest';
import { EventStoreDbFacts, type EventStoreDbOptions } from '../../../src/infrastructure/facts/eventstoredb.js';
import { temporaryDirectory } from '../../support/directory.js';
import { EventStoreDbServer } from '../../support/eventstoredb/server.js';
import { factsSuite } from './facts.suite.js';

const given = process.env['EVENTSTORE_URL'];

/** Declares the suite on a server of its own, or on a given server. */
const suiteOn = (name: string, server: EventStoreDbServer, url: string | undefined, options: EventStoreDbOptions) => {
  beforeAll(() => (url === undefined ? server.start() : undefined));
  afterAll(() => server.stop());
  // The deadline is long, so that no test fails on a busy machine.
  factsSuite(name, () => () => new EventStoreDbFacts(url ?? server.url, { deadlineMs: 60_000, ...options }));
};

const server = new EventStoreDbServer({ directory: temporaryDirectory() });
suiteOn(`EventStoreDB (${given === undefined ? 'the test server' : 'EVENTSTORE_URL'})`, server, given, {});

// Subscriptions on the server only wake the reader, so the whole contract holds without them.
const silent = new EventStoreDbServer({ directory: temporaryDirectory() });
silent.faults.inject('subscribe', { kind: 'silence' }, { times: Number.POSITIVE_INFINITY });
suiteOn('EventStoreDB that never wakes a subscriber', silent, undefined, { pollMs: 20 });
