// Runs the tests of the stand-in with the real client. With EVENTSTORE_URL the same tests run against a real node.
import { randomUUID } from 'node:crypto';
import {
  type AppendExpectedRevision,
  type AppendResult,
  type EventData,
  EventStoreDBClient,
  jsonEvent,
} from '@eventstore/db-client';
import { afterAll, beforeAll } from 'vitest';
import { temporaryDirectory } from '../directory.js';
import { EventStoreDbServer } from './server.js';

/** A server for the tests of the file and its client. `real` is the value of EVENTSTORE_URL. */
export class Node {
  readonly real = process.env['EVENTSTORE_URL'];
  readonly server = new EventStoreDbServer({ directory: temporaryDirectory(), duplicateTimeoutMs: 200 });
  #client: EventStoreDBClient | undefined;

  constructor() {
    beforeAll(async () => {
      await this.server.start();
      this.#client = EventStoreDBClient.connectionString(this.real ?? this.server.url);
    });
    afterAll(() => this.server.stop());
  }

  get client(): EventStoreDBClient {
    if (this.#client === undefined) throw new Error('the client exists only while tests run');
    return this.#client;
  }

  /** The two ways to append: BatchAppend, and Append, which the client uses for calls with credentials. */
  readonly ways = {
    batch: (stream: string, events: EventData[], expectedRevision: AppendExpectedRevision): Promise<AppendResult> =>
      this.client.appendToStream(stream, events, { expectedRevision }),
    append: (stream: string, events: EventData[], expectedRevision: AppendExpectedRevision): Promise<AppendResult> =>
      this.client.appendToStream(stream, events, { expectedRevision, credentials: { username: 'u', password: 'p' } }),
  };

  /** Returns the event ids of a stream. */
  async idsOf(stream: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const { event } of this.client.readStream(stream)) if (event !== undefined) ids.push(event.id);
    return ids;
  }
}

export const newName = (): string => `s${randomUUID().replaceAll('-', '')}-1`;

export const newEvent = (data: unknown = {}): EventData =>
  jsonEvent({ type: 'Happened', data: data as Record<string, unknown> });

export const newEvents = (count: number): EventData[] => Array.from({ length: count }, (_, n) => newEvent({ n }));
