import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
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
    expect(found).toEqual([{ faults: new Map([['signing', FAULT]]), cosignatures: 0 }, undefined]);
  });
});
