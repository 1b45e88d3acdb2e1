// The secrets on SQLite: one table of records. Changes go through a writer thread; reads use the WAL snapshot.
import { join } from 'node:path';
import { type Database, migrate, openForReading } from '../sqlite/database.js';
import { readOr } from '../sqlite/reading.js';
import { SqliteWriter } from '../sqlite/writer.js';
import type { RecordArgument, RemoveArgument, ReplaceArgument } from './sqlite-operations.js';
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

const STORE = 'the vault';

interface Row extends RecordKey {
  readonly value: string;
  readonly version: number;
  readonly expiresAt: number | null;
}

/** The vault in `vault.sqlite` under `directory`. */
export class SqliteVault implements Vault {
  readonly #db: Database;
  readonly #writer: SqliteWriter;
  readonly #statements;

  /** Opens the file, or makes it. Throws where it cannot be opened or was written by a newer program. */
  constructor(directory: string) {
    const file = join(directory, 'vault.sqlite');
    this.#db = readOr(STORE, () => {
      migrate(file, MIGRATIONS);
      return openForReading(file);
    });
    this.#writer = new SqliteWriter(STORE, file, new URL('./sqlite-operations.js', import.meta.url));
    const record = 'SELECT kind, key, value, version, expires_at AS expiresAt FROM records';
    const alive = '(expires_at IS NULL OR expires_at > ?)';
    this.#statements = {
      one: this.#db.prepare<[string, string, number], Row>(`${record} WHERE kind = ? AND key = ? AND ${alive}`),
      many: this.#db.prepare<[string, string, number], Row>(
        `${record} WHERE kind = ? AND key IN (SELECT value FROM json_each(?)) AND ${alive}`,
      ),
      ofKind: this.#db.prepare<[string, string, number, number], Row>(
        `${record} WHERE kind = ? AND key > ? AND ${alive} ORDER BY key LIMIT ?`,
      ),
      ofSubject: this.#db.prepare<[string, string, number], Row>(
        `${record} WHERE kind = ? AND subject = ? AND ${alive} ORDER BY key`,
      ),
    };
  }

  async get<T>({ kind, key }: RecordKey): Promise<VaultRecord<T> | undefined> {
    const row = readOr(STORE, () => this.#statements.one.get(kind, key, Date.now()));
    return row && toRecord<T>(row);
  }

  async getMany<T>(kind: string, keys: readonly string[]): Promise<readonly VaultRecord<T>[]> {
    const wanted = JSON.stringify([...new Set(keys)]);
    return readOr(STORE, () => this.#statements.many.all(kind, wanted, Date.now())).map(toRecord<T>);
  }

  async ofKind<T>(kind: string, after: string | undefined, limit: number): Promise<readonly VaultRecord<T>[]> {
    return readOr(STORE, () => this.#statements.ofKind.all(kind, after ?? '', Date.now(), limit)).map(toRecord<T>);
  }

  async insert(entry: VaultEntry): Promise<boolean> {
    return this.#writer.run('insert', toArgument(entry));
  }

  async replace(entry: VaultEntry, version: number): Promise<boolean> {
    const argument: ReplaceArgument = { ...toArgument(entry), version };
    return this.#writer.run('replace', argument);
  }

  async remove({ kind, key }: RecordKey, version?: number): Promise<boolean> {
    const argument: RemoveArgument = { kind, key, version: version ?? null };
    return this.#writer.run('remove', argument);
  }

  async ofSubject<T>(kind: string, subject: string): Promise<readonly VaultRecord<T>[]> {
    return readOr(STORE, () => this.#statements.ofSubject.all(kind, subject, Date.now())).map(toRecord<T>);
  }

  async removeSubject(subject: string): Promise<number> {
    return this.#writer.run('removeSubject', subject);
  }

  async purgeExpired(limit: number): Promise<number> {
    return this.#writer.run('purgeExpired', limit);
  }

  forget(): Promise<void> {
    return this.#writer.forget();
  }

  // The writer closes last: the last connection empties the WAL into the file, and only one that writes can.
  async close(): Promise<void> {
    this.#db.close();
    await this.#writer.close();
  }
}

const toArgument = ({ kind, key, value, subject, expiresAt }: VaultEntry): RecordArgument => ({
  kind,
  key,
  value: JSON.stringify(value),
  subject: subject ?? null,
  expiresAt: expiresAt ?? null,
});

const toRecord = <T>({ kind, key, value, version, expiresAt }: Row): VaultRecord<T> => ({
  kind,
  key,
  value: JSON.parse(value),
  version,
  expiresAt: expiresAt ?? undefined,
});
