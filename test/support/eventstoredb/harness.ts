// What the tests of the server share: the real client, on EVENTSTORE_URL where it is set, so that the tables that the
// stand-in is held against can be held against a real node too.
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

/** A server for the tests of the file, and a client of it. `real` is where EVENTSTORE_URL points. */
export class Node {
  readonly real = process.env['EVENTSTORE_URL'];
  readonly server = new EventStoreDbServer({ directory: temporaryDirectory(), lostAnswerMs: 200 });
  #client: EventStoreDBClient | undefined;

  constructor() {
    beforeAll(async () => {
      await this.server.start();
      this.#client = EventStoreDBClient.connectionString(this.real ?? this.server.url);
    });
    afterAll(() => this.server.stop());
  }

  get client(): EventStoreDBClient {
    if (this.#client === undefined) throw new Error('the client is there only while tests run');
    return this.#client;
  }

  /** The two ways of appending: BatchAppend, and Append, which the client takes where a call has credentials. */
  readonly ways = {
    batch: (stream: string, events: EventData[], expectedRevision: AppendExpectedRevision): Promise<AppendResult> =>
      this.client.appendToStream(stream, events, { expectedRevision }),
    append: (stream: string, events: EventData[], expectedRevision: AppendExpectedRevision): Promise<AppendResult> =>
      this.client.appendToStream(stream, events, { expectedRevision, credentials: { username: 'u', password: 'p' } }),
  };

  /** The revisions and ids of a stream. */
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
