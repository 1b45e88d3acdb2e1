// The messages that a process left in the vault are sent by the next start of the built service.
import { expect, it, onTestFinished } from 'vitest';
import { entryOfMessage } from '../../../src/auth/codes/waiting-messages.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { signUp } from '../../http/support/signing-up.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { messagesIn } from '../../support/outbox.js';
import { Server } from '../../support/server.js';

const A_MINUTE_AGO = Date.now() - 60_000;

it('a notice that a process left behind reaches its user once', async () => {
  const directory = temporaryDirectory();
  const server = new Server(directory);
  await server.start();
  onTestFinished(async () => void (await server.stop()));
  const { id: userId, email } = await signUp(server);
  await server.stop();
  const vault = new SqliteVault(directory);
  const notice = { purpose: 'account-created', userId, language: 'en', at: A_MINUTE_AGO } as const;
  await vault.insert(entryOfMessage('left', notice, userId));
  await vault.close();
  await server.start();
  const subjects = () =>
    messagesIn(directory)
      .filter(({ to }) => to === email)
      .map(({ subject }) => subject)
      .toSorted();
  await eventually(() => expect(subjects()).toEqual(['Seu código de ativação', 'Your account was created']));
  await eventually(async () => expect((await server.get<string>('/metrics')).body).toContain('unqueued_messages 0'));
  await server.stop();
  const after = new SqliteVault(directory);
  expect(await after.ofKind('message', undefined, 10)).toEqual([]);
  await after.close();
});
