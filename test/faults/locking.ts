// Runs a service on a directory whose stores another process, the test, keeps locked for a while.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { createInstitution, type Protocol } from '../http/samples.js';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { type Recorded, recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

export type StoreName = 'facts' | 'views' | 'vault' | 'work';

/** Declares the server of the calling test file, and creates an institution for its protocols. */
export const lockableService = () => {
  const directory = temporaryDirectory();
  const server = new Server(directory);
  let institutionId: string;

  beforeAll(async () => {
    await server.start();
    institutionId = (await createInstitution(server)).id;
  });
  afterAll(() => server.stop());

  /** Takes the write lock of a store. Returns a function that releases the lock. */
  const lock = (store: StoreName): (() => void) => {
    const db = new Database(join(directory, `${store}.sqlite`));
    db.exec('BEGIN IMMEDIATE');
    const unlock = () => db.close();
    onTestFinished(unlock);
    return unlock;
  };

  /** Creates a protocol of this name. */
  const post = (name: string, key?: string): Promise<ClientResponse<Protocol>> =>
    server.post('/protocols', { institutionId, name }, key === undefined ? {} : { 'Idempotency-Key': key });

  /** Returns the events with this name in their data. */
  const recorded = (name: string): readonly Recorded[] =>
    recordedIn(directory).filter(({ data }) => data['name'] === name);

  return { server, directory, lock, post, recorded };
};

/** Expects a 503 problem that says when to retry. */
export const expectUnavailable = ({ status, headers }: ClientResponse): void => {
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect(headers.get('content-type')).toContain('application/problem+json');
};

/** Resolves after this time, for tests of what must not happen meanwhile. */
export const secondsLater = (seconds: number): Promise<void> => {
  const then = Date.now() + seconds * 1_000;
  return eventually(() => expect(Date.now()).toBeGreaterThan(then));
};
