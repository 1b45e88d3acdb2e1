// A stand-in for EventStoreDB that the tests of a file share, and the facts that a test opens on it.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { EventStoreDbFacts, type EventStoreDbOptions } from '../../../../../src/infrastructure/facts/eventstoredb.js';
import { temporaryDirectory } from '../../../../support/directory.js';
import type { Fault } from '../../../../support/eventstoredb/faults.js';
import { EventStoreDbServer } from '../../../../support/eventstoredb/server.js';

/** Returns a server that runs for all tests of the file, without faults at the start of each test, and opens facts. */
export const sharedNode = () => {
  const server = new EventStoreDbServer({ directory: temporaryDirectory(), duplicateTimeoutMs: 200 });
  const opened: EventStoreDbFacts[] = [];
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  afterEach(async () => {
    server.faults.clear();
    server.isReady = true;
    server.eventMs = 0;
    await Promise.all(opened.splice(0).map((facts) => facts.close()));
  });
  const open = (options: EventStoreDbOptions = {}) => {
    const facts = new EventStoreDbFacts(server.url, { deadlineMs: 20_000, ...options });
    opened.push(facts);
    return facts;
  };
  return { server, open };
};

/** Returns the fault of a call that ends with a gRPC status. */
export const failure = (code: number, details: string, trailers = {}): Fault => ({
  kind: 'status',
  code,
  details,
  trailers,
});
