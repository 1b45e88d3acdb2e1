// The guarantees of claims in every vault: a value has one owner, and no crash blocks it for more than a minute.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Claim, Claims, ClaimsRefused, PENDING_MS } from '../../src/commands/claims.js';
import { PreconditionFailed } from '../../src/commands/context.js';
import { AppendTooLarge, PersonalKeyMissing, StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { intercepted } from '../projections/support/intercepted.js';
import { sharedKey } from './support/shared-key.js';

const A_MINUTE = PENDING_MS + 1_000;

/** Owners with the values that their streams would show, and claims with a clock that the test moves. */
class Owners {
  readonly vault: Vault;
  readonly claims: Claims;
  readonly #has = new Map<string, string>();
  /** How far the clock is ahead, in milliseconds. */
  ahead = 0;
  /** Whether the vault is unavailable. */
  isDown = false;

  constructor(vault: Vault) {
    const failing = intercepted(vault, (_, __, call) => {
      return this.isDown ? Promise.reject(new StoreUnavailable('the vault', 'it is down')) : call();
    });
    this.vault = vault;
    this.claims = new Claims(failing, sharedKey, () => Date.now() + this.ahead);
  }

  claim(owner: string, value: string, kind = 'name'): Claim {
    const holds = async (other: string) => this.#has.get(`${other} ${kind}`) === value;
    return { owner, kind, value, path: [kind], isPerson: false, holds };
  }

  /** Records that an owner has values now, as an append does. */
  record(...claims: readonly Claim[]): true {
    for (const { owner, kind, value } of claims) this.#has.set(`${owner} ${kind}`, value);
    return true;
  }

  /** Takes values for an owner, appends, and frees other values. */
  get(taken: readonly Claim[], freed: readonly Claim[] = []): Promise<true | undefined> {
    return this.claims.during({ taken, freed }, async () => this.record(...taken));
  }

  /** Takes a value, appends as `append` does, and frees other values. */
  during(taken: Claim, append: () => Promise<true | undefined>, freed: readonly Claim[] = []) {
    return this.claims.during({ taken: [taken], freed }, append);
  }

  /** Takes values, and is killed before or after the append, without reporting the outcome. */
  async killed(when: 'before' | 'after', ...taken: readonly Claim[]): Promise<void> {
    const append = async () => {
      if (when === 'after') this.record(...taken);
      throw new StoreUnavailable('the test', 'killed');
    };
    await expect(this.claims.during({ taken, freed: [] }, append)).rejects.toBeInstanceOf(StoreUnavailable);
  }

  /** Returns the refusals of an attempt, such as `name taken`. The attempt must not append. */
  async refusals(...taken: readonly Claim[]): Promise<readonly string[]> {
    const append = () => Promise.reject(new Error('appended'));
    const refused: unknown = await this.claims.during({ taken, freed: [] }, append).catch((error: unknown) => error);
    if (!(refused instanceof ClaimsRefused)) throw refused;
    return refused.refused.map(({ claim, reason }) => `${claim.kind} ${reason}`).toSorted();
  }
}

/** Declares the tests of claims in a vault. */
export const claimsSuite = (engine: string, newVault: () => Vault): void => {
  const newOwners = (): Owners => {
    const vault = newVault();
    onTestFinished(() => vault.close());
    return new Owners(vault);
  };

  describe(`a claim in a vault on ${engine}`, () => {
    it.each([
      { what: 'a value', kinds: ['name'], isAbandoned: false },
      { what: 'the same two values', kinds: ['mail', 'document'], isAbandoned: false },
      { what: 'an abandoned value', kinds: ['name'], isAbandoned: true },
    ])('is given to one of fifty concurrent callers that ask for $what', async ({ kinds, isAbandoned }) => {
      const owners = newOwners();
      if (isAbandoned) await owners.killed('before', owners.claim('a', 'one'));
      if (isAbandoned) owners.ahead = A_MINUTE;
      const wanted = (n: number) => kinds.map((kind) => owners.claim(`owner-${n}`, 'one', kind));
      const settled = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => owners.get(wanted(n))));
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const reasons = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      for (const reason of reasons) expect(reason).toBeInstanceOf(ClaimsRefused);
    });

    it('does not block another value, or the same value of another kind', async () => {
      const owners = newOwners();
      await owners.get([owners.claim('a', 'one')]);
      expect(await owners.get([owners.claim('b', 'two')])).toBe(true);
      expect(await owners.get([owners.claim('b', 'one', 'document')])).toBe(true);
    });

    it('is reserved for a minute if a process was killed before its append, and free after that', async () => {
      const owners = newOwners();
      await owners.killed('before', owners.claim('a', 'one'));
      expect(PENDING_MS).toBeLessThanOrEqual(60_000);
      owners.ahead = PENDING_MS - 1_000;
      expect(await owners.refusals(owners.claim('b', 'one'))).toEqual(['name reserved']);
      owners.ahead = A_MINUTE;
      expect(await owners.get([owners.claim('b', 'one')])).toBe(true);
      expect(await owners.refusals(owners.claim('a', 'one'))).toEqual(['name taken']);
    });

    it('stays with its owner if a process was killed after its append', async () => {
      const owners = newOwners();
      await owners.killed('after', owners.claim('a', 'one'));
      expect(await owners.refusals(owners.claim('b', 'one'))).toEqual(['name taken']);
      owners.ahead = A_MINUTE;
      expect(await owners.refusals(owners.claim('b', 'one'))).toEqual(['name taken']);
    });

    it('is kept by a retry of the same command after a kill before or after its append', async () => {
      const owners = newOwners();
      for (const when of ['before', 'after'] as const) {
        const claim = owners.claim(when, when);
        await owners.killed(when, claim);
        expect(await owners.get([claim])).toBe(true);
        expect(await owners.refusals(owners.claim('b', when))).toEqual(['name taken']);
      }
    });

    it('is free immediately if nothing was recorded', async () => {
      const owners = newOwners();
      const during = (append: () => Promise<true | undefined>) => owners.during(owners.claim('a', 'one'), append);
      expect(await during(async () => undefined)).toBeUndefined();
      await expect(during(() => Promise.reject(new AppendTooLarge(2)))).rejects.toBeInstanceOf(AppendTooLarge);
      await expect(during(() => Promise.reject(new PreconditionFailed(1)))).rejects.toBeInstanceOf(PreconditionFailed);
      const noKey = new PersonalKeyMissing('a');
      await expect(during(() => Promise.reject(noKey))).rejects.toBe(noKey);
      expect(await owners.get([owners.claim('b', 'one')])).toBe(true);
    });

    it('is free immediately for others if its owner takes another value', async () => {
      const owners = newOwners();
      await owners.get([owners.claim('a', 'one')]);
      await owners.get([owners.claim('a', 'two')], [owners.claim('a', 'one')]);
      expect(await owners.get([owners.claim('b', 'one')])).toBe(true);
      expect(await owners.refusals(owners.claim('b', 'two'))).toEqual(['name taken']);
    });

    it('is free after a minute if its owner has recorded another value, even if nobody freed it', async () => {
      const owners = newOwners();
      await owners.get([owners.claim('a', 'one')]);
      owners.record(owners.claim('a', 'two'));
      expect(await owners.refusals(owners.claim('b', 'one'))).toEqual(['name reserved']);
      owners.ahead = A_MINUTE;
      expect(await owners.get([owners.claim('b', 'one')])).toBe(true);
    });

    it('is not freed by an owner who has lost it meanwhile', async () => {
      const owners = newOwners();
      const [a, b] = [owners.claim('a', 'one'), owners.claim('b', 'one')];
      await owners.get([a]);
      owners.ahead = A_MINUTE;
      const two = owners.claim('a', 'two');
      await owners.during(two, async () => owners.record(two) && owners.get([b]), [a]);
      expect(await owners.refusals(owners.claim('c', 'one'))).toEqual(['name taken']);
    });

    it('is not freed by an older command of its owner, who has taken it back', async () => {
      const owners = newOwners();
      const [one, two] = [owners.claim('a', 'one'), owners.claim('a', 'two')];
      await owners.get([one]);
      await owners.during(two, async () => owners.record(two) && owners.get([one], [two]), [one]);
      expect(await owners.refusals(owners.claim('b', 'one'))).toEqual(['name taken']);
      expect(await owners.get([owners.claim('b', 'two')])).toBe(true);
    });

    it('is not freed by a late command of a previous owner, even if the vault was purged in between', async () => {
      const owners = newOwners();
      const [a, b] = [owners.claim('a', 'one'), owners.claim('b', 'one')];
      await owners.get([a]);
      const another = owners.claim('a', 'two');
      await owners.claims.during({ taken: [], freed: [a] }, async () => {
        await owners.get([another], [a]);
        await owners.vault.purgeExpired(1_000);
        await owners.get([b]);
        return true;
      });
      expect(await owners.refusals(owners.claim('c', 'one'))).toEqual(['name taken']);
    });

    it('is reserved if its append may be recorded while another caller reads the stream of its owner', async () => {
      const owners = newOwners();
      await owners.killed('before', owners.claim('a', 'one'));
      const holds = async () => {
        owners.ahead = A_MINUTE;
        return false;
      };
      expect(await owners.refusals({ ...owners.claim('b', 'one'), holds })).toEqual(['name reserved']);
    });

    it('is free immediately even for a process whose clock is behind', async () => {
      const owners = newOwners();
      const [taken, behind] = [owners.claim('a', 'one'), owners.claim('b', 'one')];
      owners.ahead = PENDING_MS / 2;
      await owners.during(taken, async () => undefined);
      owners.ahead = 0;
      expect(await owners.get([behind])).toBe(true);
    });

    it('is not freed by one command of its owner while another is under way', async () => {
      const owners = newOwners();
      const claim = owners.claim('a', 'one');
      await owners.during(claim, async () => {
        await owners.during(claim, async () => undefined);
        expect(await owners.refusals(owners.claim('b', 'one'))).toEqual(['name reserved']);
        return owners.record(claim);
      });
      owners.ahead = A_MINUTE;
      expect(await owners.refusals(owners.claim('b', 'one'))).toEqual(['name taken']);
    });

    it('that is abandoned is refused to a caller if another caller takes it over first', async () => {
      const owners = newOwners();
      await owners.killed('before', owners.claim('a', 'one'));
      owners.ahead = A_MINUTE;
      const claim = owners.claim('b', 'one');
      const holds = async (owner: string) => {
        if (owner === 'a') await owners.get([owners.claim('c', 'one')]);
        return claim.holds(owner);
      };
      expect(await owners.refusals({ ...claim, holds })).toEqual(['name taken']);
    });

    it('does not contain its value, but an HMAC and the owner', async () => {
      const owners = newOwners();
      await owners.get([{ ...owners.claim('person', 'a@example.org', 'mail'), isPerson: true }]);
      const [record, ...others] = await owners.vault.ofSubject('claim', 'person');
      expect(others).toEqual([]);
      expect(record).toMatchObject({ kind: 'claim', value: { owner: 'person', at: expect.any(Number) } });
      expect(record?.key).toMatch(/^mail:[0-9a-f]{64}$/);
      expect(JSON.stringify(record)).not.toContain('example');
    });
  });

  describe(`several claims in a vault on ${engine}`, () => {
    const both = (owners: Owners, owner: string) => [
      owners.claim(owner, 'x', 'mail'),
      owners.claim(owner, 'y', 'document'),
    ];

    it('are refused together, and each value that is taken is named', async () => {
      const owners = newOwners();
      await owners.get([owners.claim('a', 'x', 'mail')]);
      await owners.get([owners.claim('b', 'y', 'document')]);
      expect(await owners.refusals(...both(owners, 'c'))).toEqual(['document taken', 'mail taken']);
    });

    it.each(['mail', 'document'])('are all freed if one is refused: %s', async (refused) => {
      const owners = newOwners();
      const [taken, free] = both(owners, 'a').toSorted(({ kind }) => (kind === refused ? -1 : 1));
      if (taken === undefined || free === undefined) throw new Error('both claims must exist');
      await owners.get([taken]);
      expect(await owners.refusals(...both(owners, 'c'))).toEqual([`${refused} taken`]);
      expect(await owners.get([{ ...free, owner: 'd' }])).toBe(true);
    });
  });

  describe(`an append under a claim in a vault on ${engine}`, () => {
    it('is not tried if taking its claims took half of their lifetime', async () => {
      const owners = newOwners();
      const slow = {
        ...owners.claim('b', 'one'),
        holds: async () => {
          owners.ahead += PENDING_MS;
          return false;
        },
      };
      await owners.killed('before', owners.claim('a', 'one'));
      owners.ahead = A_MINUTE;
      const append = () => Promise.reject(new Error('appended'));
      expect(await owners.during(slow, append)).toBeUndefined();
      expect(await owners.get([owners.claim('c', 'one')])).toBe(true);
    });

    it('stays if the vault is unavailable after it', async () => {
      const owners = newOwners();
      const claim = owners.claim('a', 'one');
      const done = owners.during(claim, async () => {
        owners.isDown = true;
        return owners.record(claim);
      });
      expect(await done).toBe(true);
    });

    it('is not tried while the vault is unavailable', async () => {
      const owners = newOwners();
      owners.isDown = true;
      await expect(owners.get([owners.claim('a', 'one')])).rejects.toBeInstanceOf(StoreUnavailable);
    });
  });
};
