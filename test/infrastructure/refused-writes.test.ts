import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { RefusedWrites } from '../../src/infrastructure/refused-writes.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import type { Work } from '../../src/infrastructure/work/work.js';

type Outcome = { readonly value: unknown } | { readonly error: Error };

/** Returns a call that has these outcomes in turn. */
const inTurn = (outcomes: readonly Outcome[]) => {
  const left = [...outcomes];
  return async () => {
    const next = left.shift();
    if (next === undefined) throw new Error('no outcome is left');
    if ('error' in next) throw next.error;
    return next.value;
  };
};

const full: Outcome = { error: new StoreUnavailable('the store', 'the disk is full') };
const wrong: Outcome = { error: new Error('the call is wrong') };

const stores = (call: () => Promise<unknown>, writes: RefusedWrites) => ({
  log: writes.watch('log', { append: call } as unknown as Facts).append as () => Promise<unknown>,
  views: writes.watch('views', { commit: call, renew: call } as unknown as Views).commit as () => Promise<unknown>,
  vault: writes.watch('vault', {
    ...{ insert: call, replace: call, remove: call, removeSubject: call, purgeExpired: call },
  } as unknown as Vault).replace as () => Promise<unknown>,
  queue: writes.watch('queue', { enqueue: call, retry: call } as unknown as Work).retry as () => Promise<unknown>,
});

describe('the stores that refused the last write', () => {
  it.each([
    ['log', { value: { outcome: 'written' } }, { value: { outcome: 'conflict' } }],
    ['views', { value: true }, { value: false }],
    ['vault', { value: true }, { value: false }],
    ['queue', { value: true }, { value: false }],
  ] as const)('are reported until a write succeeds: %s', async (name, written, conflict) => {
    const writes = new RefusedWrites();
    const call = stores(inTurn([written, wrong, conflict, full, conflict, wrong, written]), writes)[name];
    const codes = async () => {
      await call().catch(() => undefined);
      return writes.faults(name).map(({ code }) => code);
    };
    const found: unknown[] = [];
    for (let time = 1; time <= 7; time += 1) found.push(await codes());
    const refused = [`${name}-unwritable`];
    expect(found).toEqual([[], [], [], refused, refused, refused, []]);
  });

  it('are those of another thread, too, until a write here or there succeeds', async () => {
    const changes: unknown[] = [];
    const writes = new RefusedWrites((name, isRefused) => changes.push([name, isRefused]));
    const { vault } = stores(inTurn([full, full, { value: true }, { value: true }]), writes);
    await expect(vault()).rejects.toThrow();
    await expect(vault()).rejects.toThrow();
    await vault();
    expect(writes.faults('vault')).toEqual([]);
    await vault();
    expect(changes).toEqual([
      ['vault', true],
      ['vault', true],
      ['vault', false],
    ]);
    writes.wroteElsewhere('vault', true);
    expect(writes.faults('vault')).toHaveLength(1);
    writes.wroteElsewhere('vault', false);
    expect(writes.faults('vault')).toEqual([]);
  });
});
