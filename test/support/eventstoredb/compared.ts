// What the comparisons of the stand-in with a real node share. With EVENTSTORE_URL they run against a real node. Appends are
// those of the service; the client of EventStoreDB reads and subscribes.
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll } from 'vitest';
import { EventStoreDbConnection } from '../../../src/infrastructure/facts/eventstoredb/connection.js';
import type { Expected, NewEvent } from '../../../src/infrastructure/facts/facts.js';
import { newEvents, newStream } from '../../infrastructure/facts/support/harness.js';
import { temporaryDirectory } from '../directory.js';
import { EventStoreDbServer } from './server.js';

const real = process.env['EVENTSTORE_URL'];

/** Why a test that changes the server itself, not through its protocol, is skipped for a real one; undefined without one. */
export const standInOnly =
  real === undefined ? undefined : 'EVENTSTORE_URL is set, and this test stops, holds or changes the stand-in itself';

/** Starts the server before the tests of a file, and stops it after them. */
export const compared = () => {
  const server = new EventStoreDbServer({ directory: temporaryDirectory(), duplicateTimeoutMs: 200 });
  let connection: EventStoreDbConnection;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    await server.start();
    connection = new EventStoreDbConnection(real ?? server.url);
    client = EventStoreDBClient.connectionString(real ?? server.url);
  });
  afterAll(async () => {
    connection.close();
    await server.stop();
  });

  const append = (stream: string, expected: Expected, events: readonly NewEvent[]) =>
    connection.append(stream, expected, events, 20_000);
  const filled = async (count: number): Promise<string> => {
    const stream = newStream();
    await append(stream, 'no-stream', newEvents(count));
    return stream;
  };
  const read = async (stream: string, options: Parameters<EventStoreDBClient['readStream']>[1] = {}) => {
    const events = [];
    for await (const { event } of client.readStream(stream, options)) if (event !== undefined) events.push(event);
    return events;
  };
  /** Returns why what was measured on 23.10.6 is not expected of a real server; undefined of 23.10 and of the stand-in. */
  const otherVersion = async (): Promise<string | undefined> => {
    if (real === undefined) return undefined;
    const { serverVersion } = await client['capabilities'];
    return serverVersion.startsWith('23.10.') ? undefined : `holds for 23.10, and the server has ${serverVersion}`;
  };
  return { server, client: () => client, append, filled, read, otherVersion };
};
