import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Continued, Sessions, sessionLimits, type Use } from '../../../src/auth/sessions/sessions.js';
import { newRefreshToken } from '../../../src/auth/tokens/refresh-tokens.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { uuidOf } from '../../support/specification.js';
import { aKey, Clock, openVaults, switchable } from '../auth-harness.js';

const USER = uuidOf(1);
const of = { userId: USER, platform: 'WEB', appName: 'a browser', epoch: 0 };

/** Sessions as two processes have them, on one vault and one clock. */
const opened = () => {
  const { vault, file, open } = openVaults();
  const clock = new Clock();
  const { store: through, away } = switchable(vault);
  const sessions = new Sessions(through, aKey(), clock.now);
  return { sessions, elsewhere: new Sessions(open(), aKey(), clock.now), vault, file, clock, away };
};
const continued = (use: Use): Continued => {
  if (use.outcome !== 'continued') throw new Error(`the refresh token is ${use.outcome}`);
  return use;
};

describe('a refresh token', () => {
  it('is 86 characters that tell nothing, and another one each time', async () => {
    const { sessions } = opened();
    const [one, other] = [await sessions.start(of), await sessions.start(of)];
    expect(one.refreshToken).toMatch(/^[\w-]{86}$/);
    expect(one.refreshToken).not.toBe(other.refreshToken);
    expect(one.session.id).not.toBe(other.session.id);
  });

  it('is good for one use, which gives the next one of the same session', async () => {
    const { sessions, clock } = opened();
    let { refreshToken, session } = await sessions.start(of);
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

  it('gives one successor to all who use it at once, in whatever process', async () => {
    const { sessions, elsewhere } = opened();
    const { refreshToken } = await sessions.start(of);
    const uses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? sessions : elsewhere).refresh(refreshToken)),
    );
    const successors = new Set(uses.map((use) => continued(use).refreshToken));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    expect(continued(await elsewhere.refresh(successor)).refreshToken).not.toBe(successor);
  });

  it('that was spent answers the same successor for 10 seconds, and ends the session after that', async () => {
    const { sessions, elsewhere, clock } = opened();
    const { refreshToken: parent, session } = await sessions.start(of);
    const { refreshToken } = continued(await sessions.refresh(parent));
    clock.pass(sessionLimits.graceMs);
    expect(continued(await elsewhere.refresh(parent)).refreshToken).toBe(refreshToken);
    expect(await sessions.examine(parent)).toMatchObject({ outcome: 'continued', refreshToken });
    clock.pass(1);
    expect(await elsewhere.refresh(parent)).toMatchObject({ outcome: 'reused', session: { id: session.id } });
    expect(await sessions.refresh(refreshToken)).toEqual({ outcome: 'unknown' });
  });

  it('older than the immediate parent ends the session at once, and only one of several uses reports it', async () => {
    const { sessions } = opened();
    const { refreshToken: grandparent } = await sessions.start(of);
    const { refreshToken: parent } = continued(await sessions.refresh(grandparent));
    const { refreshToken } = continued(await sessions.refresh(parent));
    const uses = await Promise.all(Array.from({ length: 5 }, () => sessions.refresh(grandparent)));
    expect(uses.filter(({ outcome }) => outcome === 'reused')).toHaveLength(1);
    expect(uses.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(4);
    expect(await sessions.refresh(refreshToken)).toEqual({ outcome: 'unknown' });
  });

  it('that was spent ends the session also where it is only shown', async () => {
    const { sessions, clock } = opened();
    const { refreshToken: parent, session } = await sessions.start(of);
    const { refreshToken } = continued(await sessions.refresh(parent));
    clock.pass(sessionLimits.graceMs + 1);
    expect(await sessions.examine(refreshToken)).toEqual({ outcome: 'continued', session, refreshToken });
    expect(await sessions.examine(parent)).toMatchObject({ outcome: 'reused', session: { id: session.id } });
    expect(await sessions.examine(refreshToken)).toEqual({ outcome: 'unknown' });
  });

  it('that was never issued harms no session, whatever id is in it', async () => {
    const { sessions } = opened();
    const { refreshToken, session } = await sessions.start(of);
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
    const { sessions, clock } = opened();
    const { refreshToken } = await sessions.start(of);
    clock.pass(sessionLimits.idleMs - 1);
    const next = continued(await sessions.refresh(refreshToken));
    clock.pass(sessionLimits.idleMs);
    expect(await sessions.refresh(next.refreshToken)).toEqual({ outcome: 'unknown' });
    expect(await sessions.ofUser(USER)).toEqual([]);
  });

  it('ends after 30 days, however often it is used, and its record with it', async () => {
    const { sessions, vault, clock } = opened();
    const started = await sessions.start(of);
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

  it('is live until it is ended, which is true once', async () => {
    const { sessions } = opened();
    const { session, refreshToken } = await sessions.start(of);
    expect(await sessions.isLive(session.id)).toBe(true);
    expect(await Promise.all([sessions.end(session.id), sessions.end(session.id)])).toEqual(
      expect.arrayContaining([true, false]),
    );
    expect(await sessions.isLive(session.id)).toBe(false);
    expect(await sessions.refresh(refreshToken)).toEqual({ outcome: 'unknown' });
    expect(await sessions.isLive(uuidOf(9))).toBe(false);
  });

  it('is its user’s, and ends with all of them alone', async () => {
    const { sessions, clock } = opened();
    const first = await sessions.start(of);
    clock.pass(1);
    const second = await sessions.start(of);
    const others = await sessions.start({ ...of, userId: uuidOf(2) });
    expect(await sessions.ofUser(USER)).toEqual([second.session, first.session]);
    await sessions.endAllOf(USER);
    expect(await sessions.ofUser(USER)).toEqual([]);
    expect(await sessions.get(others.session.id)).toEqual(others.session);
  });

  it('ends where its user begins too many, the one that was used the longest ago', async () => {
    const { sessions, clock } = opened();
    const others = await sessions.start({ ...of, userId: uuidOf(2) });
    const first = await sessions.start(of);
    clock.pass(1);
    const second = await sessions.start(of);
    clock.pass(1);
    const { session: used } = continued(await sessions.refresh(first.refreshToken));
    for (let n = 2; n < sessionLimits.ofUser; n += 1) {
      clock.pass(1);
      await sessions.start(of);
    }
    expect(await sessions.ofUser(USER)).toHaveLength(sessionLimits.ofUser);
    expect(await sessions.get(second.session.id)).toBeDefined();
    clock.pass(1);
    const { session: last } = await sessions.start(of);
    const left = await sessions.ofUser(USER);
    expect(left).toHaveLength(sessionLimits.ofUser);
    expect(left).toEqual(expect.arrayContaining([used, last]));
    expect(await sessions.get(second.session.id)).toBeUndefined();
    expect(await sessions.get(others.session.id)).toBeDefined();
  });

  it('is not lost while the vault is away', async () => {
    const { sessions, away } = opened();
    const { refreshToken, session } = await sessions.start(of);
    away(true);
    await expect(sessions.refresh(refreshToken)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(sessions.isLive(session.id)).rejects.toBeInstanceOf(StoreUnavailable);
    away(false);
    expect(await sessions.isLive(session.id)).toBe(true);
    expect(await sessions.refresh(refreshToken)).toMatchObject({ outcome: 'continued' });
  });

  it('leaves in the vault nothing that a token could be made of', async () => {
    const { sessions, vault, file } = opened();
    const { refreshToken: parent } = await sessions.start(of);
    const { refreshToken } = continued(await sessions.refresh(parent));
    await vault.close();
    const bytes = ['', '-wal'].map((end) => readFileSync(`${file}${end}`));
    expect(Buffer.concat(bytes).includes('a browser')).toBe(true);
    for (const token of [parent, refreshToken]) {
      for (const form of [token, Buffer.from(token, 'base64url').subarray(16, 48)]) {
        expect(Buffer.concat(bytes).includes(form)).toBe(false);
      }
    }
  });
});
