// Delays, codes, sessions and tokens while the clock of the process is set.
import { describe, expect, it } from 'vitest';
import { type OwnersCodes, secretsOf } from '../../src/auth/codes/code-records.js';
import { type CodeRequest, Codes } from '../../src/auth/codes/codes.js';
import { codeLimits } from '../../src/auth/codes/limits.js';
import { entryOfMessage } from '../../src/auth/codes/waiting-messages.js';
import { issueNotices, moveCodes } from '../../src/auth/relay.js';
import { SignInFailures } from '../../src/auth/sessions/failures.js';
import { Sessions, sessionLimits } from '../../src/auth/sessions/sessions.js';
import { AccessTokens } from '../../src/auth/tokens/access-tokens.js';
import { SigningKeys } from '../../src/auth/tokens/signing-keys.js';
import { newUuid } from '../../src/commands/ids.js';
import { MemoryVault } from '../support/memory-vault.js';
import { steppedClock, steps, stepsBack } from '../support/stepped-clock.js';
import { aKey, times } from './support/auth-harness.js';

const ana = { email: 'ana@example.org', address: '192.0.2.1' };
const client = { userId: 'ana', platform: 'WEB', appName: null, epoch: 0 };
const request: CodeRequest = {
  purpose: 'activation',
  owner: ana.email,
  to: { userId: 'ana', contact: ana.email },
  channel: 'EMAIL',
  language: 'pt',
  address: ana.address,
};
const SECOND_MS = 1_000;

const waitIn = async (attempt: Promise<unknown>): Promise<number> => {
  const refused = await attempt.then(
    () => ({ retryAfterS: 0 }),
    (error: { retryAfterS?: number }) => error,
  );
  return refused.retryAfterS ?? Number.NaN;
};

describe('a wrong password', () => {
  const fail = (failures: SignInFailures) => failures.attempt(ana, async () => undefined);
  const succeed = (failures: SignInFailures) => failures.attempt(ana, async () => 'signed in');

  /** Returns the failures after eight wrong passwords, which have a delay of eight seconds. */
  const afterEight = async (pass: (ms: number) => Promise<void>) => {
    const vault = new MemoryVault();
    const failures = new SignInFailures(vault, aKey());
    for (const _ of times(8)) {
      await pass((await waitIn(succeedNot(failures))) * SECOND_MS);
      await fail(failures);
    }
    return { failures, elsewhere: new SignInFailures(vault, aKey()) };
  };
  // Learns the wait without a success, which would forget the failures.
  const succeedNot = (failures: SignInFailures) =>
    failures.attempt(ana, () => Promise.reject(Object.assign(new Error('stop'), { retryAfterS: 0 })));

  it.each(steps)('delays as long as the response said if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { failures } = await afterEight(pass);
    const told = await waitIn(succeedNot(failures));
    expect(told).toBe(8);
    step(ms);
    expect(await waitIn(succeedNot(failures))).toBeLessThanOrEqual(told);
    await pass(told * SECOND_MS);
    expect(await succeed(failures)).toBe('signed in');
  });

  it.each(steps)('delays no longer than the delay in another process if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { elsewhere } = await afterEight(pass);
    step(ms);
    const told = await waitIn(succeedNot(elsewhere));
    expect(told).toBeLessThanOrEqual(8);
    await pass(told * SECOND_MS);
    expect(await succeed(elsewhere)).toBe('signed in');
  });

  it.each(stepsBack)('is still counted if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { failures } = await afterEight(pass);
    step(ms);
    expect(await waitIn(fail(failures))).toBe(8);
    await pass(8 * SECOND_MS);
    await fail(failures);
    expect(await waitIn(fail(failures))).toBe(16);
  });
});

describe('a one-time code', () => {
  const open = (vault = new MemoryVault()) => ({
    vault,
    codes: new Codes({ vault, serviceKey: aKey(), onUnsent: () => {} }),
  });
  const messages = async (vault: MemoryVault) => (await vault.ofKind('message', undefined, 100)).length;

  it.each(steps)('is sent again a minute later if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { vault, codes } = open();
    await codes.issue(request);
    step(ms);
    await pass(codeLimits.resendMs);
    await codes.issue(request);
    // Messages expire after four days, whose end a clock that is set ahead passes.
    expect(await messages(vault)).toBe(ms > 4 * 86_400_000 ? 1 : 2);
  });

  it.each(stepsBack)('is sent again when another process says so if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { vault, codes } = open();
    await codes.issue(request);
    step(ms);
    const { codes: elsewhere } = open(vault);
    const { resendAfter, expiresAt } = await elsewhere.issue(request);
    expect(await messages(vault)).toBe(1);
    expect(resendAfter - Date.now()).toBeLessThanOrEqual(codeLimits.resendMs);
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(codeLimits.lifeMs);
    await pass(resendAfter - Date.now());
    await elsewhere.issue(request);
    expect(await messages(vault)).toBe(2);
  });

  it.each(stepsBack)(
    'can be redeemed for an hour and no longer while its message waits if the clock is set %s',
    async (_, ms) => {
      const { step, pass } = steppedClock();
      const { vault, codes } = open();
      const right = async () => {
        const [record] = await vault.ofKind<OwnersCodes>('code', undefined, 1);
        return (await secretsOf(aKey())).codeOf('activation', record?.value.codes.activation?.id ?? '');
      };
      const stop = new Error('the code is right');
      const tryIt = async () =>
        codes.redeem(ana.email, await right(), ['activation'], { accept: () => Promise.reject(stop) });
      await codes.issue(request);
      step(ms);
      await pass(codeLimits.waitMs - SECOND_MS);
      await expect(tryIt()).rejects.toBe(stop);
      await pass(SECOND_MS);
      await expect(tryIt()).rejects.toMatchObject({ code: 'code-refused' });
    },
  );

  it.each(steps)('is limited for as long as the response said if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { codes } = open();
    for (const n of times(codeLimits.ofOwner)) {
      await codes.issue({ ...request, confirms: n });
      await pass(SECOND_MS);
    }
    const again = () => waitIn(codes.issue({ ...request, confirms: 'again' }));
    const told = await again();
    expect(told).toBe(3_595);
    step(ms);
    await pass(told * SECOND_MS);
    expect(await again()).toBe(0);
  });
});

