// Sign-ins that events or quotas end, while a store takes no write or the log is silent.
import { describe, expect, it } from 'vitest';
import { authOf } from '../../src/auth/auth.js';
import { operatorContext } from '../../src/cli/operator.js';
import { user } from '../../src/domain/user/user.js';
import { eventually } from '../support/eventually.js';
import { disable, enable, setUp, signIn } from './support/sign-in-harness.js';

describe('an access token whose user was rejected while the vault took no write', () => {
  const setUpRejected = async () => {
    const given = await setUp();
    const { auth, id, profileId, setUnavailable } = given;
    const { token } = await signIn(auth);
    const other = given.elsewhere();
    setUnavailable(true);
    await auth.handle(
      user,
      id,
      { type: 'RejectProfile', data: { profileId, reason: null } } as const,
      operatorContext(),
    );
    setUnavailable(false);
    expect(await auth.sessions.ofUser(id)).toHaveLength(1);
    return { ...given, token, other };
  };

  it('is invalid for reads at every process', async () => {
    const { auth, token, other } = await setUpRejected();
    expect(await auth.guard.bearerOf(token)).toBeUndefined();
    expect(await other.guard.bearerOf(token)).toBeUndefined();
  });

  it('is invalid for reads within 5 s at a process that has just accepted it', async () => {
    const { auth, id, handle, elsewhere } = await setUp();
    const { token } = await signIn(auth);
    const other = elsewhere();
    expect(await other.guard.bearerOf(token)).toBeDefined();
    // As if the vault were unavailable: `handle` ends no session.
    await handle(user, id, disable, operatorContext());
    await eventually(async () => expect(await other.guard.bearerOf(token)).toBeUndefined());
  });

  it('is valid for reads while the log is silent, unless the process knows of the rejection', async () => {
    const { auth, token, other, stopFacts } = await setUpRejected();
    stopFacts();
    expect(await auth.guard.bearerOf(token)).toBeUndefined();
    expect(await other.guard.bearerOf(token)).toBeDefined();
  });

  it('does not concern a later session, although the process knows of no later event', async () => {
    const { auth, id, handle, elsewhere, stopFacts } = await setUp();
    const other = elsewhere();
    expect(await other.guard.bearerOf((await signIn(auth)).token)).toBeDefined();
    await handle(user, id, disable, operatorContext());
    await handle(user, id, enable, operatorContext());
    const { token } = await signIn(auth);
    stopFacts();
    expect(await other.guard.bearerOf(token)).toBeDefined();
  });
});

describe('an initial password that works once', () => {
  const setUpOnce = async () => {
    const given = await setUp({ isInitial: true });
    return { ...given, once: authOf(given.means, { isInitialPasswordUsedOnce: true }) };
  };

  it('still works after a sign-in that failed because the log was unavailable', async () => {
    const { once, stopFacts, restoreFacts } = await setUpOnce();
    const count = async () => stopFacts();
    await expect(signIn(once, { count })).rejects.toMatchObject({ name: 'StoreUnavailable' });
    restoreFacts();
    await signIn(once);
    await expect(signIn(once)).rejects.toMatchObject({ code: 'password-change-required' });
  });

  it('lets one of several concurrent sign-ins in, and leaves one session', async () => {
    const { once, id } = await setUpOnce();
    const outcomes = await Promise.allSettled([1, 2, 3].map((n) => signIn(once, { address: `192.0.2.${n}` })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of outcomes) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'password-change-required' });
    }
    expect(await once.sessions.ofUser(id)).toHaveLength(1);
  });
});

describe('the quota of sign-ins', () => {
  it('counts each right password, also of a refused sign-in, and no wrong password', async () => {
    const { auth, handle, id } = await setUp();
    const counted: string[] = [];
    const count = async (userId: string) => void counted.push(userId);
    await signIn(auth, { count });
    for (const wrong of [{ password: 'wrong' }, { email: 'nobody@example.org' }]) {
      await expect(signIn(auth, { count, ...wrong })).rejects.toMatchObject({ code: 'sign-in-refused' });
    }
    expect(counted).toEqual([id]);
    await handle(user, id, disable, operatorContext());
    await expect(signIn(auth, { count })).rejects.toMatchObject({ code: 'user-disabled' });
    expect(counted).toEqual([id, id]);
  });

  it('refuses a sign-in without a record, a session or a failure', async () => {
    const { auth, id, calls } = await setUp();
    calls.length = 0;
    const count = () => Promise.reject(new Error('too many'));
    for (const _ of Array.from({ length: 7 })) await expect(signIn(auth, { count })).rejects.toThrow('too many');
    await auth.signIns.settled();
    expect(calls.filter((call) => call.startsWith('append'))).toEqual([]);
    expect(await auth.sessions.ofUser(id)).toEqual([]);
    await signIn(auth);
  });
});
