import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { successful } from '../http/samples.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable, lockableService } from './locking.js';

describe('a service whose vault another process keeps locked', () => {
  const { directory, lock, post, recorded } = lockableService();

  it('refuses writes with an Idempotency-Key, and accepts writes without one', async () => {
    const unlock = lock('vault');
    const keyed = post('With a key', 'with-a-key');
    successful(await post('Without a key'));
    expectUnavailable(await keyed);
    unlock();
    expect(recorded('With a key')).toEqual([]);
    successful(await post('With a key', 'with-a-key'));
    expect(recorded('With a key')).toHaveLength(1);
  });

  it('returns a stored write whose response was lost when the request is repeated with the same key', async () => {
    const before = recordsIn(directory);
    const unlockFacts = lock('facts');
    const writing = post('Stored, not answered', 'stored-not-answered');
    await eventually(() => expect(recordsIn(directory)).toBe(before + 1));
    const unlockVault = lock('vault');
    unlockFacts();
    await eventually(() => expect(recorded('Stored, not answered')).toHaveLength(1));
    expectUnavailable(await writing);
    unlockVault();
    const found = successful(await post('Stored, not answered', 'stored-not-answered'));
    expect(recorded('Stored, not answered')).toMatchObject([{ stream: `protocol-${found.body.id}` }]);
  });
});

/** Returns how many records the vault holds. */
const recordsIn = (directory: string): number => {
  const db = new Database(join(directory, 'vault.sqlite'), { readOnly: true });
  try {
    return Number(db.prepareValue('SELECT count(*) FROM records').get());
  } finally {
    db.close();
  }
};