describe('a message', () => {
  const relay = async (vault: MemoryVault) => {
    const issued: unknown[] = [];
    const work = { enqueue: async () => {} };
    const dependencies = {
      vault,
      work,
      notify: async (notice: unknown) => issued.push(notice),
      log: { warn: () => {} },
    };
    await moveCodes(dependencies);
    await issueNotices(dependencies);
    return { issued, waiting: (await vault.ofKind('message', undefined, 9)).length };
  };

  it.each(stepsBack)('whose request ended is dealt with after a minute if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const vault = new MemoryVault();
    const notice = { purpose: 'email-change', userId: 'ana', language: 'pt' } as const;
    await vault.insert(entryOfMessage(`notice ${ms}`, { ...notice, at: Date.now() }, 'ana'));
    await vault.insert(entryOfMessage(`code ${ms}`, { record: 'none', language: 'pt', at: Date.now() }, null));
    step(ms);
    expect(await relay(vault)).toMatchObject({ issued: [], waiting: 2 });
    await pass(60_000);
    expect(await relay(vault)).toMatchObject({ issued: [notice], waiting: 0 });
  });
});

describe('a session', () => {
  const open = (vault = new MemoryVault()) => ({ vault, sessions: new Sessions(vault, aKey()) });

  it.each(stepsBack)('accepts a spent token in its grace and no longer if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { sessions } = open();
    const { refreshToken } = await sessions.start(client);
    const next = await sessions.refresh(refreshToken);
    step(ms);
    expect(await sessions.examine(refreshToken)).toEqual(next);
    await pass(sessionLimits.graceMs + SECOND_MS);
    expect(await sessions.examine(refreshToken)).toMatchObject({ outcome: 'reused' });
  });

  it.each(stepsBack.filter(([, ms]) => -ms > sessionLimits.graceMs))(
    'is ended by a token that another process spent if the clock is set %s',
    async (_, ms) => {
      const { step } = steppedClock();
      const { vault, sessions } = open();
      const { refreshToken } = await sessions.start(client);
      await sessions.refresh(refreshToken);
      step(ms);
      expect(await open(vault).sessions.examine(refreshToken)).toMatchObject({ outcome: 'reused' });
    },
  );

  it.each(stepsBack)('lasts at most its lifetime from its next use if the clock is set %s', async (_, ms) => {
    const { step } = steppedClock();
    const { sessions } = open();
    const { refreshToken } = await sessions.start(client);
    step(ms);
    const used = await sessions.refresh(refreshToken);
    if (used.outcome !== 'continued') throw new Error(used.outcome);
    expect(used.session.createdAt).toBe(Date.now());
    expect(used.session.expiresAt).toBe(Date.now() + sessionLimits.idleMs);
  });
});

describe('an access token', () => {
  const bearer = { userId: newUuid(), sessionId: newUuid(), roles: [], authTime: 0 };
  const open = (vault = new MemoryVault()) => {
    const keys = new SigningKeys(vault, aKey());
    return { vault, keys, tokens: new AccessTokens(keys, 'issuer') };
  };

  it.each(stepsBack)('is accepted for at most its lifetime if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { tokens } = open();
    const token = await tokens.issue(bearer);
    expect(await tokens.verify(token)).toEqual(bearer);
    step(ms);
    await pass(905_000);
    expect(await tokens.verify(token)).toBeUndefined();
  });

  it.each(stepsBack)('whose key was revoked elsewhere is refused in seconds if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { vault, keys, tokens } = open();
    const token = await tokens.issue(bearer);
    const [key] = await keys.published();
    step(ms);
    await open(vault).keys.revoke(key?.kid ?? '');
    await pass(5_000);
    expect(await tokens.verify(token)).toBeUndefined();
    expect(await keys.find(key?.kid ?? '')).toBeUndefined();
  });

  it.each(stepsBack)('has a key that verifies for no longer than its overlap if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const { keys } = open();
    const [before] = await keys.published();
    await keys.rotate();
    step(ms);
    expect((await keys.published()).map(({ kid }) => kid)).toContain(before?.kid);
    await pass(965_000);
    expect((await keys.published()).map(({ kid }) => kid)).not.toContain(before?.kid);
  });
});
