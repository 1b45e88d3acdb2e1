import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { RecordKey, Vault } from '../../src/infrastructure/vault/vault.js';
import { type LogMetrics, logFaults } from '../../src/transparency/faults.js';

const FAULT = { code: 'audit-log-cut', detail: 'the facts end too early' };

/** Returns a vault with a noted fault and no state, which is unavailable while the given function returns true. */
const vaultWithFault = (isDown: () => boolean): Vault => {
  const mustBeUp = () => {
    if (isDown()) throw new StoreUnavailable('the vault', 'a test');
  };
  const vault: Pick<Vault, 'get' | 'getMany'> = {
    get: async () => {
      mustBeUp();
      return undefined;
    },
    getMany: async <T>(kind: string) => {
      mustBeUp();
      return [{ kind, key: 'signing', value: FAULT as T, version: 1, expiresAt: undefined }];
    },
  };
  return vault as Vault;
};

describe('the faults of the audit log', () => {
  it('stay known while the vault cannot be read, but metrics do not', async () => {
    let isDown = false;
    const found: Parameters<LogMetrics>[0][] = [];
    const faults = logFaults(
      vaultWithFault(() => isDown),
      (each) => void found.push(each),
    );
    expect(await faults()).toEqual([FAULT]);
    isDown = true;
    expect(await faults()).toEqual([FAULT]);
    expect(found).toEqual([{ faults: new Map([['signing', FAULT]]), cosignatures: 0, isProofLate: false }, undefined]);
  });

  const HOUR_MS = 3_600_000;

  it.each<[string, number | undefined, boolean]>([
    ['25 hours ago', -1, false],
    ['26 hours ago', -2, true],
    ['never', undefined, true],
    ['by a clock that was 400 days ahead', 400 * 24, true],
    ['just now', 24, false],
  ])('report a proof that is late after two hours, but not before: proven %s', async (_, dueInHours, isLate) => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const due = () => dueInHours !== undefined && new Date(Date.now() + dueInHours * HOUR_MS).toISOString();
    const vault: Pick<Vault, 'get' | 'getMany'> = {
      get: async <T>({ kind, key }: RecordKey) => {
        const value = kind === 'log-proof' && due();
        return value === false ? undefined : { kind, key, value: value as T, version: 1, expiresAt: undefined };
      },
      getMany: async () => [],
    };
    const found: unknown[] = [];
    const faults = logFaults(vault as Vault, (each) => void found.push(each?.isProofLate));
    expect(await faults()).toEqual([]);
    vi.advanceTimersByTime(2 * HOUR_MS + 1);
    const codes = (await faults()).map(({ code }) => code);
    expect([codes, found]).toEqual([isLate ? ['audit-proof-late'] : [], [false, isLate]]);
  });
});
