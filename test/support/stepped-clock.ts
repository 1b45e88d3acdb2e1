// The clocks of a process, of which a test sets the wall clock and leaves the monotonic clock as it is.
import { setTimeout as aWhile } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import type { Vault, VaultEntry, VaultRecord } from '../../src/infrastructure/vault/vault.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far the clock is set in a test. */
export const steps: readonly (readonly [string, number])[] = [
  ['back by ten seconds', -10_000],
  ['back by an hour', -HOUR_MS],
  ['back by 400 days', -400 * DAY_MS],
  ['ahead by an hour', HOUR_MS],
  ['ahead by 400 days', 400 * DAY_MS],
];

export const stepsBack = steps.filter(([, ms]) => ms < 0);

/** Replaces `Date` and `performance.now()` until the test ends. */
export const steppedClock = () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return {
    /** Sets the wall clock. */
    step: (ms: number) => void vi.setSystemTime(Date.now() + ms),
    /** Lets time pass. Caches read their clock once per millisecond of real time. */
    pass: async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await aWhile(3);
    },
  };
};

interface Kept extends VaultRecord {
  readonly subject: string | undefined;
}

/** Returns a vault in memory. That of SQLite has a thread with a clock of its own. */
export const memoryVault = (): Vault => {
  const records = new Map<string, Kept>();
  const nameOf = ({ kind, key }: { readonly kind: string; readonly key: string }) => `${kind} ${key}`;
  const isAlive = (record: Kept | undefined): record is Kept =>
    record !== undefined && (record.expiresAt ?? Number.POSITIVE_INFINITY) > Date.now();
  const put = ({ kind, key, value, expiresAt, subject }: VaultEntry, version: number) => {
    records.set(nameOf({ kind, key }), { kind, key, value, expiresAt, subject, version });
    return version;
  };
  const alive = (isWanted: (record: Kept) => boolean) =>
    [...records.values()].filter((record) => isAlive(record) && isWanted(record)) as never[];
  return {
    get: async (key) => alive((record) => nameOf(record) === nameOf(key))[0],
    getMany: async (kind, keys) => alive((record) => record.kind === kind && keys.includes(record.key)),
    ofKind: async (kind, after = '') => alive((record) => record.kind === kind && record.key > after),
    ofSubject: async (kind, subject) => alive((record) => record.kind === kind && record.subject === subject),
    insert: async (entry) => {
      const version = records.get(nameOf(entry))?.version ?? 0;
      return isAlive(records.get(nameOf(entry))) ? undefined : put(entry, version + 1);
    },
    replace: async (entry, version) => {
      const before = records.get(nameOf(entry));
      return isAlive(before) && before.version === version && put(entry, version + 1) > 0;
    },
    remove: async (key, version) => {
      const before = records.get(nameOf(key));
      const hasVersion = version === undefined || before?.version === version;
      return isAlive(before) && hasVersion && records.delete(nameOf(key));
    },
    removeSubject: async () => 0,
    purgeExpired: async () => 0,
    flush: async () => {},
    forget: async () => {},
    close: async () => {},
  };
};
