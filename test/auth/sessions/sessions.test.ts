import { describe, expect, it } from 'vitest';
import { type Continued, Sessions, sessionLimits, type Use } from '../../../src/auth/sessions/sessions.js';
import { newRefreshToken } from '../../../src/auth/tokens/refresh-tokens.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { uuidOf } from '../../support/specification.js';
import { aKey, Clock, switchable } from '../support/auth-harness.js';

const USER = uuidOf(1);
const request = { userId: USER, platform: 'WEB', appName: 'a browser', epoch: 0 };

/** Returns the sessions of two processes on one vault and one clock. */
const setUp = () => {
  const vault = new MemoryVault();
  const clock = new Clock();
  const { store: through, setUnavailable } = switchable(vault);
  const sessions = new Sessions(through, aKey(), clock.now);
  return { sessions, elsewhere: new Sessions(vault, aKey(), clock.now), vault, clock, setUnavailable };
};
const continued = (use: Use): Continued => {
  if (use.outcome !== 'continued') throw new Error(`the refresh token is ${use.outcome}`);
  return use;
};

describe('a refresh token', () => {
  it('is 86 opaque characters, different each time', async () => {
    const { sessions } = setUp();
    const [one, other] = [await sessions.start(request), await sessions.start(request)];
    expect(one.refreshToken).toMatch(/^[\w-]{86}$/);
    expect(one.refreshToken).not.toBe(other.refreshToken);
    expect(one.session.id).not.toBe(other.session.id);
  });

  it('is valid for one use, which returns the next token of the same session', async () => {
    const { sessions, clock } = setUp();
    let { refreshToken, session } = await sessions.start(request);
    for (const _ of [1, 2, 3]) {
      clock.pass(60_000);
      const next = continued(await sessions.refresh(refreshToken));
      expect(next.refreshToken).not.toBe(refreshToken);
      expect(next.session).toEqual({
        ...session,
        lastUsedAt: clock.now(),
        expiresAt: clock.now() + sessionLimits.idleMs,
      });
      ({ refreshToken, session } = next);
    }
  });

  it('returns the same successor to all concurrent uses, in every process', async () => {
    const { sessions, elsewhere } = setUp();
    const { refreshToken } = await sessions.start(request);
    const uses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? sessions : elsewhere).refresh(refreshToken)),
    );
    const successors = new Set(uses.map((use) => continued(use).refreshToken));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    expect(continued(await elsewhere.refresh(successor)).refreshToken).not.toBe(successor);
  });

  it('that was spent returns the same successor for 10 seconds, and ends the session after that', async () => {
    const { sessions, elsewhere, clock } = setUp();
    const { refreshToken: parent, session } = await sessions.start(request);
    const { refreshToken } = continued(await sessions.refresh(parent));
    clock.pass(sessionLimits.graceMs);
    expect(continued(await elsewhere.refresh(parent)).refreshToken).toBe(refreshToken);
    expect(await sessions.examine(parent)).toMatchObject({ outcome: 'continued', refreshToken });
    clock.pass(1);
    expect(await elsewhere.refresh(parent)).toMatchObject({ outcome: 'reused', session: { id: session.id } });
    expect(await sessions.refresh(refreshToken)).toEqual({ outcome: 'unknown' });
  });

  it.each([1, 2, 7, 20])('that was spent %i renewals ago returns the newest one for 10 seconds', async (renewals) => {
    const { sessions, elsewhere, clock } = setUp();
    const { refreshToken: spent, session } = await sessions.start(request);
    let newest = continued(await sessions.refresh(spent)).refreshToken;
    clock.pass(sessionLimits.graceMs - renewals);
    for (let n = 1; n < renewals; n += 1) {
      clock.pass(1);
      newest = continued(await (n % 2 ? elsewhere : sessions).refresh(newest)).refreshToken;
    }
    clock.pass(1);
    expect(await elsewhere.examine(spent)).toMatchObject({ outcome: 'continued', refreshToken: newest });
    expect(continued(await sessions.refresh(spent)).refreshToken).toBe(newest);
    clock.pass(1);
    expect(await sessions.refresh(spent)).toMatchObject({ outcome: 'reused', session: { id: session.id } });
    expect(await sessions.refresh(newest)).toEqual({ outcome: 'unknown' });
  });

  it('does not extend its 10 seconds when it or a later one is used', async () => {
    const { sessions, clock } = setUp();
    const { refreshToken: spent } = await sessions.start(request);
    let { refreshToken } = continued(await sessions.refresh(spent));
    for (const _ of [1, 2, 3, 4]) {
      clock.pass(sessionLimits.graceMs / 4);
      ({ refreshToken } = continued(await sessions.refresh(refreshToken)));
      expect(continued(await sessions.refresh(spent)).refreshToken).toBe(refreshToken);
    }
    clock.pass(1);
    expect(await sessions.refresh(spent)).toMatchObject({ outcome: 'reused' });
  });

  it('is remembered with at most 19 others, and an older one ends the session', async () => {
    const { sessions, vault } = setUp();
    const { refreshToken: first, session } = await sessions.start(request);
    const { refreshToken: second } = continued(await sessions.refresh(first));
    let refreshToken = second;
    let bytes = 0;
    for (let n = 0; n < 60; n += 1) {
      if (n === 20) {
        bytes = JSON.stringify(await vault.get({ kind: 'session', key: session.id })).length;
      }
      ({ refreshToken } = continued(await sessions.refresh(refreshToken)));
    }
    expect(JSON.stringify(await vault.get({ kind: 'session', key: session.id }))).toHaveLength(bytes);
    const uses = await Promise.all([first, second, first, second].map((token) => sessions.refresh(token)));
    expect(uses.filter(({ outcome }) => outcome === 'reused')).toHaveLength(1);
    expect(uses.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(3);
    expect(await sessions.refresh(refreshToken)).toEqual({ outcome: 'unknown' });
  });

  it.each([3_600_000, 86_400_000, 10_001])(
    'is not returned longer by another process if the clock was set back %i ms',
    async (ms) => {
      const { sessions, elsewhere, clock } = setUp();
      const { refreshToken: spent } = await sessions.start(request);
      await sessions.refresh(spent);
      clock.pass(-ms);
      expect(await elsewhere.refresh(spent)).toMatchObject({ outcome: 'reused' });
    },
  );

  it('that was spent ends the session even if it is only examined', async () => {
    const { sessions, clock } = setUp();
    const { refreshToken: parent, session } = await sessions.start(request);
    const { refreshToken } = continued(await sessions.refresh(parent));
    clock.pass(sessionLimits.graceMs + 1);
    expect(await sessions.examine(refreshToken)).toEqual({ outcome: 'continued', session, refreshToken });
    expect(await sessions.examine(parent)).toMatchObject({ outcome: 'reused', session: { id: session.id } });
    expect(await sessions.examine(refreshToken)).toEqual({ outcome: 'unknown' });
  });

  it('that was never issued affects no session, whatever id it contains', async () => {
    const { sessions } = setUp();
    const { refreshToken, session } = await sessions.start(request);
    const otherKey = await aKey('of somebody else')();
    const last = refreshToken.slice(-1);
    const alike = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter((c) => c !== last);
    const forged = [
      newRefreshToken(session.id, otherKey),
      refreshToken.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
      ...alike.map((c) => `${refreshToken.slice(0, -1)}${c}`),
      `${refreshToken}A`,
      '',
      'null',
      refreshToken.slice(1),
    ];
    for (const token of forged) expect(await sessions.refresh(token)).toEqual({ outcome: 'unknown' });
    expect(await sessions.refresh(refreshToken)).toMatchObject({ outcome: 'continued' });
  });
});

