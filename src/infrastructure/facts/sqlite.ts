// The facts on SQLite: one table in order of commit. Appends go through a writer thread; reads use the WAL snapshot.
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppendTooLarge, StreamTruncated } from '../errors.js';
import { migrate, preparedOnce } from '../sqlite/database.js';
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
import { boundsOf, type EventRow, logIn, toEvent, toPosition } from './sqlite-rows.js';
import type { AppendArgument, AppendReply, FactsOperations } from './sqlite-statements.js';
import { Wakeups } from './sqlite-wakeups.js';

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
// A page is read in one go on the event loop: small enough for a few milliseconds.
const PAGE_EVENTS = 256;
const PAGE_BYTES = 524_288;
// How many rows of other aggregates one page may pass over.
const PAGE_WINDOW = 8_192;

/** The facts in `facts.sqlite` under `directory`. */
export class SqliteFacts implements Facts {
  readonly maxAppendBytes = MAX_APPEND_BYTES;
  readonly #store: SqliteStore<FactsOperations>;
  readonly #wakeups = new Wakeups(() => this.#dataVersion());
  readonly #prepared;
  readonly #statements;

  constructor(directory: string) {
    this.#store = new SqliteStore({
      name: 'the event log',
      file: join(directory, 'facts.sqlite'),
      upgrade: (file) => migrate(file, MIGRATIONS),
      operations: new URL('./sqlite-statements.js', import.meta.url),
    });
    const { db } = this.#store;
    this.#prepared = preparedOnce(db);
    this.#statements = {
      forwards: db.prepare<[string, number], EventRow>(
        'SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision',
      ),
      one: db.prepare<[string, number], EventRow>('SELECT * FROM events WHERE stream = ? AND revision = ?'),
      backwards: db.prepare<[string, number], EventRow>(
        'SELECT * FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC',
      ),
      head: db.prepare<[], number | null>('SELECT max(position) FROM events').pluck(),
      version: db.prepare<[], number>('PRAGMA data_version').pluck(),
    };
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    const rows = events.map(({ id, type, data, metadata }) => ({
      id,
      type,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    }));
    const bytes = rows.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes, MAX_APPEND_BYTES);
    const argument: AppendArgument = { stream, expected: expected === 'no-stream' ? -1 : expected, events: rows };
    const reply = await this.#store.run('append', argument).catch((error: unknown) => this.#settled(argument, error));
    if (reply === undefined) return { outcome: 'conflict' };
    this.#wakeups.appended(stream);
    return { outcome: 'written', revision: reply.revision, position: toPosition(reply.position) };
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

  async readLog({ aggregates, after }: LogRange, limit: number): Promise<LogPage> {
    const from = after === undefined ? 0 : Number(after);
    const head = this.#head();
    const to = Math.min(head, from + PAGE_WINDOW);
    if (to <= from) return { events: [], position: after, atEnd: true };
    const { events, complete } = this.#page(
      () => this.#prepared<EventRow>(logIn('forwards', aggregates)).iterate(from, to, ...boundsOf(aggregates)),
      Math.min(limit, PAGE_EVENTS),
    );
    const position = complete ? toPosition(to) : (events.at(-1)?.position ?? after);
    return { events, position, atEnd: complete && to === head };
  }

  async readLogBackwards({ aggregates, before }: LogRangeBackwards, limit: number): Promise<LogPage> {
    const from = before === undefined ? this.#head() + 1 : Number(before);
    const to = Math.max(0, from - PAGE_WINDOW);
    const { events, complete } = this.#page(
      () => this.#prepared<EventRow>(logIn('backwards', aggregates)).iterate(to, from, ...boundsOf(aggregates)),
      Math.min(limit, PAGE_EVENTS),
    );
    const atEnd = complete && to === 0;
    return { events, position: complete ? toPosition(to) : events.at(-1)?.position, atEnd };
  }

  async head(): Promise<Position | undefined> {
    const head = this.#head();
    return head === 0 ? undefined : toPosition(head);
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    const bell = this.#wakeups.add(range.aggregates);
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
      this.#wakeups.remove(bell);
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
  #settled({ stream, expected, events }: AppendArgument, error: unknown): AppendReply {
    const revision = expected + events.length;
    const last = this.#store.read(() => this.#statements.one.get(stream, revision));
    if (last === undefined || last.id !== events.at(-1)?.id) throw error;
    return { revision, position: last.position };
  }

  #head(): number {
    return this.#store.read(() => this.#statements.head.get() ?? 0);
  }

  #page(rows: () => IterableIterator<EventRow>, most = PAGE_EVENTS) {
    return this.#store.read(() => {
      const events: RecordedEvent[] = [];
      let bytes = 0;
      for (const row of rows()) {
        events.push(toEvent(row));
        bytes += row.data.length;
        if (events.length >= most || bytes >= PAGE_BYTES) return { events, complete: false };
      }
      return { events, complete: true };
    });
  }

  // A timer calls it, where nobody catches: no version counts as another one, and the read that follows says why.
  #dataVersion(): unknown {
    try {
      return this.#statements.version.get();
    } catch {
      return undefined;
    }
  }
}

const mustBeWhole = (stream: string, gap: string | undefined): void => {
  if (gap !== undefined) throw new StreamTruncated(stream, gap);
};
