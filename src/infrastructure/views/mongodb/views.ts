// The views on MongoDB: a collection for each collection and generation, with documents as JSON text beside the indexed
// fields. No write spans two documents. The order of writes keeps them consistent.
import { setTimeout as pause } from 'node:timers/promises';
import type { Filter, Sort } from 'mongodb';
import { STORES, StoreUnavailable } from '../../errors.js';
import { type MongoConnection, type MongoDatabase, PATIENT_MS } from '../../mongodb/connection.js';
import {
  CURSOR_NOT_FOUND,
  mongoCodeOf,
  NAMESPACE_NOT_FOUND,
  QUERY_PLAN_KILLED,
  UnknownFailures,
} from '../../mongodb/failures.js';
import { makeIndexes } from '../../mongodb/indexes.js';
import { PAGE } from '../../pages.js';
import { type ArgumentOf, type ChangeName, type Control, collectionsOf } from '../control.js';
import { type Advance, ControlledViews, type Controls } from '../controlled-views.js';
import {
  type CountQuery,
  type Document,
  type DocumentWrite,
  fitting,
  type Generation,
  type Lease,
  type ListPage,
  type ListQuery,
  PAGE_BYTES,
  type Views,
} from '../views.js';
import { MongoControls, mustHave, REMEMBERED_MS } from './controls.js';
import {
  filteredFields,
  filterOf,
  indexesOf,
  type StoredDocument,
  storedDocuments,
  toDocument,
  WHOLE,
} from './documents.js';
import { writeDocuments } from './writes.js';

// The server sends documents in batches, whatever their size.
const BATCH = 32;

interface Selected {
  readonly sort?: Sort;
  readonly limit: number;
  /** The size after which no more documents are read. */
  readonly bytes?: number;
  /** The fields that the filter compares. */
  readonly fields?: readonly string[];
}

/** What a read needs of the live generation. */
interface Needed {
  readonly collection: string;
  readonly fields: readonly string[];
}

export class MongoViews extends ControlledViews implements Views {
  readonly #database: MongoDatabase;
  readonly #failures = new UnknownFailures();
  readonly #controls: MongoControls;

  constructor(connection: MongoConnection) {
    super();
    this.#database = connection.open(STORES.views, 'views');
    this.#controls = new MongoControls(this.#database);
  }

  async get(collection: string, id: string): Promise<Document | undefined> {
    const [found] = await this.#pageOf(collection, { _id: id }, { limit: 1 });
    return found && toDocument(found);
  }

  async getAll(collection: string, ids: readonly string[]): Promise<readonly Document[]> {
    if (ids.length === 0) return [];
    const found = await this.#pageOf(collection, { _id: { $in: ids } }, { limit: ids.length });
    return found.map(toDocument);
  }

