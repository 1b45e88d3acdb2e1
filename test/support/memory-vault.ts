// The vault in the memory of the test, for tests of what uses a vault. It gives the guarantees of every engine, but it
// ignores `close`: it stands for the stores of several processes at once.
import {
  KEPT_KINDS,
  type RecordKey,
  type Vault,
  type VaultEntry,
  type VaultRecord,
  VERSION_KEPT_MS,
} from '../../src/infrastructure/vault/vault.js';

interface Held extends VaultEntry {
  readonly version: number;
}

const byKey = (a: RecordKey, b: RecordKey): number => (a.key < b.key ? -1 : 1);
const isAliveAt =
  (now: number) =>
  ({ expiresAt }: Held): boolean =>
    expiresAt === undefined || expiresAt > now;

export class MemoryVault implements Vault {
  readonly #kinds = new Map<string, Map<string, Held>>();
  readonly #written: VaultEntry[] = [];

  async get<T>({ kind, key }: RecordKey): Promise<VaultRecord<T> | undefined> {
    return (await this.getMany<T>(kind, [key]))[0];
  }

  async getMany<T>(kind: string, keys: readonly string[]): Promise<readonly VaultRecord<T>[]> {
    const records = this.#ofKind(kind);
    return recordsOf<T>([...new Set(keys)].flatMap((key) => records.get(key) ?? []));
  }

  async ofKind<T>(kind: string, after: string | undefined, limit: number): Promise<readonly VaultRecord<T>[]> {
    const behind = [...this.#ofKind(kind).values()].filter(({ key }) => key > (after ?? ''));
    return recordsOf<T>(behind.toSorted(byKey)).slice(0, limit);
  }

  async insert(entry: VaultEntry): Promise<number | undefined> {
    if (this.#alive(entry) !== undefined) return undefined;
    return this.#put(entry, this.#ofKind(entry.kind).get(entry.key)?.version);
  }

  // Nothing awaits between a comparison and its change.
  async replace(entry: VaultEntry, version: number): Promise<boolean> {
    return this.#alive(entry)?.version === version && this.#put(entry, version) > version;
  }

  async remove(key: RecordKey, version?: number): Promise<boolean> {
    const held = this.#alive(key);
    if (held === undefined || held.version !== (version ?? held.version)) return false;
    return this.#ofKind(key.kind).delete(key.key);
  }

  async ofSubject<T>(kind: string, subject: string): Promise<readonly VaultRecord<T>[]> {
    const held = [...this.#ofKind(kind).values()].filter((each) => each.subject === subject);
    return recordsOf<T>(held.toSorted(byKey));
  }

  async removeSubject(subject: string): Promise<number> {
    return this.#removeAll((held) => held.subject === subject, Number.POSITIVE_INFINITY);
  }

  async purgeExpired(limit: number): Promise<number> {
    const keptFor = ({ kind }: Held) => (KEPT_KINDS.includes(kind) ? VERSION_KEPT_MS : 0);
    return this.#removeAll((held) => !isAliveAt(Date.now() - keptFor(held))(held), limit);
  }

  async flush(): Promise<void> {}

  async forget(): Promise<void> {}

  async close(): Promise<void> {}

  /** Returns all that was ever written, as text: a file may still hold what was replaced or removed. */
  written(): string {
    return JSON.stringify(this.#written);
  }

  #ofKind(kind: string): Map<string, Held> {
    const records = this.#kinds.get(kind) ?? new Map<string, Held>();
    this.#kinds.set(kind, records);
    return records;
  }

  #alive({ kind, key }: RecordKey): Held | undefined {
    const held = this.#ofKind(kind).get(key);
    return held !== undefined && isAliveAt(Date.now())(held) ? held : undefined;
  }

  #put({ value, ...entry }: VaultEntry, before = 0): number {
    const version = before + 1;
    this.#written.push({ ...entry, value });
    this.#ofKind(entry.kind).set(entry.key, { ...entry, value: JSON.stringify(value), version });
    return version;
  }

  #removeAll(isRemoved: (held: Held) => boolean, limit: number): number {
    const all = [...this.#kinds.values()].flatMap((records) => [...records.values()]);
    const removed = all.filter(isRemoved).slice(0, limit);
    for (const { kind, key } of removed) this.#ofKind(kind).delete(key);
    return removed.length;
  }
}

const recordsOf = <T>(held: readonly Held[]): readonly VaultRecord<T>[] =>
  held.filter(isAliveAt(Date.now())).map(({ kind, key, value, version, expiresAt }) => ({
    kind,
    key,
    value: JSON.parse(value as string),
    version,
    expiresAt,
  }));
