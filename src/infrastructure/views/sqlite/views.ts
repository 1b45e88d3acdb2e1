// The views on SQLite: a table for each collection and generation, documents as JSON text beside the indexed fields.

import { join } from 'node:path';
import { messageOf, ReadModelOutdated, STORES } from '../../errors.js';
import { firstPage } from '../../pages.js';
import { createOrEmpty, preparedOnce } from '../../sqlite/database.js';
import { SqliteStore } from '../../sqlite/store.js';
import type { ArgumentOf, ChangeName, Control } from '../control.js';
import { type Advance, ControlledViews, type Controls } from '../controlled-views.js';
import {
  type CountQuery,
  type Document,
  type DocumentWrite,
  fitting,
  type Generation,
  type Index,
  type Lease,
  type ListPage,
  type ListQuery,
  type Views,
} from '../views.js';
import { candidatesOf, countOf, isRange, MAX_SORTED, rangedOf, type Selection, selectionOf, sizesOf } from './lists.js';
import type { ViewsOperations } from './operations.js';
import { SCHEMA, tableOf } from './tables.js';

export class SqliteViews extends ControlledViews implements Views {
  // One process owns the directory.
  protected override readonly abandonedAfterMs = 0;
  readonly #store: SqliteStore<ViewsOperations>;
  readonly #statement;
  readonly #records;
  readonly #live;
  readonly #liveNumbers = new Map<string, number>();

  constructor(directory: string) {
    super();
    this.#store = new SqliteStore({
      name: STORES.views,
      file: join(directory, 'views.sqlite'),
      upgrade: (file) => createOrEmpty(file, SCHEMA),
      operations: new URL('./operations.js', import.meta.url),
      // Documents and checkpoint are in one transaction, so a power failure takes both back, and a worker folds the
      // events again. Commits that must be durable are flushed (docs/decisions.md).
      synchronous: 'NORMAL',
    });
    const { db } = this.#store;
    this.#statement = preparedOnce(db);
    this.#records = db.prepare<[], { name: string; control: string }>(
      'SELECT name, control FROM projections ORDER BY name',
    );
    this.#live = db.prepareValue<[string], number>("SELECT control ->> 'live' FROM projections WHERE name = ?");
  }

  async get(collection: string, id: string): Promise<Document | undefined> {
    return this.#fromLive(collection, (generation) => {
      const table = tableOf(collection, generation);
      return plain(this.#statement<Document>(`SELECT id, body, revision, position FROM ${table} WHERE id = ?`).get(id));
    });
  }

  async getAll(collection: string, ids: readonly string[]): Promise<readonly Document[]> {
    return this.#fromLive(collection, (generation) => this.#withIds(tableOf(collection, generation), ids));
  }

  async count(query: CountQuery): Promise<number> {
    const collection = this.collection(query.collection);
    // In order of preference, so an index that most documents share comes last.
    const [leading] = candidatesOf(query, collection);
    return this.#fromLive(query.collection, (generation) =>
      this.#found(countOf({ query, collection, generation, leading })),
    );
  }

  async list(query: ListQuery): Promise<ListPage> {
    const collection = this.collection(query.collection);
    return this.#fromLive(query.collection, (generation) => {
      const isShort = (index: Index) => this.#found(rangedOf({ query, collection, generation }, index)) <= MAX_SORTED;
      const leading = candidatesOf(query, collection).find((index) => !isRange(index) || isShort(index));
      const listing = { query, collection, generation, leading };
      const sizes = listed(this.#row<{ readonly sizes: string }>(sizesOf(listing, query.limit + 1))?.sizes);
      const items = Math.min(query.limit, fitting(sizes.map(Number)));
      const row = this.#row<Readonly<Record<'json' | 'places', string>>>(selectionOf(listing, items));
      const places = listed(row?.places);
      return { json: row?.json ?? '[]', next: sizes.length > items ? places.at(-1) : undefined, places };
    });
  }

  async walk(collection: string, after = ''): Promise<readonly Document[]> {
    return this.#fromLive(collection, (generation) => {
      const table = tableOf(collection, generation);
      const rows = `SELECT id, body, revision, position FROM ${table} WHERE id > ? ORDER BY id`;
      return firstPage(this.#statement<Document>(rows).iterate(after), ({ body }) => body.length).page.map(plain);
    });
  }

  async load({ number }: Generation, collection: string, ids: readonly string[]) {
    return this.#store.read(() => this.#withIds(tableOf(collection, number), ids));
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

  protected async controls(): Promise<Controls> {
    const rows = this.#store.read(() => this.#records.all());
    return { records: Object.fromEntries(rows.map((row) => [row.name, JSON.parse(row.control)])), now: Date.now() };
  }

  protected change<Name extends ChangeName>(
    projection: string,
    name: Name,
    argument: ArgumentOf<Name>,
  ): Promise<Control | undefined> {
    return this.#store.run('change', { projection, name, argument });
  }

  /** Does nothing: a record and its tables change in one transaction. */
  protected async sweep(): Promise<number> {
    return 1;
  }

  protected write({ projection }: Lease, writes: readonly DocumentWrite[], argument: Advance): Promise<boolean> {
    return this.#store.run('commit', { projection, argument, writes });
  }

  #row<Row>({ sql, values }: Selection): Row | undefined {
    return this.#statement<Row>(sql).get(...values);
  }

  #found(selection: Selection): number {
    return this.#row<{ readonly found: number }>(selection)?.found ?? 0;
  }

  #withIds(table: string, ids: readonly string[]) {
    const wanted = 'WHERE id IN (SELECT value FROM json_each(?))';
    const sql = `SELECT id, body, revision, position, created FROM ${table} ${wanted}`;
    return this.#statement<Document & { created: string }>(sql).all(JSON.stringify(ids)).map(plain);
  }

  #fromLive<T>(collection: string, read: (generation: number) => T): T {
    const { projection } = this.collection(collection);
    return this.#store.read(() => this.#readLive(projection, read));
  }

  /**
   * Reads the live table. The number of the live generation is remembered. A rebuild drops the previous table in the
   * transaction that makes the next one live, so an old number fails, and the number is read again.
   */
  #readLive<T>(projection: string, read: (generation: number) => T): T {
    const known = this.#liveNumbers.get(projection);
    try {
      if (known !== undefined) return read(known);
    } catch {
      this.#liveNumbers.delete(projection);
    }
    const number = this.#live.get(projection) ?? 1;
    this.#liveNumbers.set(projection, number);
    try {
      return read(number);
    } catch (error) {
      const [, missing] = /^no such (?:table|column): (.+)$/.exec(messageOf(error)) ?? [];
      throw missing === undefined ? error : new ReadModelOutdated(projection, missing);
    }
  }
}

const listed = (text = ''): readonly string[] => (text === '' ? [] : text.split(','));

// A row of the driver has no prototype.
const plain = <T extends object | undefined>(row: T): T => row && { ...row };
