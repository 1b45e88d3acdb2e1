import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { authOf } from '../../src/auth/auth.js';
import { secretsOf } from '../../src/auth/codes/code-records.js';
import { Codes } from '../../src/auth/codes/codes.js';
import { Passwords } from '../../src/auth/passwords/passwords.js';
import { registerUser } from '../../src/auth/registration.js';
import { operatorContext } from '../../src/cli/operator.js';
import type { CommandHandler } from '../../src/commands/handle-command.js';
import { newUuid } from '../../src/commands/ids.js';
import { comparableEmail } from '../../src/domain/comparable.js';
import { user } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { person } from '../domain/support/user-samples.js';
import { MemoryVault } from '../support/memory-vault.js';
import { aKey, openCommands } from './support/auth-harness.js';

const [OLD, NEW, ADDRESS] = ['correct horse', 'another staple', '192.0.2.1'];
const client = {
  email: person.email,
  platform: 'WEB',
  appName: null,
  address: ADDRESS,
  count: async () => {},
} as const;
const outage = new StoreUnavailable('the facts', 'they are unavailable');

/**
 * Registers a user who may sign in. The `hooks` run after a password is checked, after a password is replaced, and
 * before a new password is recorded.
 */
const setUp = async () => {
  const hooks = { match: async () => {}, replaced: async () => {}, handle: async () => {} };
  const parts = openCommands(new MemoryVault());
  const { vault, handle: recorded } = parts;
  class Watched extends Passwords {
    override async match(userId: string | undefined, password: string) {
      const version = await super.match(userId, password);
      await hooks.match();
      return version;
    }
    override async replace(...given: Parameters<Passwords['replace']>) {
      const isReplaced = await super.replace(...given);
      await hooks.replaced();
      return isReplaced;
    }
  }
  const passwords = new Watched(vault, aKey('passwords'));
  const handle: CommandHandler = async (decider, target, command, context) => {
    if (command.type === 'ChangePassword') await hooks.handle();
    return recorded(decider, target, command, context);
  };
  const auth = authOf({ ...parts, handle, passwords }, {});
  onTestFinished(() => auth.signIns.settled());
  const data = user.commands.RegisterUser.parse({ ...person, acceptedTerms: false });
  const { id } = await registerUser({ handle, passwords }, { data, password: OLD }, operatorContext());
  const signIn = (password = OLD) => auth.signIns.signIn({ ...client, password }, operatorContext());
  const change = (newPassword = NEW, currentPassword = OLD) =>
    auth.passwordChanges.change({ userId: id, currentPassword, newPassword, address: ADDRESS }, operatorContext());
  return { auth, passwords, hooks, id, signIn, change, vault };
};

describe('a new password', () => {
  it('ends a session that was about to begin with the old password', async () => {
    const { auth, hooks, id, signIn, change } = await setUp();
    // The old password is found correct, then the whole change happens, then the sign-in continues.
    hooks.match = async () => {
      hooks.match = async () => {};
      await change();
    };
    // The change would wait for the sign-in attempt of the same address, so the attempt uses another address.
    const elsewhere = { ...client, address: '192.0.2.2', password: OLD };
    await expect(auth.signIns.signIn(elsewhere, operatorContext())).rejects.toMatchObject({ code: 'sign-in-refused' });
    expect(await auth.sessions.ofUser(id)).toEqual([]);
    expect((await signIn(NEW)).user.id).toBe(id);
  });

  it('ends the sessions even if it cannot be recorded, and the user always has a password', async () => {
    const { auth, hooks, id, signIn, change } = await setUp();
    await signIn();
    hooks.handle = () => Promise.reject(outage);
    await expect(change()).rejects.toBe(outage);
    expect(await auth.sessions.ofUser(id)).toEqual([]);
    await expect(signIn()).rejects.toMatchObject({ code: 'sign-in-refused' });
    hooks.handle = async () => {};
    expect((await signIn(NEW)).user.id).toBe(id);
  });

  it('ends the sessions even if the response of the vault is lost', async () => {
    const { auth, hooks, id, signIn, change } = await setUp();
    await signIn();
    hooks.replaced = () => Promise.reject(outage);
    await expect(change()).rejects.toBe(outage);
    expect(await auth.sessions.ofUser(id)).toEqual([]);
    hooks.replaced = async () => {};
    expect((await signIn(NEW)).user.id).toBe(id);
  });

  it('ends the sessions even if they cannot be removed, because the change is recorded', async () => {
    const { auth, hooks, id, change } = await setUp();
    let refreshToken = '';
    hooks.replaced = async () => {
      // A session that began meanwhile with the old password.
      const request = { userId: id, platform: 'WEB', appName: null, epoch: 0 };
      ({ refreshToken } = await auth.sessions.start(request));
      vi.spyOn(auth.sessions, 'endAllOf').mockRejectedValue(outage);
    };
    await change();
    expect(await auth.sessions.ofUser(id)).toHaveLength(1);
    const refreshing = auth.signIns.refresh(refreshToken, operatorContext());
    await expect(refreshing).rejects.toMatchObject({ code: 'refresh-refused' });
  });

  it('is not kept for a user who was erased meanwhile', async () => {
    const { auth, hooks, id, passwords, change, vault } = await setUp();
    hooks.handle = async () => {
      await vault.removeSubject(id);
      await auth.handle(user, id, { type: 'EraseUser', data: { reason: 'asked for' } }, operatorContext());
      await passwords.keep(id, NEW);
    };
    await expect(change()).rejects.toMatchObject({ code: 'user-erased' });
    expect(await passwords.versionOf(id)).toBeUndefined();
  });

  it('is one of two concurrent changes, and ends the earlier sessions', async () => {
    const { auth, id, signIn, change } = await setUp();
    await signIn();
    const outcomes = await Promise.allSettled([change('the first staple'), change('the second staple')]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'current-password-refused' } }]);
    expect(await auth.sessions.ofUser(id)).toEqual([]);
    const signedIn = await Promise.allSettled([signIn('the first staple'), signIn('the second staple')]);
    expect(signedIn.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('does not replace a password that another request has set since the current password was checked', async () => {
    const { hooks, id, passwords, signIn, change } = await setUp();
    hooks.match = async () => {
      hooks.match = async () => {};
      await passwords.replace(id, 'the first staple', await passwords.versionOf(id));
    };
    await expect(change()).rejects.toMatchObject({ code: 'current-password-refused' });
    expect((await signIn('the first staple')).user.id).toBe(id);
  });

  it('replaces the current password although that was hashed again meanwhile', async () => {
    const { hooks, id, passwords, signIn, change } = await setUp();
    hooks.match = async () => {
      hooks.match = async () => {};
      await passwords.replace(id, OLD, await passwords.versionOf(id));
    };
    await change();
    expect((await signIn(NEW)).user.id).toBe(id);
  });
});

