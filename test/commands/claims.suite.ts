// What claims promise, on whichever vault: a value is one owner's, and no crash blocks it for more than a minute.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Claim, ClaimRecords, type HeldClaim, PENDING_MS } from '../../src/commands/claim-records.js';
import { Claims, ClaimsRefused } from '../../src/commands/claims.js';
import { PreconditionFailed } from '../../src/commands/context.js';
import { AppendTooLarge, StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { sharedKey } from './shared-key.js';

const A_MINUTE = PENDING_MS + 1_000;

/** Owners and what they have, as their streams would say; and claims with a clock that the test moves. */
class World {
  readonly vault: Vault;
  readonly claims: Claims;
  readonly #has = new Map<string, string>();
  /** What the clock is ahead, in milliseconds. */
  ahead = 0;

  constructor(vault: Vault) {
    this.vault = vault;
    this.claims = new Claims(vault, sharedKey, () => Date.now() + this.ahead);
  }

  claim(owner: string, value: string, what = 'name'): Claim {
    const holds = async (other: string) => this.#has.get(`${other} ${what}`) === value;
    return { owner, kind: what, value, isPerson: false, holds };
  }

  /** Records that an owner has values now, as an append does. */
  record(...claims: readonly Claim[]): true {
    for (const { owner, kind: what, value } of claims) this.#has.set(`${owner} ${what}`, value);
    return true;
  }

  /** Takes values for an owner, appends, and frees others. */
  get(taken: readonly Claim[], freed: readonly Claim[] = []): Promise<true | undefined> {
    return this.claims.during({ taken, freed }, async () => this.record(...taken));
  }

  /** Takes values, and never says what came of it: the process is killed, before its append or after. */
  async killed(when: 'before' | 'after', ...taken: readonly Claim[]): Promise<void> {
    const append = async () => {
      if (when === 'after') this.record(...taken);
      throw new StoreUnavailable('the test', 'killed');
    };
    await expect(this.claims.during({ taken, freed: [] }, append)).rejects.toBeInstanceOf(StoreUnavailable);
  }

  /** Refusals of an attempt, `name taken`, which must not append. */
  async refusals(...taken: readonly Claim[]): Promise<readonly string[]> {
    const append = () => Promise.reject(new Error('appended'));
    const refused: unknown = await this.claims.during({ taken, freed: [] }, append).catch((error: unknown) => error);
    if (!(refused instanceof ClaimsRefused)) throw refused;
    return refused.refused.map(({ claim, reason: by }) => `${claim.kind} ${by}`).toSorted();
  }
}

/** A claim that its owner has taken and confirmed. */
const confirmed = async (records: ClaimRecords, claim: Claim): Promise<HeldClaim> => {
  const keyed = { claim, key: `${claim.kind}:the HMAC of ${claim.value}` };
  const taken = await records.take(keyed);
  if ('reason' in taken) throw new Error(`${claim.value} is ${taken.reason}`);
  await records.confirm(taken);
  const held = await records.held(keyed);
  if (held === undefined) throw new Error(`${claim.owner} lost ${claim.value}`);
  return held;
};

/** Declares the tests of claims in a vault. */
export const claimsSuite = (engine: string, newVault: () => Vault): void => {
  const newWorld = (): World => {
    const vault = newVault();
    onTestFinished(() => vault.close());
    return new World(vault);
  };

  describe(`a claim in a vault on ${engine}`, () => {
    it('is given to one of fifty concurrent callers and denied to the others', async () => {
      const world = newWorld();
      const settled = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => world.get([world.claim(`owner-${n}`, 'one')])),
      );
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const reasons = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(reasons).toHaveLength(49);
      for (const reason of reasons) expect(reason).toBeInstanceOf(ClaimsRefused);
    });

    it('is given to one of fifty also where all ask for the same two values', async () => {
      const world = newWorld();
      const wanted = (n: number) => [world.claim(`o-${n}`, 'one', 'mail'), world.claim(`o-${n}`, 'two', 'document')];
      const settled = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => world.get(wanted(n))));
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('is no other’s of another value, or of another kind', async () => {
      const world = newWorld();
      await world.get([world.claim('a', 'one')]);
      expect(await world.get([world.claim('b', 'two')])).toBe(true);
      expect(await world.get([world.claim('b', 'one', 'document')])).toBe(true);
    });

    it('is reserved for a minute where a process was killed before its append, then free', async () => {
      const world = newWorld();
      await world.killed('before', world.claim('a', 'one'));
      world.ahead = PENDING_MS - 1_000;
      expect(await world.refusals(world.claim('b', 'one'))).toEqual(['name reserved']);
      world.ahead = A_MINUTE;
      expect(await world.get([world.claim('b', 'one')])).toBe(true);
      expect(await world.refusals(world.claim('a', 'one'))).toEqual(['name taken']);
    });

    it('stays its owner’s where a process was killed after its append, and is confirmed by who asks', async () => {
      const world = newWorld();
      await world.killed('after', world.claim('a', 'one'));
      world.ahead = A_MINUTE;
      expect(await world.refusals(world.claim('b', 'one'))).toEqual(['name taken']);
      world.ahead = 0;
      expect(await world.refusals(world.claim('b', 'one'))).toEqual(['name taken']);
    });

    it('is kept by the same command tried again, after a kill before its append or after', async () => {
      const world = newWorld();
      for (const when of ['before', 'after'] as const) {
        const claim = world.claim(when, when);
        await world.killed(when, claim);
        expect(await world.get([claim])).toBe(true);
        expect(await world.refusals(world.claim('b', when))).toEqual(['name taken']);
      }
    });

    it('is free at once where nothing was recorded under it', async () => {
      const world = newWorld();
      const during = (append: () => Promise<true | undefined>) =>
        world.claims.during({ taken: [world.claim('a', 'one')], freed: [] }, append);
      expect(await during(async () => undefined)).toBeUndefined();
      await expect(during(() => Promise.reject(new AppendTooLarge(2, 1)))).rejects.toBeInstanceOf(AppendTooLarge);
      await expect(during(() => Promise.reject(new PreconditionFailed(1)))).rejects.toBeInstanceOf(PreconditionFailed);
      expect(await world.get([world.claim('b', 'one')])).toBe(true);
    });

    it('is free at once for others where its owner has another value', async () => {
      const world = newWorld();
      await world.get([world.claim('a', 'one')]);
      await world.get([world.claim('a', 'two')], [world.claim('a', 'one')]);
      expect(await world.get([world.claim('b', 'one')])).toBe(true);
      expect(await world.refusals(world.claim('b', 'two'))).toEqual(['name taken']);
    });

    it('is free at once also where nobody said so: its owner has another value by now', async () => {
      const world = newWorld();
      await world.get([world.claim('a', 'one')]);
      world.record(world.claim('a', 'two'));
      expect(await world.get([world.claim('b', 'one')])).toBe(true);
    });

    it('is not freed by who has lost it meanwhile', async () => {
      const world = newWorld();
      const [a, b] = [world.claim('a', 'one'), world.claim('b', 'one')];
      await world.get([a]);
      await world.claims.during({ taken: [world.claim('a', 'two')], freed: [a] }, async () => {
        world.record(world.claim('a', 'two'));
        await world.get([b]);
        return true;
      });
      expect(await world.refusals(world.claim('c', 'one'))).toEqual(['name taken']);
    });

    it('is not freed by an older command of its owner, which has taken it back', async () => {
      const world = newWorld();
      const [one, two] = [world.claim('a', 'one'), world.claim('a', 'two')];
      await world.get([one]);
      await world.claims.during({ taken: [two], freed: [one] }, async () => {
        world.record(two);
        return world.get([one], [two]);
      });
      expect(await world.refusals(world.claim('b', 'one'))).toEqual(['name taken']);
      expect(await world.get([world.claim('b', 'two')])).toBe(true);
    });

    it('is not freed by a late command of an owner before, also if the vault was purged in between', async () => {
      const world = newWorld();
      const records = new ClaimRecords(world.vault, Date.now);
      const [a, b] = [world.claim('a', 'one'), world.claim('b', 'one')];
      const late = await confirmed(records, a);
      await records.free(late);
      await world.vault.purgeExpired(1_000);
      world.record(b);
      await confirmed(records, b);
      for (const version of [1, 2]) await records.free({ ...late, version });
      expect(await records.check({ claim: a, key: late.key })).toMatchObject({ reason: 'taken' });
    });

    it('is free at once also for a process whose clock is behind', async () => {
      const world = newWorld();
      const [taken, behind] = [world.claim('a', 'one'), world.claim('b', 'one')];
      world.ahead = PENDING_MS / 2;
      await world.claims.during({ taken: [taken], freed: [] }, async () => undefined);
      world.ahead = 0;
      expect(await world.get([behind])).toBe(true);
    });

    it('is not given up by one of two commands of its owner while the other is under way', async () => {
      const world = newWorld();
      const claim = world.claim('a', 'one');
      await world.claims.during({ taken: [claim], freed: [] }, async () => {
        await world.claims.during({ taken: [claim], freed: [] }, async () => undefined);
        expect(await world.refusals(world.claim('b', 'one'))).toEqual(['name reserved']);
        return world.record(claim);
      });
      world.ahead = A_MINUTE;
      expect(await world.refusals(world.claim('b', 'one'))).toEqual(['name taken']);
    });

    it('that is abandoned goes to one of fifty who would take it over', async () => {
      const world = newWorld();
      await world.killed('before', world.claim('a', 'one'));
      world.ahead = A_MINUTE;
      const settled = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => world.get([world.claim(`owner-${n}`, 'one')])),
      );
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('that is abandoned is refused to who was about to take it over when another did', async () => {
      const world = newWorld();
      await world.killed('before', world.claim('a', 'one'));
      world.ahead = A_MINUTE;
      const claim = world.claim('b', 'one');
      const holds = async (owner: string) => {
        if (owner === 'a') await world.get([world.claim('c', 'one')]);
        return claim.holds(owner);
      };
      expect(await world.refusals({ ...claim, holds })).toEqual(['name taken']);
    });

    it('holds no value of its own: the record has an HMAC, and the owner', async () => {
      const world = newWorld();
      await world.get([{ ...world.claim('person', 'a@example.org', 'mail'), isPerson: true }]);
      const [record, ...others] = await world.vault.ofSubject('claim', 'person');
      expect(others).toEqual([]);
      expect(record).toMatchObject({ kind: 'claim', value: { owner: 'person', pendingUntil: null } });
      expect(record?.key).toMatch(/^mail:[0-9a-f]{64}$/);
      expect(JSON.stringify(record)).not.toContain('example');
    });
  });

  describe(`several claims in a vault on ${engine}`, () => {
    const both = (world: World, owner: string) => [
      world.claim(owner, 'x', 'mail'),
      world.claim(owner, 'y', 'document'),
    ];

    it('are refused together: each that is another’s is named', async () => {
      const world = newWorld();
      await world.get([world.claim('a', 'x', 'mail')]);
      await world.get([world.claim('b', 'y', 'document')]);
      expect(await world.refusals(...both(world, 'c'))).toEqual(['document taken', 'mail taken']);
    });

    it.each(['mail', 'document'])('are none of them taken where one is refused: %s', async (refused) => {
      const world = newWorld();
      const [taken, free] = both(world, 'a').toSorted(({ kind: what }) => (what === refused ? -1 : 1));
      if (taken === undefined || free === undefined) throw new Error('there are two');
      await world.get([taken]);
      expect(await world.refusals(...both(world, 'c'))).toEqual([`${refused} taken`]);
      expect(await world.get([{ ...free, owner: 'd' }])).toBe(true);
    });
  });

  describe(`an append under a claim in a vault on ${engine}`, () => {
    it('is not tried where its claims took half of their time to get', async () => {
      const world = newWorld();
      const slow = {
        ...world.claim('b', 'one'),
        holds: async () => {
          world.ahead += PENDING_MS;
          return false;
        },
      };
      await world.get([world.claim('a', 'one')]);
      const append = () => Promise.reject(new Error('appended'));
      expect(await world.claims.during({ taken: [slow], freed: [] }, append)).toBeUndefined();
      expect(await world.get([world.claim('c', 'one')])).toBe(true);
    });

    it('that outlasted its claim is reported where another has the value, too', async () => {
      const world = newWorld();
      const claim = world.claim('a', 'one');
      const late = world.claims.during({ taken: [claim], freed: [] }, async () => {
        world.ahead = A_MINUTE;
        await world.get([world.claim('b', 'one')]);
        return world.record(claim);
      });
      await expect(late).rejects.toThrow(/a and b have the same name/);
    });

    it('stays if the vault is unavailable after it', async () => {
      const world = newWorld();
      const claim = world.claim('a', 'one');
      const done = await world.claims.during({ taken: [claim], freed: [] }, async () => {
        world.record(claim);
        await world.vault.close();
        return true;
      });
      expect(done).toBe(true);
    });

    it('is not tried while the vault is unavailable', async () => {
      const world = newWorld();
      await world.vault.close();
      await expect(world.get([world.claim('a', 'one')])).rejects.toBeInstanceOf(StoreUnavailable);
    });
  });
};
