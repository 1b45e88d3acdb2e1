// The facts on SQLite: one table in order of commit. Appends go through a writer thread; reads use the WAL snapshot.
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Bell } from '../bell.js';
import { AppendTooLarge, StreamTruncated } from '../errors.js';
import { migrate } from '../sqlite/database.js';
import { SqliteStore } from '../sqlite/store.js';
import type {
  AppendOutcome,
  Expected,
  Facts,
  LogPage,
  LogRange,
  LogRangeBackwards,
  NewEvent,
  Position,
  RecordedEvent,
  Truncation,
} from './facts.js';
import { beginsAt, gapIn } from './revisions.js';
import { PAGE_EVENTS, pageOf, SqliteLog } from './sqlite-log.js';
import { type EventRow, toPosition } from './sqlite-rows.js';
import type { AppendReply, FactsOperations } from './sqlite-statements.js';

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

// The same limit as EventStoreDB's, so that what one engine stores the other can take over.
const MAX_APPEND_BYTES = 1_048_576;
// How often another process's commits are looked for; this process's own wake subscribers at once.
const FOREIGN_COMMITS_MS = 20;

/** Events that may be in the log, and the revision that the last of them has there. */
interface Written {
  readonly stream: string;
  readonly revision: number;
  readonly events: readonly NewEvent[];
}

/** The facts in `facts.sqlite` under `directory`. */
export class SqliteFacts implements Facts {
  readonly maxAppendBytes = MAX_APPEND_BYTES;
  readonly #store: SqliteStore<FactsOperations>;
  readonly #bells = new Set<Bell>();
  readonly #log: SqliteLog;
  readonly #statements;
  readonly threadReader;

  constructor(directory: string) {
    const file = join(directory, 'facts.sqlite');
    this.threadReader = { module: new URL('./sqlite-log.js', import.meta.url).href, file };
    this.#store = new SqliteStore(
      'the event log',
      file,
      (path) => migrate(path, MIGRATIONS),
      new URL('./sqlite-statements.js', import.meta.url),
    );
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
    if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes, MAX_APPEND_BYTES);
    const after = expected === 'no-stream' ? -1 : expected;
    const position = await this.#store
      .run('append', [stream, after, ...fields])
      .catch((error: unknown) => this.#settled({ stream, revision: after + events.length, events }, error));
    if (position === undefined) return { outcome: 'conflict' };
    for (const { ring } of this.#bells) ring();
    return { outcome: 'written', revision: after + events.length, position: toPosition(position) };
  }

  async *readStream(stream: string, fromRevision = 0): AsyncGenerator<RecordedEvent> {
    for (let from = fromRevision; ; ) {
      const page = this.#page(() => this.#statements.forwards.iterate(stream, from));
      mustBeWhole(stream, gapIn(page.events, from, 1));
      yield* page.events;
      if (page.complete) return;
      from += page.events.length;
      await nextTurn();
    }
  }

  async *readStreamBackwards(stream: string): AsyncGenerator<RecordedEvent> {
    for (let from: number | undefined; ; ) {
      const page = this.#page(() => this.#statements.backwards.iterate(stream, from ?? Number.MAX_SAFE_INTEGER));
      mustBeWhole(stream, gapIn(page.events, from, -1));
      yield* page.events;
      const first = page.events.at(-1)?.revision ?? 0;
      if (page.complete) return mustBeWhole(stream, first === 0 ? undefined : beginsAt(first));
      from = first - 1;
      await nextTurn();
    }
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    return this.#store.read(() => this.#log.page(range, limit));
  }

  async readLogBackwards(range: LogRangeBackwards, limit: number): Promise<LogPage> {
    return this.#store.read(() => this.#log.pageBackwards(range, limit));
  }

  async head(): Promise<Position | undefined> {
    const head = this.#store.read(() => this.#log.head());
    return head === 0 ? undefined : toPosition(head);
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    const bell = new Bell();
    let version = this.#dataVersion();
    const poll = setInterval(() => {
      const now = this.#dataVersion();
      if (now !== version) bell.ring();
      version = now;
    }, FOREIGN_COMMITS_MS);
    this.#bells.add(bell);
    signal.addEventListener('abort', bell.ring);
    try {
      for (let after = range.after, isDue = true; !signal.aborted; ) {
        const page = await this.readLog({ ...range, after }, PAGE_EVENTS);
        if (isDue || page.position !== after) yield page;
        after = page.position;
        isDue = !page.atEnd;
        await (page.atEnd ? bell.heard() : nextTurn());
      }
    } finally {
      clearInterval(poll);
      this.#bells.delete(bell);
      signal.removeEventListener('abort', bell.ring);
    }
  }

  /** Returns none: SQLite hides and removes nothing by itself. */
  async truncations(): Promise<readonly Truncation[]> {
    return [];
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  // The writer may have been lost between the commit and its reply: the log itself knows what happened.
  #settled({ stream, revision, events }: Written, error: unknown): AppendReply {
    const last = this.#store.read(() => this.#statements.one.get(stream, revision));
    if (last === undefined || last.id !== events.at(-1)?.id) throw error;
    return last.position;
  }

  #page(rows: () => Iterable<EventRow>) {
    return this.#store.read(() => pageOf(rows(), PAGE_EVENTS));
  }

  // Runs in a timer, where nobody would catch: no version counts as another one, and the read that follows says why.
  #dataVersion(): unknown {
    try {
      return this.#store.db.pragma('data_version', { simple: true });
    } catch {
      return undefined;
    }
  }
}

const mustBeWhole = (stream: string, gap: string | undefined): void => {
  if (gap !== undefined) throw new StreamTruncated(stream, gap);
};
