// What ends a session, which tokens are valid until then, and what the security log of the user records of both.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { authOf } from '../../src/auth/auth.js';
import { Refused } from '../../src/auth/refused.js';
import { sessionLimits } from '../../src/auth/sessions/sessions.js';
import { operatorContext } from '../../src/cli/operator.js';
import { user } from '../../src/domain/user/user.js';
import { collect } from '../infrastructure/facts/support/harness.js';
import { disable, refresh, setUp, signIn } from './support/sign-in-harness.js';

/** Returns a user with two sessions, and what the log records after their start: type, data and actor. */
const setUpTwo = async () => {
  const given = await setUp();
  const { auth, facts, id } = given;
  const [one, other] = [await signIn(auth), await signIn(auth)];
  const recorded = async () => {
    await auth.signIns.settled();
    const events = await collect(facts.readStream(`securityLog-${id}`, { from: 2 }));
    return events.map(({ type, data, metadata: { actor } }) => [type, data, actor.id]);
  };
  const open = async () => (await auth.sessions.ofUser(id)).map((session) => session.id);
  return { ...given, one, other, recorded, open };
};

describe('a sign-out', () => {
  it('ends the sessions of all valid tokens, and is recorded once for each as an act of the user', async () => {
    const { auth, id, one, other, recorded, open } = await setUpTwo();
    const signOut = () => auth.signIns.signOut([one.token, 'none', one.token], other.refreshToken, operatorContext());
    await signOut();
    await signOut();
    expect(await open()).toEqual([]);
    const ended = [one, other].map(({ session }) => ['SignedOut', { sessionId: session.id, by: 'sign-out' }, id]);
    expect(await recorded()).toEqual(ended);
  });

  it('from the list of sessions ends a session of the user, and of nobody else', async () => {
    const { auth, id, one, other, recorded, open } = await setUpTwo();
    const end = (userId: string, sessionId: string) => auth.signIns.end(userId, sessionId, operatorContext());
    await expect(end('somebody', one.session.id)).rejects.toMatchObject({ code: 'session-not-found' });
    await expect(end(id, 'none')).rejects.toMatchObject({ code: 'session-not-found' });
    await end(id, one.session.id);
    expect(await open()).toEqual([other.session.id]);
    const isActive = [one, other].map(({ session }) => auth.signIns.isActive(session.id));
    expect(await Promise.all(isActive)).toEqual([false, true]);
    expect(await recorded()).toEqual([['SignedOut', { sessionId: one.session.id, by: 'session-list' }, id]]);
  });
});

it('the second use of a refresh token ends its session and is recorded, at a refresh and when tokens are checked', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { auth, one, other, recorded, open } = await setUpTwo();
  for (const { refreshToken } of [one, other]) await refresh(auth, refreshToken);
  vi.setSystemTime(Date.now() + sessionLimits.graceMs + 1);
  await expect(refresh(auth, one.refreshToken)).rejects.toMatchObject({ code: 'refresh-refused' });
  expect(await auth.signIns.areValid({ ...other }, operatorContext())).toBe(false);
  expect(await open()).toEqual([]);
  const reused = [one, other].map(({ session }) => ['SessionReuseDetected', { sessionId: session.id }, 'operator']);
  expect(await recorded()).toEqual(reused);
});

it('tokens are valid unless one is invalid or they belong to two sessions', async () => {
  const { auth, one, other } = await setUpTwo();
  const [token, refreshToken] = [undefined, undefined];
  const valid = [{ token, refreshToken }, { ...one, token }, { ...one, refreshToken }, one];
  const invalid = [
    { ...one, token: other.token },
    { token: 'none', refreshToken },
    { token, refreshToken: 'none' },
  ];
  for (const given of valid) expect(await auth.signIns.areValid(given, operatorContext())).toBe(true);
  for (const given of invalid) expect(await auth.signIns.areValid(given, operatorContext())).toBe(false);
});

it('a refused sign-in is recorded with its reason, and names the user who still has to be activated', async () => {
  const { means, handle, id, recorded } = await setUpTwo();
  const auth = authOf(means, { isActivationRequired: true });
  const refused = async (changes: object = {}) => {
    const error: unknown = await signIn(auth, changes).catch((thrown: unknown) => thrown);
    await auth.signIns.settled();
    return error instanceof Refused ? [error.code, error.extensions] : error;
  };
  expect(await refused({ password: 'wrong' })).toEqual(['sign-in-refused', {}]);
  expect(await refused()).toEqual(['activation-required', { ownerRef: id }]);
  await handle(user, id, disable, operatorContext());
  expect(await refused()).toEqual(['user-disabled', {}]);
  const reasons = ['wrong-password', 'activation-required', 'user-disabled'];
  expect(await recorded()).toEqual(reasons.map((reason) => ['SignInFailed', { reason }, 'operator']));
});