describe('a session', () => {
  it('ends after 7 days without a use', async () => {
    const { sessions, clock } = setUp();
    const { refreshToken } = await sessions.start(request);
    clock.pass(sessionLimits.idleMs - 1);
    const next = continued(await sessions.refresh(refreshToken));
    clock.pass(sessionLimits.idleMs);
    expect(await sessions.refresh(next.refreshToken)).toEqual({ outcome: 'unknown' });
    expect(await sessions.ofUser(USER)).toEqual([]);
  });

  it('ends after 30 days, however often it is used, and its record with it', async () => {
    const { sessions, vault, clock } = setUp();
    const started = await sessions.start(request);
    let { refreshToken } = started;
    for (const _ of [1, 2, 3, 4, 5]) {
      clock.pass(6 * 86_400_000 - 1);
      ({ refreshToken } = continued(await sessions.refresh(refreshToken)));
    }
    const record = await vault.get({ kind: 'session', key: started.session.id });
    expect(record?.expiresAt).toBe(started.session.createdAt + sessionLimits.absoluteMs);
    clock.pass(5);
    expect(await sessions.refresh(refreshToken)).toEqual({ outcome: 'unknown' });
  });

  it('is live until it is ended, and only the first end reports success', async () => {
    const { sessions } = setUp();
    const { session, refreshToken } = await sessions.start(request);
    expect(await sessions.isLive(session.id)).toBe(true);
    expect(await Promise.all([sessions.end(session.id), sessions.end(session.id)])).toEqual(
      expect.arrayContaining([true, false]),
    );
    expect(await sessions.isLive(session.id)).toBe(false);
    expect(await sessions.refresh(refreshToken)).toEqual({ outcome: 'unknown' });
    expect(await sessions.isLive(uuidOf(9))).toBe(false);
  });

  it('is listed for its user, and ends together with the other sessions of that user only', async () => {
    const { sessions, clock } = setUp();
    const first = await sessions.start(request);
    clock.pass(1);
    const second = await sessions.start(request);
    const others = await sessions.start({ ...request, userId: uuidOf(2) });
    expect(await sessions.ofUser(USER)).toEqual([second.session, first.session]);
    await sessions.endAllOf(USER);
    expect(await sessions.ofUser(USER)).toEqual([]);
    expect(await sessions.get(others.session.id)).toEqual(others.session);
  });

  it('ends if it is the least recently used when its user starts too many', async () => {
    const { sessions, clock } = setUp();
    const others = await sessions.start({ ...request, userId: uuidOf(2) });
    const first = await sessions.start(request);
    clock.pass(1);
    const second = await sessions.start(request);
    clock.pass(1);
    const { session: used } = continued(await sessions.refresh(first.refreshToken));
    for (let n = 2; n < sessionLimits.ofUser; n += 1) {
      clock.pass(1);
      await sessions.start(request);
    }
    expect(await sessions.ofUser(USER)).toHaveLength(sessionLimits.ofUser);
    expect(await sessions.get(second.session.id)).toBeDefined();
    clock.pass(1);
    const { session: last } = await sessions.start(request);
    const left = await sessions.ofUser(USER);
    expect(left).toHaveLength(sessionLimits.ofUser);
    expect(left).toEqual(expect.arrayContaining([used, last]));
    expect(await sessions.get(second.session.id)).toBeUndefined();
    expect(await sessions.get(others.session.id)).toBeDefined();
  });

  it('is not lost while the vault is unavailable', async () => {
    const { sessions, setUnavailable } = setUp();
    const { refreshToken, session } = await sessions.start(request);
    setUnavailable(true);
    await expect(sessions.refresh(refreshToken)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(sessions.isLive(session.id)).rejects.toBeInstanceOf(StoreUnavailable);
    setUnavailable(false);
    expect(await sessions.isLive(session.id)).toBe(true);
    expect(await sessions.refresh(refreshToken)).toMatchObject({ outcome: 'continued' });
  });

  it('leaves nothing in the vault from which a token could be made', async () => {
    const { sessions, vault } = setUp();
    const { refreshToken: parent } = await sessions.start(request);
    const { refreshToken } = continued(await sessions.refresh(parent));
    expect(vault.written()).toContain('a browser');
    for (const token of [parent, refreshToken]) {
      const secret = Buffer.from(token, 'base64url').subarray(16, 48);
      const forms = (['base64url', 'base64', 'hex'] as const).map((encoding) => secret.toString(encoding));
      for (const form of [token, ...forms]) expect(vault.written()).not.toContain(form);
    }
  });
});
