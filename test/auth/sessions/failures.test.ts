import { describe, expect, it } from 'vitest';
import { Refused } from '../../../src/auth/refused.js';
import { freeFailures, SignInFailures } from '../../../src/auth/sessions/failures.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { aKey, Clock, times } from '../support/auth-harness.js';

const setUp = () => {
  const vault = new MemoryVault();
  const clock = new Clock();
  const failures = new SignInFailures(vault, aKey(), clock.now);
  return { failures, elsewhere: new SignInFailures(vault, aKey(), clock.now), vault, clock };
};
type Failures = ReturnType<typeof setUp>['failures'];

const ana = { email: 'ana@example.org', address: '192.0.2.1' };
const wrong = async () => undefined;
const right = async () => 'in';
const fail = async (failures: Failures, who: typeof ana, count: number) => {
  for (const _ of times(count)) expect(await failures.attempt(who, wrong)).toBeUndefined();
};
/** Returns the seconds until the next allowed attempt, or 0 if the attempt is allowed. */
const waitOf = async (failures: Failures, who: typeof ana): Promise<number> => {
  try {
    await failures.attempt(who, right);
    return 0;
  } catch (error) {
    expect(error).toMatchObject({ code: 'too-many-failures' });
    return (error as Refused).retryAfterS ?? 0;
  }
};

describe('failed sign-ins', () => {
  it('delay the next attempt after five failures, each twice as long, in every process', async () => {
    const { failures, elsewhere, clock } = setUp();
    await fail(failures, ana, freeFailures.pair);
    const waits: number[] = [];
    for (const _ of times(12)) {
      waits.push(await waitOf(elsewhere, ana));
      clock.pass((waits.at(-1) ?? 0) * 1_000);
      await fail(failures, ana, 1);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  it('are neither verified nor counted during the delay', async () => {
    const { failures } = setUp();
    await fail(failures, ana, freeFailures.pair);
    let tries = 0;
    const counted = async () => {
      tries += 1;
      return undefined;
    };
    for (const _ of times(3)) {
      await expect(failures.attempt(ana, counted)).rejects.toBeInstanceOf(Refused);
    }
    expect([tries, await waitOf(failures, ana)]).toEqual([0, 1]);
  });

  it('are forgotten after a success, and an hour after the last failure', async () => {
    const { failures, clock, vault } = setUp();
    await fail(failures, ana, freeFailures.pair - 1);
    expect(await failures.attempt(ana, right)).toBe('in');
    await fail(failures, ana, freeFailures.pair);
    expect(await waitOf(failures, ana)).toBe(1);
    const records = await vault.ofKind('sign-in-failures', undefined, 10);
    expect(records).toHaveLength(3);
    for (const { expiresAt } of records) expect(expiresAt).toBe(clock.now() + 3_600_000);
  });

  it('lock nobody out: a correct password from another address passes, however many attempts fail', async () => {
    const { failures } = setUp();
    // A hot account leaves each address a single attempt.
    for (const n of times(10)) {
      const failing = fail(failures, { ...ana, address: `198.51.100.${n}` }, freeFailures.pair);
      await failing.catch((error: unknown) => expect(error).toMatchObject({ code: 'too-many-failures' }));
    }
    expect(await failures.attempt(ana, right)).toBe('in');
    expect(await failures.attempt(ana, right)).toBe('in');
  });

  it('on an account from many addresses leave each address a single attempt', async () => {
    const { failures } = setUp();
    for (const n of times(freeFailures.hotAccount / freeFailures.pair)) {
      await fail(failures, { ...ana, address: `198.51.100.${n}` }, freeFailures.pair);
    }
    await fail(failures, ana, 1);
    expect(await waitOf(failures, ana)).toBe(1);
    expect(await waitOf(failures, { ...ana, email: 'bia@example.org' })).toBe(0);
  });

  it('from one address on many accounts delay all accounts at that address, but not at others', async () => {
    const { failures } = setUp();
    for (const n of times(freeFailures.address / 4))
      await fail(failures, { ...ana, email: `user-${n}@example.org` }, 4);
    expect(await waitOf(failures, { ...ana, email: 'new@example.org' })).toBe(1);
    expect(await waitOf(failures, { ...ana, address: '203.0.113.1' })).toBe(0);
  });

  it('that are concurrent are all counted before the next attempt', async () => {
    const { failures } = setUp();
    let tries = 0;
    const counted = async () => {
      tries += 1;
      return undefined;
    };
    const attempts = await Promise.allSettled(times(15).map(() => failures.attempt(ana, counted)));
    expect(tries).toBe(freeFailures.pair);
    expect(attempts.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  });

  it('do not delay concurrent correct passwords', async () => {
    const { failures } = setUp();
    expect(await Promise.all(times(15).map(() => failures.attempt(ana, right)))).toEqual(times(15).map(() => 'in'));
  });

  it('leave no address and no e-mail address in the vault', async () => {
    const { failures, vault } = setUp();
    await fail(failures, ana, 1);
    const kept = JSON.stringify(await vault.ofKind('sign-in-failures', undefined, 10));
    for (const secret of Object.values(ana)) expect(kept).not.toContain(secret);
  });
});
