// Folds pages of the log into the documents of one generation: each document is read and written once a batch.
import { LRUCache } from 'lru-cache';
import { interpretable, type LogPage, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import type { Checkpoint, DocumentWrite, Generation, Views } from '../infrastructure/views/views.js';
import {
  applied,
  changedPeriods,
  documentIdOf,
  type ProjectedCollection,
  type Projection,
  type Timeline,
  type Working,
} from './projection.js';

/** The documents to write up to `position`. */
export interface Batch {
  readonly writes: readonly DocumentWrite[];
  /** Undefined if not even the first event of the batch could be folded. */
  readonly position: Position | undefined;
}

/** The result of folding a page: a batch, and the event that could not be folded, if any. */
export interface FoldedPage extends Batch {
  readonly poison: Poison | undefined;
}

/** The position of an event that stops a projection, and the reason. */
export type Poison = NonNullable<Checkpoint['stopped']>;

/** Returns what went wrong with an event, without anything of its payload. */
export const failureOf = ({ type, stream, revision, position }: RecordedEvent, error: unknown): Poison => {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { position, reason: `${type} in ${stream} at revision ${revision}: ${text}` };
};

// Measured as JSON: the objects take about three times as much heap.
const DOCUMENTS_KEPT_BYTES = 8 * 1024 * 1024;

/** A document that an event belongs to. */
interface Place {
  readonly documents: OpenDocuments;
  readonly id: string;
}

/** The documents that an event belongs to. `failure`: why a collection found no document, if the event is malformed. */
interface Places {
  readonly event: RecordedEvent;
  readonly found: readonly Place[];
  readonly failure: unknown;
}

/** The documents of one collection in the current batch. */
interface OpenDocuments {
  readonly collection: ProjectedCollection;
  /** The documents that were read or folded. */
  readonly working: Map<string, Working>;
  /** The ids of the folded documents. */
  readonly changed: Set<string>;
  /** The periods that began or ended, by id. */
  readonly periods: Map<string, Working>;
}

/** A document in memory. */
interface CachedDocument {
  /** Undefined if the generation has no such document. */
  readonly working: Working | undefined;
  readonly bytes: number;
}

const ABSENT: CachedDocument = { working: undefined, bytes: 0 };

/**
 * Folds one generation, in batches of one or more pages. It relies on each batch being stored before the batch after
 * the next one is folded. So it must be the only writer, and must be discarded if a batch was not stored.
 */
export class BatchFolder {
  readonly #generation: Generation;
  readonly #views: Views;
  readonly #open: readonly OpenDocuments[];
  /** The streams that start in the batch. */
  readonly #born = new Set<string>();
  #position: Position | undefined;
  /** The documents of the previous batch, which may not be stored yet. */
  #before: ReadonlyMap<string, CachedDocument> = new Map();
  readonly #kept = new LRUCache<string, CachedDocument>({
    maxSize: DOCUMENTS_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 200,
  });

  constructor({ folded }: Projection, generation: Generation, views: Views) {
    this.#open = folded.map((collection) => ({
      collection,
      working: new Map(),
      changed: new Set(),
      periods: new Map(),
    }));
    this.#generation = generation;
    this.#views = views;
  }

  /** Folds a page as a separate batch. */
  async fold(page: LogPage): Promise<FoldedPage> {
    const poison = await this.add(page);
    return { ...this.close(), poison };
  }

  /**
   * Folds the events of a page in order. Stops before the first event that cannot be folded, and returns that event.
   */
  async add({ events, position }: LogPage): Promise<Poison | undefined> {
    const places = events.map((event) => this.#placesOf(event));
    await this.#read(places);
    for (const place of places) {
      const failure = this.#apply(place);
      if (failure !== undefined) return failureOf(place.event, failure);
      this.#position = place.event.position;
    }
    this.#position = position ?? this.#position;
    return undefined;
  }

  /** Ends the batch and returns what must be stored. */
  close(): Batch {
    const written = new Map<string, CachedDocument>();
    const writes = this.#open.flatMap((documents) => [
      ...periodWritesOf(documents),
      ...documentWritesOf(documents).map(({ write, working }) => {
        const kept = { working, bytes: write.body.length };
        const key = keyOf(documents.collection, write.id);
        written.set(key, kept);
        this.#kept.set(key, kept);
        return write;
      }),
    ]);
    const position = this.#position;
    for (const { working, changed, periods } of this.#open) {
      working.clear();
      changed.clear();
      periods.clear();
    }
    this.#born.clear();
    this.#before = written;
    this.#position = undefined;
    return { writes, position };
  }

  // An event changes all collections or none.
  #apply({ event, found, failure }: Places): unknown {
    if (failure !== undefined) return failure;
    try {
      interpretable(event);
      const streamId = aggregateIdOf(event.stream);
      const next = found.flatMap(({ documents, id }) => {
        const before = documents.working.get(id);
        const after = applied(documents.collection, before, event, streamId);
        if (after === undefined || after === before) return [];
        return [{ documents, id, after, periods: changedPeriods(documents.collection, before, after) }];
      });
      for (const { documents, id, after, periods } of next) {
        documents.working.set(id, after);
        documents.changed.add(id);
        for (const [periodId, period] of periods) documents.periods.set(periodId, period);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #placesOf(event: RecordedEvent): Places {
    const streamId = aggregateIdOf(event.stream);
    const found: Place[] = [];
    let failure: unknown;
    for (const documents of this.#open) {
      try {
        const id = documentIdOf(documents.collection, event, streamId);
        if (id !== undefined) found.push({ documents, id });
      } catch (error) {
        failure ??= error;
      }
    }
    return { event, found, failure };
  }

  /** Reads the documents of a page that the batch does not have yet. */
  async #read(page: readonly Places[]): Promise<void> {
    for (const { event } of page) if (event.revision === 0) this.#born.add(event.stream);
    // A document is folded from only one stream, so nothing is stored of a stream that starts in this batch.
    const stored = page.flatMap(({ event, found }) => (this.#born.has(event.stream) ? [] : found));
    for (const documents of this.#open) {
      const ids = stored.filter((place) => place.documents === documents).map(({ id }) => id);
      await this.#readInto(documents, new Set(ids));
    }
  }

  async #readInto(documents: OpenDocuments, ids: ReadonlySet<string>): Promise<void> {
    const unknown = [...ids].filter((id) => !this.#isCached(documents, id));
    if (unknown.length === 0) return;
    const loaded = await this.#views.load(this.#generation, documents.collection.name, unknown);
    for (const { id, body, ...rest } of loaded) documents.working.set(id, { document: JSON.parse(body), ...rest });
    // Most users have no document in some collections, and the store would be asked for it with each of their events.
    const absent = unknown.filter((id) => !documents.working.has(id));
    for (const id of absent) this.#kept.set(keyOf(documents.collection, id), ABSENT);
  }

  /** Returns whether the batch has a document, after searching the documents in memory. */
  #isCached({ collection, working }: OpenDocuments, id: string): boolean {
    if (working.has(id)) return true;
    const key = keyOf(collection, id);
    const kept = this.#before.get(key) ?? this.#kept.get(key);
    if (kept?.working !== undefined) working.set(id, kept.working);
    return kept !== undefined;
  }
}

const writeOf = ({ name, index }: ProjectedCollection | Timeline, id: string, working: Working): DocumentWrite => {
  const { document, revision, position, created } = working;
  const body = JSON.stringify(document);
  return { collection: name, id, body, revision, position, created, index: index(document as never) };
};

const documentWritesOf = ({ collection, working, changed }: OpenDocuments) =>
  [...changed].flatMap((id) => {
    const found = working.get(id);
    return found === undefined ? [] : [{ write: writeOf(collection, id, found), working: found }];
  });

const periodWritesOf = ({ collection: { timeline }, periods }: OpenDocuments): readonly DocumentWrite[] =>
  timeline === undefined ? [] : [...periods].map(([id, period]) => writeOf(timeline, id, period));

const keyOf = ({ name }: ProjectedCollection, id: string) => `${name} ${id}`;
