import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { authOf } from '../../src/auth/auth.js';
import { sessionLimits } from '../../src/auth/sessions/sessions.js';
import { operatorContext } from '../../src/cli/operator.js';
import { user } from '../../src/domain/user/user.js';
import { person } from '../domain/support/user-samples.js';
import { collect, newEvent, written } from '../infrastructure/facts/support/harness.js';
import { eventually } from '../support/eventually.js';
import { uuidOf } from '../support/specification.js';
import { codeIn, Inbox, relayOn, startDelivering } from './codes/support/codes-harness.js';
import { keepAtCost } from './support/auth-harness.js';
import { disable, enable, LATER, refresh, right, setUp, signIn } from './support/sign-in-harness.js';

describe('a session whose user was disabled or rejected', () => {
  it('is refused at its refresh if the process stopped before ending it, even after the user is enabled again', async () => {
    const { auth, handle, id } = await setUp();
    const { refreshToken } = await signIn(auth);
    await handle(user, id, disable, operatorContext());
    await handle(user, id, enable, operatorContext());
    await expect(refresh(auth, refreshToken)).rejects.toMatchObject({ code: 'refresh-refused' });
    expect(await auth.sessions.ofUser(id)).toEqual([]);
    const again = await signIn(auth);
    expect((await refresh(auth, again.refreshToken)).session.id).toBe(again.session.id);
  });

  it('is refused at its refresh if the vault was unavailable', async () => {
    const { auth, id, profileId, setUnavailable } = await setUp();
    const { refreshToken } = await signIn(auth);
    setUnavailable(true);
    const reject = { type: 'RejectProfile', data: { profileId, reason: null } } as const;
    expect((await auth.handle(user, id, reject, operatorContext())).events).toHaveLength(1);
    setUnavailable(false);
    expect(await auth.sessions.ofUser(id)).toHaveLength(1);
    await expect(refresh(auth, refreshToken)).rejects.toMatchObject({ code: 'refresh-refused' });
  });

  it('is ended immediately, and no concurrent sign-in leaves a session', async () => {
    const { auth, id } = await setUp();
    await signIn(auth);
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 4 }, () => signIn(auth)),
      auth.handle(user, id, disable, operatorContext()),
    ]);
    expect(outcomes.at(-1)?.status).toBe('fulfilled');
    expect(await auth.sessions.ofUser(id)).toEqual([]);
  });
});

describe('an access token that is verified against the current state', () => {
  it('has the current roles of its user', async () => {
    const { auth, handle, id, profileId } = await setUp();
    const { token } = await signIn(auth);
    const decide = (type: 'ApproveProfile' | 'RejectProfile') =>
      handle(user, id, { type, data: { profileId, reason: null } }, operatorContext());
    await decide('ApproveProfile');
    expect(await auth.guard.bearerOf(token)).toMatchObject({ userId: id, roles: [] });
    expect(await auth.guard.currentBearerOf(token)).toMatchObject({ userId: id, roles: ['DOCTOR_GENERALIST'] });
    // The session has not ended yet, as if the process had stopped before that or the vault had been unavailable.
    await decide('RejectProfile');
    expect(await auth.guard.currentBearerOf(token)).toBeUndefined();
  });

  it('is invalid once another process has ended its session', async () => {
    const { auth, elsewhere } = await setUp();
    const { token, session } = await signIn(auth);
    expect(await auth.guard.bearerOf(token)).toBeDefined();
    await elsewhere().sessions.end(session.id);
    expect(await auth.guard.bearerOf(token)).toBeDefined();
    expect(await auth.guard.currentBearerOf(token)).toBeUndefined();
  });
});

it('a sign-in has an old hash of its password made again after its response, and records nothing about that', async () => {
  const { means, facts, stores, id } = await setUp();
  const eventsOfUser = () => collect(facts.readStream(`user-${id}`));
  const before = await eventsOfUser();
  const failed = new Error('the disk is full');
  const errors: unknown[] = [];
  const auth = authOf(means, { onError: (error) => errors.push(error) });
  await keepAtCost(stores.vault, id, right.password, { timeCost: 1 });
  const isSignedIn = new AbortController();
  const hashing = new Promise<void>((_, reject) => isSignedIn.signal.addEventListener('abort', () => reject(failed)));
  vi.spyOn(means.passwords, 'renew').mockReturnValueOnce(hashing);
  await signIn(auth);
  isSignedIn.abort();
  await auth.signIns.settled();
  expect(errors).toEqual([failed]);
  await signIn(auth);
  await auth.signIns.settled();
  expect((await means.passwords.match(id, right.password))?.hash).toContain(',t=2,');
  const recorded = await collect(facts.readStream(`securityLog-${id}`));
  expect(recorded.map(({ type }) => type)).toEqual(['SignedIn', 'SignedIn']);
  expect(await eventsOfUser()).toEqual(before);
});

it('a sign-in reads one event of the security log, however long the log of the user is', async () => {
  const { auth, facts, id } = await setUp();
  const stream = `securityLog-${id}`;
  const data = { sessionId: uuidOf(7), platform: 'WEB' };
  const events = Array.from({ length: 1_000 }, () => ({ ...newEvent(data), type: 'SignedIn' }));
  written(await facts.append(stream, 'no-stream', events));
  const reads = vi.spyOn(facts, 'readStream');
  onTestFinished(() => void vi.restoreAllMocks());
  await signIn(auth);
  const last = { to: 0, limit: 1, backwards: true };
  expect(reads.mock.calls.filter(([name]) => name === stream)).toEqual([[stream, last]]);
  expect((await collect(facts.readStream(stream, { limit: 1, backwards: true })))[0]?.revision).toBe(1_000);
});

