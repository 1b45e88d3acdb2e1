// Rotates the master key: every key in the vault is rewrapped, and the facts stay untouched. Services may run during a
// rotation. If a rotation is interrupted, the next one continues it.
import pLimit from 'p-limit';
import { VaultLock } from '../vault/lock.js';
import { pagesOfKind, type Vault, type VaultRecord } from '../vault/vault.js';
import type { MasterKey, MasterKeys } from './master-key.js';
import { KINDS, MasterKeyUnknown, unwrap, type WrappedKey, wrap } from './wrapping.js';

export interface Rotation {
  /** The id of the master key that now wraps. */
  readonly current: string;
  readonly rewrapped: number;
  /** The keys that could not be opened and are unchanged: their master key is unknown, or they were altered. */
  readonly left: readonly { readonly kind: string; readonly key: string; readonly reason: string }[];
}

// Low enough for the connections of a process.
const WRITES_AT_ONCE = 50;

export interface KeyCounts {
  readonly current: string;
  /** The counts by master key id. The current key is always included. */
  readonly counts: ReadonlyMap<string, number>;
}

export const countKeys = async (vault: Vault, masterKeys: MasterKeys): Promise<KeyCounts> => {
  const { id: current } = masterKeys.current();
  const counts = new Map([[current, 0]]);
  for await (const records of wrappedKeys(vault)) {
    for (const { value } of records) counts.set(value.masterKey, (counts.get(value.masterKey) ?? 0) + 1);
  }
  return { current, counts };
};

/** Rotates the master key. Rejects if another rotation is running, because two rotations would undo each other. */
export const rotateKeys = async (vault: Vault, masterKeys: MasterKeys): Promise<Rotation> => {
  const lock = await VaultLock.taken(vault, 'keys-rotate');
  if (lock === undefined)
    throw new Error('another rotation is running; if it was interrupted, try again after a minute');
  try {
    masterKeys.renew();
    const first = await passes(vault, masterKeys, lock);
    masterKeys.retire();
    // Until now, a process that had not reread the file may have wrapped a key with the old master key.
    const second = await passes(vault, masterKeys, lock);
    return { ...second, rewrapped: first.rewrapped + second.rewrapped };
  } finally {
    await lock.release();
  }
};

// Repeats until a pass finds nothing, because other processes may have wrapped keys with the old master key during a
// pass.
const passes = async (vault: Vault, masterKeys: MasterKeys, lock: VaultLock): Promise<Rotation> => {
  for (let rewrapped = 0; ; ) {
    const pass = await onePass(vault, masterKeys, lock);
    rewrapped += pass.rewrapped;
    if (pass.rewrapped === 0) return { ...pass, rewrapped };
  }
};

const onePass = async (vault: Vault, masterKeys: MasterKeys, lock: VaultLock): Promise<Rotation> => {
  const current = masterKeys.current();
  const limited = pLimit(WRITES_AT_ONCE);
  const left: Rotation['left'][number][] = [];
  let rewrapped = 0;
  for await (const records of wrappedKeys(vault)) {
    if (!(await lock.prolong())) {
      throw new Error('the rotation took too long, and another one may have started; run it again');
    }
    const old = records.filter(({ value }) => value.masterKey !== current.id);
    const reasons = await Promise.all(old.map((record) => limited(() => rewrap(vault, masterKeys, current, record))));
    const leftNow = old.flatMap(({ kind, key }, index) => {
      const reason = reasons[index];
      return reason === undefined ? [] : [{ kind, key, reason }];
    });
    left.push(...leftNow);
    rewrapped += old.length - leftNow.length;
  }
  return { current: current.id, rewrapped, left };
};

/** Wraps the key of a record with the current master key. Returns the reason if the key cannot be opened. */
const rewrap = async (
  vault: Vault,
  masterKeys: MasterKeys,
  current: MasterKey,
  record: VaultRecord<WrappedKey>,
): Promise<string | undefined> => {
  try {
    const opened = unwrap(masterKeys, record);
    if (opened === undefined) return 'it was altered';
    const { kind, key, version } = record;
    const subject = kind === 'person-key' ? key : undefined;
    // A key that was erased or changed in the meantime is left alone.
    await vault.replace({ kind, key, value: wrap(current, record, opened), subject }, version);
    return undefined;
  } catch (error) {
    if (error instanceof MasterKeyUnknown) return `the master key ${record.value.masterKey} is unknown`;
    throw error;
  }
};

async function* wrappedKeys(vault: Vault) {
  for (const kind of KINDS) yield* pagesOfKind<WrappedKey>(vault, kind);
}
