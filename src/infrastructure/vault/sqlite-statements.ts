// The write operations of the vault engine, which run in the writer thread.
import type { Database } from '../sqlite/driver.js';
import { KEPT_KINDS, type RecordKey, VERSION_KEPT_MS } from './vault.js';

/** A record as it is passed to the writer thread: the value is already JSON text. */
export interface RecordArgument extends RecordKey {
  readonly value: string;
  readonly subject: string | null;
  readonly expiresAt: number | null;
}

const KEPT = KEPT_KINDS.map((kind) => `'${kind}'`).join(', ');
const ALIVE = '(expires_at IS NULL OR expires_at > @now)';

export type VaultOperations = ReturnType<typeof operationsOf>;

export const operationsOf = (db: Database) => {
  // Erased data must not stay readable in free pages of the file.
  db.pragma('secure_delete = ON');

  const insert = db.prepareValue<[RecordArgument & { now: number }], number>(
    `INSERT INTO records (kind, key, value, version, subject, expires_at)
     VALUES (@kind, @key, @value, 1, @subject, @expiresAt)
     ON CONFLICT (kind, key) DO UPDATE SET
       value = excluded.value, version = version + 1, subject = excluded.subject, expires_at = excluded.expires_at
     WHERE expires_at <= @now
     RETURNING version`,
  );
  const replace = db.prepare<[RecordArgument & { version: number; now: number }]>(
    `UPDATE records SET value = @value, version = version + 1, subject = @subject, expires_at = @expiresAt
     WHERE kind = @kind AND key = @key AND version = @version AND ${ALIVE}`,
  );
  const remove = db.prepare<[RecordKey & { version: number | null; now: number }]>(
    `DELETE FROM records
     WHERE kind = @kind AND key = @key AND (@version IS NULL OR version = @version) AND ${ALIVE}`,
  );
  const removeSubject = db.prepare<[string]>('DELETE FROM records WHERE subject = ?');
  const purge = db.prepare<[{ now: number; limit: number }]>(
    `DELETE FROM records WHERE rowid IN (
       SELECT rowid FROM records
       WHERE expires_at <= @now AND (kind NOT IN (${KEPT}) OR expires_at <= @now - ${VERSION_KEPT_MS})
       ORDER BY expires_at LIMIT @limit)`,
  );

  return {
    insert: (record: RecordArgument): number | undefined => insert.get({ ...record, now: Date.now() }),
    replace: (record: RecordArgument & { readonly version: number }): boolean =>
      replace.run({ ...record, now: Date.now() }).changes === 1,
    /** `version` is the required version; null for any. */
    remove: (record: RecordKey & { readonly version: number | null }): boolean =>
      remove.run({ ...record, now: Date.now() }).changes === 1,
    removeSubject: (subject: string): number => removeSubject.run(subject).changes,
    purgeExpired: (limit: number): number => purge.run({ now: Date.now(), limit }).changes,
  };
};
