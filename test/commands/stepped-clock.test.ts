// Claims, locks and leases while the clock of the process is set.
import { describe, expect, it } from 'vitest';
import { Claims, PENDING_MS } from '../../src/commands/claims.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { LOCKED_MS, VaultLock } from '../../src/infrastructure/vault/lock.js';
import { changed } from '../../src/infrastructure/views/control.js';
import { intercepted } from '../projections/support/intercepted.js';
import { MemoryVault } from '../support/memory-vault.js';
import { steppedClock, steps, stepsBack } from '../support/stepped-clock.js';
import { sharedKey } from './support/shared-key.js';

describe('a claim', () => {
  const claimOf = (owner: string) => {
    const path = ['name'];
    return { owner, kind: 'name', value: 'x', path, isPerson: false, holds: async () => false } as const;
  };
  const taking = (claims: Claims, owner: string, append: () => Promise<true | undefined> = async () => true) =>
    claims.during({ taken: [claimOf(owner)], freed: [] }, append);

  it.each(steps)('is reserved for at most a minute if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const claims = new Claims(new MemoryVault(), sharedKey);
    const killed = () => Promise.reject(new StoreUnavailable('the test', 'killed'));
    await expect(taking(claims, 'a', killed)).rejects.toThrow();
    step(ms);
    const refused = taking(claims, 'b').catch((error: Error) => error.name);
    expect(await refused).toBe(ms < 0 ? 'ClaimsRefused' : true);
    await pass(PENDING_MS);
    expect(await taking(claims, 'b')).toBe(true);
  });

  it.each(steps)('is not used half a minute later or after the clock was set ahead: %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const slow = intercepted(new MemoryVault(), async (name, _given, call) => {
      const result = await call();
      if (name === 'insert') {
        step(ms);
        if (ms < 0) await pass(PENDING_MS / 2 + 1_000);
      }
      return result;
    });
    expect(await taking(new Claims(slow, sharedKey), 'a')).toBeUndefined();
  });
});

describe('a lock', () => {
  it.each(stepsBack)('is held for at most its time if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const vault = new MemoryVault();
    const key = `a lock ${ms}`;
    expect(await VaultLock.taken(vault, key)).toBeDefined();
    step(ms);
    expect(await VaultLock.taken(vault, key)).toBeUndefined();
    await pass(LOCKED_MS);
    const later = await VaultLock.taken(vault, key);
    expect(await later?.prolong()).toBe(true);
  });

  it('cannot be prolonged by a holder that lost it after a step', async () => {
    const { step, pass } = steppedClock();
    const vault = new MemoryVault();
    const first = await VaultLock.taken(vault, 'lost');
    step(-3_600_000);
    await VaultLock.taken(vault, 'lost');
    await pass(LOCKED_MS);
    expect(await VaultLock.taken(vault, 'lost')).toBeDefined();
    expect(await first?.prolong()).toBe(false);
  });
});

describe('a lease of a projection', () => {
  const shape = { name: 'p', version: 1, collections: [] };
  const ttlMs = 10_000;

  it.each(stepsBack)('is free if it lasts longer than any lease does, because the clock is set %s', (_, ms) => {
    const prepared = changed('prepare', undefined, { shape, first: 1 }, 0);
    const now = 500 * 86_400_000;
    const held = changed('acquire', prepared, { number: 1, owner: 'a', ttlMs }, now);
    expect(changed('acquire', held, { number: 1, owner: 'b', ttlMs }, now + ttlMs)).toBeUndefined();
    expect(changed('acquire', held, { number: 1, owner: 'b', ttlMs }, now)).toBeUndefined();
    const taken = changed('acquire', held, { number: 1, owner: 'b', ttlMs }, now + ms);
    expect(taken?.generations[1]?.lease).toEqual({ owner: 'b', until: now + ms + ttlMs });
    expect(changed('renew', taken, { number: 1, owner: 'a', ttlMs }, now + ms)).toBeUndefined();
  });
});
