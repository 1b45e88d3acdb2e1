// The password of a user whose registration fails.
import { expect, it } from 'vitest';
import { Passwords } from '../../src/auth/passwords/passwords.js';
import { registerUser } from '../../src/auth/registration.js';
import { operatorContext } from '../../src/cli/operator.js';
import { ActorRefused } from '../../src/commands/context.js';
import type { CommandHandler } from '../../src/commands/handle-command.js';
import { user } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { person } from '../domain/support/user-samples.js';
import { MemoryVault } from '../support/memory-vault.js';
import { aKey, openCommands } from './support/auth-harness.js';

const password = 'correct horse';
const data = user.commands.RegisterUser.parse({ ...person, acceptedTerms: false });

const setUp = () => {
  const { vault, handle } = openCommands(new MemoryVault());
  const passwords = new Passwords(vault, aKey('passwords'));
  /** Registers the user. Returns the error, and the version of the password that is stored for the user. */
  const failedBy = async (by: CommandHandler) => {
    const context = operatorContext();
    const registering = registerUser({ handle: by, passwords }, { data, password }, context);
    const error: unknown = await registering.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { error, version: await passwords.versionOf(context.ids.aggregateId()) };
  };
  return { handle, failedBy };
};

it('the password of a user whose registration is refused is forgotten', async () => {
  const { handle, failedBy } = setUp();
  await handle(user, 'new', { type: 'RegisterUser', data }, operatorContext());
  const { error, version } = await failedBy(handle);
  expect(error).toMatchObject({ name: 'DomainError' });
  expect(version).toBeUndefined();
});

it('an actor who is rejected before the append registers nobody, and leaves the e-mail address to others', async () => {
  const { handle, failedBy } = setUp();
  const checkActor = async () => {
    // The append waits for nothing else: its claims are taken.
    expect((await failedBy(handle)).error).toMatchObject({ details: { errors: [{ code: 'reserved' }, {}] } });
    throw new ActorRefused('rejected');
  };
  const checking: CommandHandler = (decider, target, command, context) =>
    handle(decider, target, command, { ...context, checkActor });
  const { error, version } = await failedBy(checking);
  expect(error).toMatchObject({ name: 'ActorRefused', message: 'the actor may not act: rejected', cause: 'rejected' });
  expect(version).toBeUndefined();
  expect((await failedBy(handle)).error).toBeUndefined();
});

it('the password of a user who may have been registered is kept', async () => {
  const { handle, failedBy } = setUp();
  const outage = new StoreUnavailable('the facts', 'the response was lost');
  const losing: CommandHandler = async (...command) => {
    await handle(...command);
    throw outage;
  };
  const { error, version } = await failedBy(losing);
  expect(error).toBe(outage);
  expect(version).toBeDefined();
});
