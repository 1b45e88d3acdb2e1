// Reads the documents of the views on SQLite.
import { preparedOnce } from '../sqlite/database.js';
import type { SqliteStore } from '../sqlite/store.js';
import { anyOf, countOf, MAX_SORTED, pageOf, prefixedOf, type Selection } from './sqlite-lists.js';
import { tableOf, type ViewsOperations } from './sqlite-statements.js';
import type {
  Collection,
  Document,
  Generation,
  ListPage,
  ListQuery,
  Part,
  ProjectionShape,
  Reference,
} from './views.js';

interface PageRow {
  readonly json: string;
  readonly items: number;
  /** The `created` of the last item; null if there is none. */
  readonly last: string | null;
}

/** Reads the documents of the views. */
export class SqliteDocuments {
  readonly #store: SqliteStore<ViewsOperations>;
  readonly #shapes = new Map<string, { readonly projection: string; readonly collection: Collection }>();
  readonly #statement;
  readonly #live;
  readonly #liveNumbers = new Map<string, number>();

  constructor(store: SqliteStore<ViewsOperations>) {
    this.#store = store;
    this.#statement = preparedOnce(store.db);
    this.#live = store.db.prepareValue<[string], number>(
      "SELECT number FROM generations WHERE projection = ? AND state = 'live'",
    );
  }

  /** Remembers the collections of a projection. */
  register({ name: projection, collections }: ProjectionShape): void {
    for (const collection of collections) this.#shapes.set(collection.name, { projection, collection });
  }

  /** Returns a collection of a known projection. Throws for any other name. */
  collection(name: string): Collection {
    return this.#shapeOf(name).collection;
  }

  get(collection: string, id: string): Document | undefined {
    return this.#fromLive(collection, (generation) => {
      const table = tableOf(collection, generation);
      return plain(this.#statement<Document>(`SELECT id, body, revision, position FROM ${table} WHERE id = ?`).get(id));
    });
  }

  getPart(root: Reference, part: Reference): Part | undefined {
    return this.#fromLive(root.collection, (generation) => {
      const [roots, parts] = [tableOf(root.collection, generation), tableOf(part.collection, generation)];
      const sql = `SELECT part.body, root.revision FROM ${roots} AS root JOIN ${parts} AS part ON part.id = ? WHERE root.id = ?`;
      return plain(this.#statement<Part>(sql).get(part.id, root.id));
    });
  }

  getAll(collection: string, ids: readonly string[]): readonly Document[] {
    return this.#fromLive(collection, (generation) => this.#withIds(tableOf(collection, generation), ids));
  }

  count(query: Pick<ListQuery, 'collection' | 'where' | 'prefix'>): number {
    const collection = this.collection(query.collection);
    return this.#fromLive(query.collection, (generation) => this.#found(countOf({ query, collection, generation })));
  }

  list(query: ListQuery): ListPage {
    const collection = this.collection(query.collection);
    return this.#fromLive(query.collection, (generation) => {
      const prefixed = prefixedOf({ query, collection, generation });
      const byPrefix = prefixed !== undefined && this.#found(prefixed) <= MAX_SORTED;
      const listing = { query, collection, generation, byPrefix };
      const { sql, values } = pageOf(listing, query.limit);
      const { json = '[]', items = 0, last = null } = this.#statement<PageRow>(sql).get(...values) ?? {};
      if (last === null || items < query.limit) return { json, next: undefined };
      const rest = anyOf({ ...listing, query: { ...query, after: last } });
      return { json, next: this.#statement(rest.sql).get(...rest.values) === undefined ? undefined : last };
    });
  }

  walk(collection: string, after = '', limit: number): readonly Document[] {
    return this.#fromLive(collection, (generation) => {
      const table = tableOf(collection, generation);
      const rows = `SELECT id, body, revision, position FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`;
      return this.#statement<Document>(rows).all(after, limit).map(plain);
    });
  }

  load({ number }: Generation, collection: string, ids: readonly string[]) {
    return this.#store.read(() => this.#withIds(tableOf(collection, number), ids));
  }

  #found({ sql, values }: Selection): number {
    return this.#statement<{ readonly found: number }>(sql).get(...values)?.found ?? 0;
  }

  #withIds(table: string, ids: readonly string[]) {
    const wanted = 'WHERE id IN (SELECT value FROM json_each(?))';
    const sql = `SELECT id, body, revision, position, created FROM ${table} ${wanted}`;
    return this.#statement<Document & { created: string }>(sql).all(JSON.stringify(ids)).map(plain);
  }

  #shapeOf(collection: string) {
    const shape = this.#shapes.get(collection);
    if (shape === undefined) throw new Error(`no projection was prepared that has the collection ${collection}`);
    return shape;
  }

  #fromLive<T>(collection: string, read: (generation: number) => T): T {
    const { projection } = this.#shapeOf(collection);
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
    return read(number);
  }
}

// A row of the driver has no prototype.
const plain = <T extends object | undefined>(row: T): T => row && { ...row };
