// The notifications of a recorded change are sent, whatever happens to its request afterwards.
import { describe, expect, it, vi } from 'vitest';
import { type CodeRequest, Codes } from '../../src/auth/codes/codes.js';
import { ContactChanges } from '../../src/auth/contact-changes.js';
import { Passwords } from '../../src/auth/passwords/passwords.js';
import { issueNotices, moveCodes } from '../../src/auth/relay.js';
import { operatorContext } from '../../src/cli/operator.js';
import { PreconditionFailed } from '../../src/commands/context.js';
import type { CommandHandler } from '../../src/commands/handle-command.js';
import { user } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { person } from '../domain/support/user-samples.js';
import { eventually } from '../support/eventually.js';
import { MemoryVault } from '../support/memory-vault.js';
import { aKey, Clock, openCommands } from './support/auth-harness.js';

const MINUTE_MS = 60_000;
const NEW_EMAIL = 'new@example.org';
const language = 'en' as const;
const outage = new StoreUnavailable('the vault', 'it is unavailable');
const data = user.commands.RegisterUser.parse({ ...person, acceptedTerms: false });

/**
 * Returns functions on users, the requested messages, and `hooks` that run after an append and before a message is
 * stored.
 */
const setUp = async () => {
  const hooks = { recorded: async () => {}, issue: async () => {} };
  const { vault, handle: recorded, streams, claims } = openCommands(new MemoryVault());
  const handle: CommandHandler = async (...command) => {
    const outcome = await recorded(...command);
    await hooks.recorded();
    return outcome;
  };
  const clock = new Clock();
  const sent: Pick<CodeRequest, 'purpose' | 'to'>[] = [];
  class Watched extends Codes {
    override async issue(request: CodeRequest) {
      await hooks.issue();
      const issued = await super.issue(request);
      sent.push({ purpose: request.purpose, to: request.to });
      return issued;
    }
  }
  const codes = new Watched({ vault, serviceKey: aKey('codes'), onUnsent: () => {}, now: clock.now });
  const parts = { handle, streams, claims, passwords: new Passwords(vault, aKey('passwords')), codes };
  const changes = new ContactChanges(parts, {});
  const work = { enqueue: async () => {} };
  const callbacks = { notify: changes.notify.bind(changes), log: { warn: () => {} } };
  /** Moves the waiting messages on, as the relay of a process does. */
  const relay = async () => {
    const dependencies = { vault, work, ...callbacks, now: clock.now };
    await moveCodes(dependencies);
    await issueNotices(dependencies);
  };
  const register = () => changes.register({ data, password: 'correct horse' }, { language, by: operatorContext() });
  const revise = (userId: string, given: { email?: string; firstName?: string } = { email: NEW_EMAIL }) =>
    changes.revise(userId, given, { language, by: operatorContext() });
  /** Registers a user, and clears the messages of the registration. */
  const registered = async () => {
    const { outcome } = await register();
    sent.length = 0;
    return outcome.id;
  };
  const later = async () => {
    clock.pass(MINUTE_MS);
    await relay();
  };
  return { ...parts, changes, relay, clock, hooks, sent, register, registered, revise, later };
};

const bothFor = (userId: string) => [
  { purpose: 'email-change', to: { userId, contact: NEW_EMAIL } },
  { purpose: 'email-changed', to: { userId, contact: person.email } },
];

