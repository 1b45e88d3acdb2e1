// Stores that an earlier commit recorded with its own program (test/operations/stores/record.mjs), as if they were
// recorded now.
import { cpSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { temporaryDirectory } from '../../support/directory.js';

/** What was sent to the recorded service: requests with their keys and responses, its users, and who signed in. */
export interface Recorded {
  readonly recordedAt: string;
  readonly administrator: Readonly<Record<'email' | 'password', string>>;
  readonly refreshToken: string;
  /** The ids of the users, by what waited for them. */
  readonly users: Readonly<Record<'approved' | 'decided' | 'noticed' | 'queued' | 'waiting', string>>;
  readonly requests: readonly {
    readonly key: string;
    readonly method: string;
    readonly path: string;
    readonly body: unknown;
    readonly status: number;
    readonly answer: unknown;
    readonly isAnonymous: boolean;
  }[];
}

// A number this close to the moment of the recording is a time, in epoch milliseconds.
const NEAR_MS = 100 * 86_400_000;

/**
 * Copies the recorded stores of a commit. Moves every time in vault and queue forward by the age of the recording, so
 * that nothing has expired. The events keep their times, and so do the seeds of their ids and what the log has signed.
 */
export const copyOfRecorded = (commit: string): { readonly directory: string; readonly recorded: Recorded } => {
  const directory = temporaryDirectory();
  cpSync(join(import.meta.dirname, '../stores', commit), directory, { recursive: true });
  // .gitignore excludes the usual name.
  renameSync(join(directory, 'kept.key'), join(directory, 'master.key'));
  const recorded = JSON.parse(readFileSync(join(directory, 'recorded.json'), 'utf8')) as Recorded;
  const from = Date.parse(recorded.recordedAt);
  const ageMs = Date.now() - from;
  const moved = (value: unknown): unknown => {
    if (typeof value === 'number') return Math.abs(value - from) < NEAR_MS ? value + ageMs : value;
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, name === 'seed' ? of : moved(of)]));
  };
  const moveIn = (file: string, { table, time, json }: Readonly<Record<'table' | 'time' | 'json', string>>) => {
    const db = new Database(join(directory, file));
    db.exec(`UPDATE ${table} SET ${time} = ${time} + ${ageMs}`);
    const update = db.prepare<[string, number]>(`UPDATE ${table} SET ${json} = ? WHERE rowid = ?`);
    const rows = db
      .prepare<[], { id: number; json: string }>(`SELECT rowid AS id, ${json} AS json FROM ${table}`)
      .all();
    for (const row of rows) update.run(JSON.stringify(moved(JSON.parse(row.json))), row.id);
    db.close();
  };
  moveIn('vault.sqlite', { table: 'records', time: 'expires_at', json: 'value' });
  moveIn('work.sqlite', { table: 'jobs', time: 'due_at', json: 'data' });
  return { directory, recorded };
};
