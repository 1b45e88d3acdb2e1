// The facts on SQLite: one table in order of commit. Appends go through a writer thread; reads use the WAL snapshot.
import { join } from 'node:path';
import { AppendTooLarge, MAX_APPEND_BYTES, STORES } from '../errors.js';
import { migrate } from '../sqlite/database.js';
import { SqliteStore } from '../sqlite/store.js';
import { Bells } from './bells.js';
import type { AppendOutcome, Expected, Facts, LogPage, LogRange, NewEvent, Position, StreamRange } from './facts.js';
import { eventsOf } from './revisions.js';
import { type EventRow, eventPage, positionOf, SqliteLog } from './sqlite/log.js';
import type { AppendReply, FactsOperations } from './sqlite/statements.js';
import { subscribe } from './subscribe.js';

const MIGRATIONS = [
  `CREATE TABLE events (
     position INTEGER PRIMARY KEY,
     stream   TEXT NOT NULL,
     revision INTEGER NOT NULL,
     id       TEXT NOT NULL,
     type     TEXT NOT NULL,
     data     TEXT NOT NULL,
     metadata TEXT NOT NULL,
     UNIQUE (stream, revision)
   ) STRICT;`,
];

// How soon a subscription notices the appends of other processes.
const POLL_MS = 250;

export class SqliteFacts implements Facts {
  readonly #store: SqliteStore<FactsOperations>;
  readonly #bells: Bells;
  readonly #log: SqliteLog;
  readonly #statements;

  constructor(directory: string) {
    const file = join(directory, 'facts.sqlite');
    this.#bells = new Bells({ file });
    this.#store = new SqliteStore({
      name: STORES.log,
      file,
      upgrade: (path) => migrate(path, MIGRATIONS),
      operations: new URL('./sqlite/statements.js', import.meta.url),
    });
    const { db } = this.#store;
    this.#log = new SqliteLog(db);
    this.#statements = {
      forwards: db.prepare<[string, number], EventRow>(
        'SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision',
      ),
      one: db.prepare<[string, number], EventRow>('SELECT * FROM events WHERE stream = ? AND revision = ?'),
      backwards: db.prepare<[string, number], EventRow>(
        'SELECT * FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC',
      ),
    };
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    let bytes = 0;
    const fields = events.flatMap(({ id, type, data, metadata }) => {
      const payload = JSON.stringify(data);
      bytes += Buffer.byteLength(payload);
      return [id, type, payload, JSON.stringify(metadata)];
    });
    if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
    const after = expected === 'no-stream' ? -1 : expected;
    const position = await this.#store
      .run('append', [stream, after, ...fields])
      .catch((error: unknown) => this.#settled(stream, after + events.length, events.at(-1)?.id, error));
    if (position === undefined) return { outcome: 'conflict' };
    this.#bells.appended(stream);
    return { outcome: 'written', revision: after + events.length, position: positionOf(position) };
  }

  readStream(stream: string, range: StreamRange = {}) {
    const rows = this.#statements[range.backwards ? 'backwards' : 'forwards'];
    return eventsOf(stream, range, async ({ from = Number.MAX_SAFE_INTEGER, limit }) =>
      this.#store.read(() => eventPage(rows.iterate(stream, from), limit)),
    );
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    return this.#store.read(() => this.#log.page(range, limit));
  }

  async head(): Promise<Position | undefined> {
    const head = this.#store.read(() => this.#log.head());
    return head === 0 ? undefined : positionOf(head);
  }

  subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    const onFailure = (error: unknown) => {
      throw error;
    };
    const log = { pollMs: POLL_MS, readLog: this.readLog.bind(this), listen: this.#bells.add, onFailure };
    return subscribe(log, range, signal);
  }

  close(): Promise<void> {
    this.#bells.close();
    return this.#store.close();
  }

  // The writer may fail between the commit and its reply. The log itself shows what happened.
  #settled(stream: string, revision: number, id: string | undefined, error: unknown): AppendReply {
    const last = this.#store.read(() => this.#statements.one.get(stream, revision));
    if (last === undefined || last.id !== id) throw error;
    return last.position;
  }
}
