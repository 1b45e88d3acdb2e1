// The messages about decisions that wait in the vault of a backup, because the queue was unavailable: the service sends
// them, and a service on the restored stores does not send them again.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { MINUTES_2, messagesTo } from '../http/support/decision-messages.js';
import { createDoctor, successful } from '../http/support/samples.js';
import { movableClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { messagesIn } from '../support/outbox.js';
import { runCli } from '../support/process.js';
import { startServer } from '../support/processes.js';
import type { Server } from '../support/server.js';

/** A doctor whose profile awaits a decision. */
const newDoctor = async (server: Server) => {
  const { id, auth, profiles } = await createDoctor(server);
  return { email: `${first(auth).email}`, approval: `/users/${id}/profiles/${first(profiles).id}/approve` };
};

const messagesOf = ({ directory }: Server, { email }: { readonly email: string }) =>
  messagesTo({ outbox: () => messagesIn(directory) }, email);

it('a decision from before a restore sends no message, although the message waits in the backup', async () => {
  const clock = movableClock();
  const server = await startServer(temporaryDirectory(), 'all', clock.environment);
  const before = await newDoctor(server);
  // The message about the new account must not wait, too.
  await eventually(() => expect(messagesIn(server.directory).some(({ to }) => to === before.email)).toBe(true));
  const queue = new Database(join(server.directory, 'work.sqlite'));
  queue.exec('BEGIN IMMEDIATE');
  successful(await server.patch(before.approval, {}));
  await eventually(async () => expect((await server.get<string>('/metrics')).body).toMatch(/^unqueued_messages 1$/m));
  const backup = join(temporaryDirectory(), 'backup');
  expect(await runCli(server.directory, 'backup', backup)).toMatchObject({ code: 0, err: '' });
  queue.exec('ROLLBACK');
  queue.close();

  const directory = temporaryDirectory();
  copyFileSync(join(server.directory, 'master.key'), join(directory, 'master.key'));
  expect(await runCli(directory, 'restore', backup)).toMatchObject({ code: 0, err: '' });
  const restored = await startServer(directory, 'all', clock.environment);
  const after = await newDoctor(restored);
  successful(await restored.patch(after.approval, {}));
  clock.pass(MINUTES_2);
  await eventually(() => expect(messagesOf(restored, after)).toHaveLength(1));
  expect(messagesOf(restored, before)).toEqual([]);
  await eventually(() => expect(messagesOf(server, before)).toHaveLength(1));
});