describe('a change of the contact address', () => {
  it('sends both messages once, and has no pending notification after that', async () => {
    const { registered, revise, later, sent } = await setUp();
    const id = await registered();
    await revise(id);
    expect(sent).toEqual(bothFor(id));
    await later();
    expect(sent).toHaveLength(2);
  });

  it('succeeds if the vault is unavailable right after the event, and sends both messages later', async () => {
    const { registered, revise, later, hooks, sent } = await setUp();
    const id = await registered();
    hooks.issue = () => Promise.reject(outage);
    const { outcome } = await revise(id);
    expect(outcome.events).toMatchObject([{ type: 'UserRevised' }]);
    expect(sent).toEqual([]);
    hooks.issue = async () => {};
    await later();
    expect(sent).toEqual(bothFor(id));
    await later();
    expect(sent).toHaveLength(2);
  });

  it('sends both messages if the process is killed right after the event', async () => {
    const { registered, revise, later, hooks, sent, streams } = await setUp();
    const id = await registered();
    hooks.recorded = () => new Promise(() => {});
    void revise(id);
    await eventually(async () => expect((await streams.fresh(user, id)).revision).toBe(1));
    await later();
    expect(sent).toEqual(bothFor(id));
  });

  it('sends the second message if the process is killed between the two', async () => {
    const { registered, revise, later, hooks, sent } = await setUp();
    const id = await registered();
    hooks.issue = vi
      .fn(async () => {})
      .mockResolvedValueOnce(undefined)
      .mockReturnValueOnce(new Promise(() => {}));
    void revise(id);
    await eventually(() => expect(hooks.issue).toHaveBeenCalledTimes(2));
    await later();
    expect(sent.map(({ purpose }) => purpose)).toEqual(['email-change', 'email-change', 'email-changed']);
  });

  it('sends nothing again while its request is under way, and sends each message once if two processes look', async () => {
    const { registered, revise, relay, clock, hooks, sent, streams } = await setUp();
    const id = await registered();
    hooks.recorded = () => new Promise(() => {});
    void revise(id);
    await eventually(async () => expect((await streams.fresh(user, id)).revision).toBe(1));
    clock.pass(MINUTE_MS - 1);
    await relay();
    expect(sent).toEqual([]);
    clock.pass(1);
    await Promise.all([relay(), relay()]);
    expect(sent).toEqual(bothFor(id));
  });

  it('still has a pending notification if the second attempt fails too', async () => {
    const { registered, revise, later, hooks, sent } = await setUp();
    const id = await registered();
    hooks.issue = () => Promise.reject(outage);
    await revise(id);
    await expect(later()).rejects.toBe(outage);
    hooks.issue = async () => {};
    await later();
    expect(sent).toEqual(bothFor(id));
  });

  it('has no pending notification if it was refused, or changed another field', async () => {
    const { registered, revise, later, handle, changes, sent } = await setUp();
    const id = await registered();
    const by = { ...operatorContext(), precondition: [7] };
    await expect(changes.revise(id, { email: NEW_EMAIL }, { language, by })).rejects.toThrow(PreconditionFailed);
    await handle(user, id, { type: 'ReviseUser', data: { email: NEW_EMAIL, reapproval: false } }, operatorContext());
    await revise(id, { firstName: 'Bia' });
    await later();
    expect(sent).toEqual([]);
  });

  it('owes nothing to a person who was erased meanwhile', async () => {
    const { registered, revise, later, handle, hooks, sent } = await setUp();
    const id = await registered();
    hooks.issue = () => Promise.reject(outage);
    await revise(id);
    hooks.issue = async () => {};
    await handle(user, id, { type: 'EraseUser', data: { reason: 'asked' } }, operatorContext());
    await later();
    expect(sent).toEqual([]);
  });
});

describe('an account that an administrator creates', () => {
  it('is announced to its user even if the vault is unavailable right after the event', async () => {
    const { register, later, hooks, sent } = await setUp();
    hooks.issue = () => Promise.reject(outage);
    const { outcome } = await register();
    expect(sent).toEqual([]);
    hooks.issue = async () => {};
    await later();
    expect(sent).toEqual([{ purpose: 'account-created', to: { userId: outcome.id, contact: person.email } }]);
  });

  it('owes nothing if the e-mail was taken', async () => {
    const { register, later, sent } = await setUp();
    await register();
    await expect(register()).rejects.toMatchObject({ code: 'user-taken' });
    await later();
    expect(sent).toHaveLength(1);
  });
});
