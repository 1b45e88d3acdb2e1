// The vault on SQLite: one table of records. Writes go through a writer thread; reads use the WAL snapshot.
import { join } from 'node:path';
import { STORES } from '../errors.js';
import { migrate } from '../sqlite/database.js';
import { SqliteStore } from '../sqlite/store.js';
import type { RecordArgument, VaultOperations } from './sqlite-statements.js';
import type { RecordKey, Vault, VaultEntry, VaultRecord } from './vault.js';

const MIGRATIONS = [
  `CREATE TABLE records (
     kind       TEXT NOT NULL,
     key        TEXT NOT NULL,
     value      TEXT NOT NULL,
     version    INTEGER NOT NULL,
     subject    TEXT,
     expires_at INTEGER,
     PRIMARY KEY (kind, key)
   ) STRICT;
   CREATE INDEX records_of_subject ON records (subject, kind, key) WHERE subject IS NOT NULL;
   CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;`,
];

interface RecordRow extends RecordKey {
  readonly value: string;
  readonly version: number;
  readonly expiresAt: number | null;
}

export class SqliteVault implements Vault {
  readonly #store: SqliteStore<VaultOperations>;
  readonly #statements;

  constructor(directory: string) {
    this.#store = new SqliteStore({
      name: STORES.vault,
      file: join(directory, 'vault.sqlite'),
      upgrade: (file) => migrate(file, MIGRATIONS),
      operations: new URL('./sqlite-statements.js', import.meta.url),
    });
    const { db } = this.#store;
    const record = 'SELECT kind, key, value, version, expires_at AS expiresAt FROM records';
    const alive = '(expires_at IS NULL OR expires_at > ?)';
    this.#statements = {
      one: db.prepare<[string, string, number], RecordRow>(`${record} WHERE kind = ? AND key = ? AND ${alive}`),
      many: db.prepare<[string, string, number], RecordRow>(
        `${record} WHERE kind = ? AND key IN (SELECT value FROM json_each(?)) AND ${alive}`,
      ),
      ofKind: db.prepare<[string, string, number, number], RecordRow>(
        `${record} WHERE kind = ? AND key > ? AND ${alive} ORDER BY key LIMIT ?`,
      ),
      ofSubject: db.prepare<[string, string, number], RecordRow>(
        `${record} WHERE kind = ? AND subject = ? AND ${alive} ORDER BY key`,
      ),
    };
  }

  async get<T>({ kind, key }: RecordKey): Promise<VaultRecord<T> | undefined> {
    const row = this.#store.read(() => this.#statements.one.get(kind, key, Date.now()));
    return row && toRecord<T>(row);
  }

  async getMany<T>(kind: string, keys: readonly string[]): Promise<readonly VaultRecord<T>[]> {
    const [key, ...others] = new Set(keys);
    if (key === undefined) return [];
    // Every event with personal fields asks for one key, which takes a fraction of the time without json_each.
    if (others.length === 0) return [await this.get<T>({ kind, key })].filter((found) => found !== undefined);
    const wanted = JSON.stringify([key, ...others]);
    return this.#store.read(() => this.#statements.many.all(kind, wanted, Date.now())).map(toRecord<T>);
  }

  async ofKind<T>(kind: string, after: string | undefined, limit: number): Promise<readonly VaultRecord<T>[]> {
    return this.#store.read(() => this.#statements.ofKind.all(kind, after ?? '', Date.now(), limit)).map(toRecord<T>);
  }

  async insert(entry: VaultEntry): Promise<number | undefined> {
    return this.#store.run('insert', toArgument(entry));
  }

  async replace(entry: VaultEntry, version: number): Promise<boolean> {
    return this.#store.run('replace', { ...toArgument(entry), version });
  }

  async remove({ kind, key }: RecordKey, version?: number): Promise<boolean> {
    return this.#store.run('remove', { kind, key, version: version ?? null });
  }

  async ofSubject<T>(kind: string, subject: string): Promise<readonly VaultRecord<T>[]> {
    return this.#store.read(() => this.#statements.ofSubject.all(kind, subject, Date.now())).map(toRecord<T>);
  }

  async removeSubject(subject: string): Promise<number> {
    return this.#store.run('removeSubject', subject);
  }

  async purgeExpired(limit: number): Promise<number> {
    return this.#store.run('purgeExpired', limit);
  }

  flush(): Promise<void> {
    return this.#store.flush();
  }

  forget(): Promise<void> {
    return this.#store.forget();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

const toArgument = ({ kind, key, value, subject, expiresAt }: VaultEntry): RecordArgument => ({
  kind,
  key,
  value: JSON.stringify(value),
  subject: subject ?? null,
  expiresAt: expiresAt ?? null,
});

const toRecord = <T>({ kind, key, value, version, expiresAt }: RecordRow): VaultRecord<T> => ({
  kind,
  key,
  value: JSON.parse(value),
  version,
  expiresAt: expiresAt ?? undefined,
});