describe('the code of a new account', () => {
  /** Issues the code to a user. Returns the function that redeems it for a new password. */
  const invited = async ({ auth, id, vault }: Awaited<ReturnType<typeof setUp>>, userId = id) => {
    const codes = new Codes({ vault, serviceKey: aKey('codes'), onUnsent: () => {} });
    const [to, owner] = [{ userId, contact: person.email }, comparableEmail(person.email)];
    await codes.issue({ purpose: 'account-created', owner, to, channel: 'EMAIL', language: 'en' });
    const [message] = await vault.ofKind('message', undefined, 1);
    const code = (await secretsOf(aKey('codes'))).codeOf('account-created', message?.key ?? '');
    const reset = { email: person.email, code, newPassword: 'a third one', address: ADDRESS };
    return () => auth.passwordChanges.reset(reset, operatorContext());
  };

  it('sets the password', async () => {
    const fixture = await setUp();
    await (await invited(fixture))();
    expect((await fixture.signIn('a third one')).user.id).toBe(fixture.id);
  });

  it('is void once the user has changed the password', async () => {
    const fixture = await setUp();
    const redeem = await invited(fixture);
    await fixture.change();
    await expect(redeem()).rejects.toMatchObject({ code: 'code-refused' });
  });

  it('does not set the password of another user, who now has its e-mail address', async () => {
    const fixture = await setUp();
    const redeem = await invited(fixture, newUuid());
    await expect(redeem()).rejects.toMatchObject({ code: 'code-refused' });
    expect((await fixture.signIn()).user.id).toBe(fixture.id);
  });

  it('does not set the password of a user who is disabled', async () => {
    const { auth, id, passwords, ...fixture } = await setUp();
    const redeem = await invited({ auth, id, passwords, ...fixture });
    await auth.handle(user, id, { type: 'ReviseUser', data: { enabled: false } }, operatorContext());
    await expect(redeem()).rejects.toMatchObject({ code: 'code-refused' });
    expect(await passwords.verify(id, OLD)).toBe(true);
  });
});

describe('a password that is replaced', () => {
  it('must have the version that the change names', async () => {
    const { passwords, id } = await setUp();
    const version = (await passwords.match(id, OLD))?.version;
    expect(await passwords.versionOf(id)).toBe(version);
    expect(await passwords.match(id, NEW)).toBeUndefined();
    expect(await passwords.replace(id, NEW, version)).toBe(true);
    expect(await passwords.replace(id, 'a third one', version)).toBe(false);
    expect(await passwords.replace(id, 'a third one', undefined)).toBe(false);
    expect([await passwords.verify(id, NEW), await passwords.verify(id, OLD)]).toEqual([true, false]);
    await passwords.forget(id);
    expect(await passwords.replace(id, OLD, undefined)).toBe(true);
    expect(await passwords.verify(id, OLD)).toBe(true);
  });
});
