// Folds a stretch of the log into the documents of one generation: each document is read once, and written once a batch.
import { LRUCache } from 'lru-cache';
import { interpretable, type LogPage, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import type { Checkpoint, DocumentWrite, Generation, Views } from '../infrastructure/views/views.js';
import { applied, documentIdOf, type ProjectedCollection, type Projection, type Working } from './projection.js';

/** What became of a page: documents to write up to `position`, and the event that could not be folded, if any. */
export interface FoldedPage {
  readonly writes: readonly DocumentWrite[];
  /** Undefined where not even the first event of the page could be folded. */
  readonly position: Position | undefined;
  readonly poison: Poison | undefined;
}

/** The position of an event that stops a projection, and why. */
export type Poison = NonNullable<Checkpoint['stopped']>;

/** Which events an operator has decided to leave out. */
export interface Skips {
  has(position: Position): boolean;
  /** Reads the decisions again before it returns whether the event is skipped. */
  hasNow(position: Position): Promise<boolean>;
}

/** Says what went wrong with an event, and nothing of what the event holds. */
export const failureOf = ({ type, stream, revision, position }: RecordedEvent, error: unknown): Poison => {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { position, reason: `${type} in ${stream} at revision ${revision}: ${what}` };
};

// As JSON: the objects hold about three times as much of the heap.
const DOCUMENTS_KEPT_BYTES = 8 * 1024 * 1024;

/** The folding of one generation. It keeps the documents that it wrote last, so it must be the only writer. */
export class BatchFolder {
  readonly #projection: Projection;
  readonly #generation: Generation;
  readonly #views: Views;
  readonly #skips: Skips;
  readonly #kept = new LRUCache<string, Working & { readonly bytes: number }>({
    maxSize: DOCUMENTS_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 200,
  });

  constructor(projection: Projection, generation: Generation, views: Views, skips: Skips) {
    this.#projection = projection;
    this.#generation = generation;
    this.#views = views;
    this.#skips = skips;
  }

  /** Folds the events of a page, in order, up to the first that cannot be folded. */
  async fold({ events, position }: LogPage): Promise<FoldedPage> {
    const documents = await this.#documentsFor(events);
    const changed = new Set<string>();
    let last: Position | undefined;
    for (const event of events) {
      const isSkipped = this.#skips.has(event.position);
      let failure = this.#apply(isSkipped ? unhandled(event) : event, documents, changed);
      // The decision may have been taken while this session ran.
      if (failure !== undefined && (await this.#skips.hasNow(event.position))) {
        failure = this.#apply(unhandled(event), documents, changed);
      }
      if (failure !== undefined) {
        return { writes: this.#writes(documents, changed), position: last, poison: failureOf(event, failure) };
      }
      last = event.position;
    }
    return { writes: this.#writes(documents, changed), position, poison: undefined };
  }

  // All collections change by an event, or none does.
  #apply(event: RecordedEvent, documents: Map<string, Working>, changed: Set<string>): unknown {
    const streamId = aggregateIdOf(event.stream);
    try {
      interpretable(event);
      const next = this.#projection.collections.flatMap((collection) => {
        const id = documentIdOf(collection, event, streamId);
        const key = keyOf(collection, id ?? '');
        const was = documents.get(key);
        const now = id === undefined ? undefined : applied(collection, was, event, streamId);
        return now === undefined || now === was ? [] : [{ key, now }];
      });
      for (const { key, now } of next) {
        documents.set(key, now);
        changed.add(key);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async #documentsFor(events: readonly RecordedEvent[]): Promise<Map<string, Working>> {
    const documents = new Map<string, Working>();
    for (const collection of this.#projection.collections) {
      const unknown = [...idsIn(collection, events)].filter((id) => {
        const kept = this.#kept.get(keyOf(collection, id));
        if (kept !== undefined) documents.set(keyOf(collection, id), kept);
        return kept === undefined;
      });
      const loaded = unknown.length === 0 ? [] : await this.#views.load(this.#generation, collection.name, unknown);
      for (const { id, body, ...rest } of loaded) {
        documents.set(keyOf(collection, id), { document: JSON.parse(body), ...rest });
      }
    }
    return documents;
  }

  #writes(documents: ReadonlyMap<string, Working>, changed: ReadonlySet<string>): DocumentWrite[] {
    return this.#projection.collections.flatMap((collection) =>
      [...changed]
        .filter((key) => key.startsWith(keyOf(collection, '')))
        .flatMap((key) => {
          const working = documents.get(key);
          return working === undefined ? [] : [this.#write(collection, key, working)];
        }),
    );
  }

  #write({ name, index }: ProjectedCollection, key: string, working: Working): DocumentWrite {
    const { document, revision, position, created } = working;
    const id = key.slice(name.length + 1);
    const body = JSON.stringify(document);
    this.#kept.set(key, { ...working, bytes: body.length });
    return { collection: name, id, body, revision, position, created, index: index(document as never) };
  }
}

const keyOf = ({ name }: ProjectedCollection, id: string) => `${name} ${id}`;

// A document that follows its stream's revision does so also over an event that is left out, so that its ETag is right.
const unhandled = ({ flaw: _, ...event }: RecordedEvent): RecordedEvent => ({ ...event, type: '', data: {} });

// A malformed event has no document that could be loaded for it; folding it is what reports it.
const idsIn = (collection: ProjectedCollection, events: readonly RecordedEvent[]) =>
  new Set(
    events.flatMap((event) => {
      try {
        return documentIdOf(collection, event, aggregateIdOf(event.stream)) ?? [];
      } catch {
        return [];
      }
    }),
  );