describe('a refresh while the facts are unavailable', () => {
  it('leaves the refresh token valid, however long the outage lasts', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { auth, id, stopFacts, restoreFacts } = await setUp();
    const { refreshToken, session } = await signIn(auth);
    stopFacts();
    for (const _ of [1, 2, 3]) {
      await expect(refresh(auth, refreshToken)).rejects.toMatchObject({ name: 'StoreUnavailable' });
      vi.setSystemTime(Date.now() + sessionLimits.graceMs + 1);
    }
    restoreFacts();
    const next = await refresh(auth, refreshToken);
    expect(next.session.id).toBe(session.id);
    expect(next.refreshToken).not.toBe(refreshToken);
    expect(await auth.sessions.ofUser(id)).toHaveLength(1);
  });
});

describe('the tokens that a client should keep', () => {
  it('are the access token and the newest refresh token, even if the client sends the previous one', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { auth } = await setUp();
    const { token, refreshToken: parent } = await signIn(auth);
    const keep = (refreshToken: string) => auth.signIns.sessionOf({ token, refreshToken }, operatorContext());
    expect(await keep(parent)).toMatchObject({ token, refreshToken: parent });
    const { refreshToken } = await refresh(auth, parent);
    // If the client kept the previous token, its next use would end the session.
    expect(await keep(parent)).toMatchObject({ token, refreshToken });
    vi.setSystemTime(Date.now() + sessionLimits.graceMs + 1);
    expect(await keep(parent)).toBeUndefined();
  });

  it('belong to one session', async () => {
    const { auth } = await setUp();
    const [{ token }, { refreshToken }] = [await signIn(auth), await signIn(auth)];
    expect(await auth.signIns.sessionOf({ token, refreshToken }, operatorContext())).toBeUndefined();
  });
});

describe('a code that is redeemed while the facts are unavailable', () => {
  const asking = { language: 'en', address: right.address } as const;

  it('stays valid, both for an activation and for a reset of the password', async () => {
    const { auth, id, stores, stopFacts, restoreFacts } = await setUp();
    const inbox = new Inbox();
    relayOn(stores);
    startDelivering(stores, inbox);
    await auth.signUps.sendActivationCode(id, 'EMAIL', asking);
    await eventually(() => expect(inbox.messages).toHaveLength(1));
    await auth.passwordChanges.sendResetCode(person.email, asking);
    await eventually(() => expect(inbox.messages).toHaveLength(2));
    const [activating = 'none', resetting = 'none'] = inbox.messages.map((message) => codeIn(message));
    const activate = () =>
      auth.signUps.activate(
        { ownerRef: id, code: activating, password: undefined, address: right.address },
        operatorContext(),
      );
    const newPassword = 'another staple';
    const reset = { email: person.email, code: resetting, newPassword, address: right.address };
    stopFacts();
    await expect(activate()).rejects.toMatchObject({ name: 'StoreUnavailable' });
    await expect(auth.passwordChanges.reset(reset, operatorContext())).rejects.toMatchObject({
      name: 'StoreUnavailable',
    });
    restoreFacts();
    expect((await activate()).events).toMatchObject([{ type: 'UserActivated' }]);
    await auth.passwordChanges.reset(reset, operatorContext());
    expect((await signIn(auth, { password: newPassword })).user.id).toBe(id);
  });
});

describe('a failed sign-in', () => {
  it('takes the same steps for an unknown e-mail and for a wrong password', async () => {
    const { auth, calls, elsewhere } = await setUp();
    const stepsOf = async (changes: object, process = auth) => {
      calls.length = 0;
      await expect(signIn(process, changes)).rejects.toMatchObject({ code: 'sign-in-refused' });
      const steps = [...calls];
      await process.signIns.settled();
      return steps.filter((step) => !step.endsWith(LATER));
    };
    // The first failure creates the record of the address.
    await stepsOf({ email: 'somebody@example.org' });
    const [wrong, unknown] = [await stepsOf({ password: 'wrong' }), await stepsOf({ email: 'nobody@example.org' })];
    expect(wrong.toSorted()).toEqual(unknown.toSorted());
    expect(wrong).toContain('readStream');
    // A process that reads the user for the first time must not differ either.
    const first = await stepsOf({ password: 'wrong' }, elsewhere());
    expect(first.filter((step) => step === 'readStream')).toHaveLength(1);
  });

  it('is recorded after its response', async () => {
    const { auth, calls } = await setUp();
    await expect(signIn(auth, { password: 'wrong' })).rejects.toMatchObject({ code: 'sign-in-refused' });
    await auth.signIns.settled();
    expect(calls.filter((call) => call === `append${LATER}`)).toHaveLength(1);
  });

  it('fails with a store error while a store is unavailable, and is not counted as a failure', async () => {
    const { auth, setUnavailable } = await setUp();
    setUnavailable(true);
    for (const _ of [1, 2, 3, 4, 5, 6, 7])
      await expect(signIn(auth)).rejects.toMatchObject({ name: 'StoreUnavailable' });
    setUnavailable(false);
    expect((await signIn(auth)).user.email).toBe(person.email);
  });
});
