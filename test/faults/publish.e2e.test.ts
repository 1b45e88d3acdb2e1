// The service is killed while it publishes a form for a request with an Idempotency-Key. The client repeats the request.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import {
  createInstitution,
  createQuestionnaire,
  type Form,
  type ProtocolAndForm,
  successful,
} from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const directory = temporaryDirectory();
const server = new Server(directory);
let made: ProtocolAndForm;
beforeAll(() => server.start());
beforeEach(async () => {
  made = await createQuestionnaire(server, (await createInstitution(server)).id);
});
afterAll(() => server.stop());

const path = () => `/protocols/${made.protocol.id}/forms/${made.form.id}`;
const publish = () =>
  server.post<Form>(`${path()}/publish`, { reason: 'Agreed.' }, { 'Idempotency-Key': made.form.id });
const published = () =>
  recordedIn(directory, `protocol-${made.protocol.id}`).filter(({ type }) => type === 'ProtocolFormPublished');

/** Keeps other processes from writing to a store until the returned function is called. */
const lock = (store: 'facts' | 'vault'): (() => void) => {
  const db = new Database(join(directory, `${store}.sqlite`));
  db.exec('BEGIN IMMEDIATE');
  const unlock = () => db.close();
  onTestFinished(unlock);
  return unlock;
};

/** Returns how many idempotency records the vault holds. */
const recordsInVault = (): number => {
  const db = new Database(join(directory, 'vault.sqlite'), { readOnly: true });
  try {
    return Number(db.prepareValue("SELECT count(*) FROM records WHERE kind = 'idempotency'").get());
  } finally {
    db.close();
  }
};

/** Repeats the request until the former one has certainly ended, and expects one event and one form. */
const expectPublishedOnce = async (): Promise<void> => {
  await server.start();
  const body = await eventually(async () => successful(await publish()).body);
  expect(body).toMatchObject({ id: made.form.id, status: 'PUBLISHED' });
  expect((await server.get(path())).body).toEqual(body);
  expect((await publish()).body).toEqual(body);
  expect(published()).toMatchObject([{ data: { formId: made.form.id, reason: 'Agreed.' } }]);
};

it('before the event is recorded: the repeated request records it', async () => {
  const before = recordsInVault();
  const unlock = lock('facts');
  const lost = publish().catch(() => undefined);
  await eventually(() => expect(recordsInVault()).toBe(before + 1));
  await server.kill();
  unlock();
  expect([await lost, published()]).toEqual([undefined, []]);
  await expectPublishedOnce();
});

it('after the event is recorded: the repeated request responds with the same form and records nothing', async () => {
  const before = recordsInVault();
  const unlockFacts = lock('facts');
  const lost = publish().catch(() => undefined);
  await eventually(() => expect(recordsInVault()).toBe(before + 1));
  const unlockVault = lock('vault');
  unlockFacts();
  await eventually(() => expect(published()).toHaveLength(1));
  await server.kill();
  unlockVault();
  expect(await lost).toBeUndefined();
  await expectPublishedOnce();
});