  async count({ collection, ...query }: CountQuery): Promise<number> {
    const counted = await this.#fromLive({ collection, fields: filteredFields(query) }, async (name) => {
      const count = await this.#database.run((db, limits) =>
        storedDocuments(db, name).countDocuments(filterOf(query), limits),
      );
      return count === 0 ? undefined : count;
    });
    return counted ?? 0;
  }

  async list(query: ListQuery): Promise<ListPage> {
    const { collection, order, limit } = query;
    const sort = { created: order === 'oldest-first' ? 1 : -1 } as const;
    const size = { limit: limit + 1, bytes: PAGE_BYTES };
    const rows = await this.#pageOf(collection, filterOf(query), { sort, ...size, fields: filteredFields(query) });
    const page = rows.slice(0, Math.min(limit, fitting(rows.map(({ body }) => Buffer.byteLength(body)))));
    const places = page.map(({ created }) => created);
    return {
      json: `[${page.map(({ body }) => body).join(',')}]`,
      next: rows.length > page.length ? places.at(-1) : undefined,
      places,
    };
  }

  async walk(collection: string, after = ''): Promise<readonly Document[]> {
    const size = { limit: PAGE.items, bytes: PAGE.bytes };
    const found = await this.#pageOf(collection, { _id: { $gt: after } }, { sort: { _id: 1 }, ...size });
    return found.map(toDocument);
  }

  async load({ number }: Generation, collection: string, ids: readonly string[]) {
    if (ids.length === 0) return [];
    const found = await this.#database.run(
      (db, limits) =>
        storedDocuments(db, nameOf({ name: collection, number }))
          .find({ _id: { $in: ids } }, { ...limits, projection: WHOLE, batchSize: ids.length + 1 })
          .toArray(),
      PATIENT_MS,
    );
    return found.map((document) => ({ ...toDocument(document), created: document.created }));
  }

  /** Does nothing: every write is acknowledged from the journals of a majority. */
  async flush(): Promise<void> {}

  /** Does nothing: the server decides when it reuses the blocks of overwritten documents. */
  async forget(): Promise<void> {}

  close(): Promise<void> {
    return this.#database.close();
  }

  protected async controls(): Promise<Controls> {
    const found = await this.#controls.all();
    const records = Object.fromEntries(found.map(({ _id, control }) => [_id, control]));
    return { records, now: found[0]?.now.getTime() ?? 0 };
  }

  protected async change<Name extends ChangeName>(
    projection: string,
    name: Name,
    argument: ArgumentOf<Name>,
  ): Promise<Control | undefined> {
    const changed = await this.#controls.change(projection, name, argument);
    if (changed === undefined) return undefined;
    const { before, after } = changed;
    // Also those of generations that are already there: a process may have ended before it created them.
    const indexed = name === 'prepare' || name === 'start' ? collectionsOf(after) : [];
    for (const collection of indexed) await makeIndexes(this.#database, nameOf(collection), indexesOf(collection));
    await this.#dropUnread(collectionsOf(before, after).map(nameOf));
    return after;
  }

  /**
   * Writes the documents first, each guarded by its position, in the order of the shape's collections. The root is the
   * last of them, so a reader that reads the root first never has a root newer than its parts. Then sets the
   * checkpoint, guarded by the owner of the lease. This is correct without a transaction:
   *
   * - A document is a fold of the log up to its position by the code of its generation's version, on any worker. So two
   *   writes of one document at one position are the same, and of two writes the later position is correct.
   * - A checkpoint is set after its documents are acknowledged (`w: majority`: they outlive a failover between the two
   *   writes), so no crash leaves a checkpoint without its documents. A crash between the two leaves documents ahead of
   *   the checkpoint: the next worker skips, in each document, the events up to the document's position.
   * - A worker that was paused, lost its lease and wakes up late can still write documents, but never the checkpoint:
   *   the record names another owner, and a replacement that is still under way finds another token.
   *   If its successor has written a document, the document is at that batch's position or later, so the guard rejects
   *   the late write. If the successor has not reached or created the document yet, the document is written early, with
   *   the content that the successor will give it. It is then ahead of the checkpoint, as after a crash. Documents are
   *   never deleted from a generation, so no late write brings one back.
   * - In a generation that was dropped in the meantime, the late write creates its collection again. No other
   *   generation gets that number, and nobody reads the collection. It is dropped again here, or by the next `prepare`.
   */
  protected async write(lease: Lease, writes: readonly DocumentWrite[], advance: Advance): Promise<boolean> {
    const { projection, number } = lease;
    const isHeld = await this.#failures.watch(`${projection} ${number}`, async () => {
      for (const collection of this.collections.values()) {
        const own = writes.filter((write) => write.collection === collection.name);
        if (own.length > 0) await writeDocuments(this.#database, nameOf({ ...collection, number }), collection, own);
      }
      return this.#controls.advance(projection, advance);
    });
    if (!isHeld && writes.length > 0) await this.#dropIfForgotten(lease, writes);
    return isHeld;
  }

  async #pageOf(
    collection: string,
    filter: Filter<StoredDocument>,
    { bytes = Number.POSITIVE_INFINITY, fields = [], ...options }: Selected,
  ): Promise<readonly StoredDocument[]> {
    const found = await this.#fromLive({ collection, fields }, async (name) => {
      const batchSize = bytes === Number.POSITIVE_INFINITY ? options.limit + 1 : BATCH;
      const whole = { ...options, projection: WHOLE, batchSize };
      const page = await this.#database.run((db, limits) =>
        upTo(bytes, storedDocuments(db, name).find(filter, { ...limits, ...whole })),
      );
      return page.length === 0 ? undefined : page;
    });
    return found ?? [];
  }

  /**
   * Returns what `read` finds in the live collection. A dropped collection looks empty to a read, or ends the cursor of
   * the read. So if nothing is found, the live generation is queried again, and is read if it has changed. Rejects with
   * `StoreUnavailable` if an earlier version of the code built the live generation, without the collection or a field.
   */
  async #fromLive<T>({ collection, fields }: Needed, read: (name: string) => Promise<T | undefined>) {
    const { projection } = this.collection(collection);
    let number = await this.#controls.live(projection);
    while (number !== undefined) {
      const { found, failure } = await orDropped(read(nameOf({ name: collection, number })));
      if (found !== undefined) return found;
      const stored = await this.#controls.find(projection);
      if (stored?.control.live === number) {
        if (failure !== undefined) throw failure;
        mustHave(stored, collection, fields);
        return undefined;
      }
      number = stored?.control.live;
    }
    return undefined;
  }

  /**
   * Drops what a process left behind that ended between a switch and the drop, or that wrote late, and what another
   * format left. The order matters: a generation is stored before its collections are created, so a listed collection
   * without a stored generation is obsolete. Returns a number that no dropped collection had: another process may be
   * about to drop the same ones.
   */
  protected async sweep(): Promise<number> {
    const listed = await this.#database.run((db, limits) =>
      db.listCollections({}, { ...limits, nameOnly: true }).toArray(),
    );
    const known = new Set((await this.#controls.all()).flatMap(({ control }) => collectionsOf(control).map(nameOf)));
    const obsolete = listed.filter(({ name }) => /_\d+$/.test(name) && !known.has(name));
    for (const { name } of obsolete) await this.#drop(name);
    return 1 + Math.max(0, ...obsolete.map(({ name }) => Number(name.slice(name.lastIndexOf('_') + 1))));
  }

  async #dropIfForgotten({ projection, number }: Lease, writes: readonly DocumentWrite[]): Promise<void> {
    if ((await this.#controls.find(projection))?.control.generations[number] !== undefined) return;
    const written = new Set(writes.map(({ collection }) => collection));
    for (const name of written) await this.#drop(nameOf({ name, number }));
  }

  // Waits until every reader has noticed the switch: a late write of a former worker recreates a dropped collection for
  // a moment, and a reader that mistakes it for the live collection would see only that batch.
  async #dropUnread(names: readonly string[]): Promise<void> {
    if (names.length > 0) await pause(1.5 * REMEMBERED_MS);
    for (const name of names) await this.#drop(name);
  }

  async #drop(name: string): Promise<void> {
    try {
      await this.#database.run((db, limits) => db.dropCollection(name, limits), PATIENT_MS);
    } catch (error) {
      // Another process was first. Some servers have no code for this error.
      const isGone =
        mongoCodeOf(error) === NAMESPACE_NOT_FOUND || (error instanceof Error && error.message === 'ns not found');
      if (!isGone) throw error;
    }
  }
}

/** Returns the first documents, up to the second or later one with which they have more than so many bytes. */
const upTo = async (bytes: number, documents: AsyncIterable<StoredDocument>): Promise<readonly StoredDocument[]> => {
  const page: StoredDocument[] = [];
  let read = 0;
  for await (const document of documents) {
    page.push(document);
    read += Buffer.byteLength(document.body);
    if (read > bytes && page.length > 1) break;
  }
  return page;
};

const nameOf = ({ name, number }: { readonly name: string; readonly number: number }): string => `${name}_${number}`;

const orDropped = async <T>(reading: Promise<T>): Promise<{ found?: T; failure?: unknown }> => {
  try {
    return { found: await reading };
  } catch (error) {
    const code = error instanceof StoreUnavailable ? mongoCodeOf(error) : undefined;
    if (code === CURSOR_NOT_FOUND || code === QUERY_PLAN_KILLED) return { failure: error };
    throw error;
  }
};
