// The port of the read models: documents folded from facts, disposable, rebuilt at will. No transaction is guaranteed
// to span two documents. Every write is guarded by its position, so that the same commit twice changes nothing.
import type { Position } from '../facts/facts.js';
import { pagesOf } from '../pages.js';

/**
 * A field that lists filter by. `prefix` fields hold folded text, `contains` fields a list of values, and `ordered`
 * fields a text that lists compare with bounds.
 */
export interface Index {
  readonly field: string;
  readonly kind: 'equal' | 'prefix' | 'contains' | 'ordered';
  /** An `equal` field that the index has before this field. A list follows the index if it has values for both. */
  readonly within?: string | undefined;
}

/** The value of a field: a list if its index is `contains`, otherwise one text, which is empty if there is none. */
export type Indexed = string | readonly string[];

/** The documents of one kind. The name is unique over all projections. */
export interface Collection {
  readonly name: string;
  /**
   * In the order in which a list tries them. It follows the first index that it has a value for; an index of starts or
   * bounds only if few documents match. Empty if no list shows the documents.
   */
  readonly indexes: readonly Index[];
}

/** A collection as the record of its generation has it: the kinds of its indexes by field, in no order. */
export interface StoredCollection {
  readonly name: string;
  readonly indexes: Readonly<Record<string, Index['kind']>>;
  /** The other fields of its indexes by field. Earlier versions had none. */
  readonly within?: Readonly<Record<string, string>>;
}

export interface ProjectionShape<C = Collection> {
  readonly name: string;
  readonly version: number;
  readonly collections: readonly C[];
}

/** A document as it is stored. `body` is the JSON text of a GET response. */
export interface Document {
  readonly id: string;
  readonly body: string;
  /** The revision of the document's stream, for its ETag. */
  readonly revision: number;
  /** The position of the last event folded into it. */
  readonly position: Position;
}

/** A document to write. Lists sort by `created`, the position of its first event. The first write decides it. */
export interface DocumentWrite extends Document {
  readonly collection: string;
  readonly created: Position;
  readonly index: Readonly<Record<string, Indexed>>;
}

/** One set of documents of a projection. A rebuild creates a new generation beside the live one. */
export interface Generation {
  readonly projection: string;
  readonly number: number;
}

export interface Checkpoint extends Generation {
  readonly version: number;
  readonly state: 'building' | 'live';
  /** Everything up to here is folded in; undefined before the first commit. */
  readonly position: Position | undefined;
  /** The event that could not be folded or stored. The projection waits before it until an operator runs `retry`. */
  readonly stopped: { readonly position: Position; readonly reason: string } | undefined;
  /** The owner whose lease is in force; undefined while the lease is free. */
  readonly heldBy: string | undefined;
}

/** The right to write a generation until `ttlMs` after the last renewal. Every owner has a different name. */
export interface Lease extends Generation {
  readonly owner: string;
}

/**
 * A commit: documents first, collection by collection in the order of the shape, then the checkpoint, which is rejected
 * if another owner holds the lease. So a document that is stored implies what the commit wrote to earlier collections.
 */
export interface Commit {
  readonly lease: Lease;
  /** At most one write of each document. */
  readonly writes: readonly DocumentWrite[];
  readonly position: Position;
}

/** A bound of an `ordered` or `prefix` field, which is compared as text. */
export interface Bound {
  readonly field: string;
  readonly is: 'atLeast' | 'above' | 'atMost' | 'below';
  readonly value: string;
}

/** Returns the bounds of the texts that begin with `start`: up to the first text after all of them. */
export const startingWith = (field: string, start: string): readonly Bound[] => {
  const from: Bound = { field, is: 'atLeast', value: start };
  const points = [...start].map((character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return [from];
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return [from, { field, is: 'below', value: String.fromCodePoint(...points, next) }];
};

/** The query of a page. `where` compares exactly, with one of the values of a `contains` field. */
export interface ListQuery {
  readonly collection: string;
  readonly where: Readonly<Record<string, string>>;
  readonly bounds?: readonly Bound[];
  readonly order: 'oldest-first' | 'newest-first';
  /** The `created` of the last item of the previous page; undefined for the first page. */
  readonly after: string | undefined;
  readonly limit: number;
}

export type CountQuery = Pick<ListQuery, 'collection' | 'where' | 'bounds'>;

export interface ListPage {
  /** The documents as one JSON array. An engine may make it without reading the documents. */
  readonly json: string;
  /** The `after` of the next page; undefined on the last page. */
  readonly next: string | undefined;
  /** The `created` of each document. A page that is cut there continues after it. */
  readonly places: readonly string[];
}

/** The maximum size of a page in bytes. Only a single document may be larger. */
export const PAGE_BYTES = 2 * 1024 * 1024;

/** Returns how many of the first items fit on a page. At least one does, so that every page makes progress. */
export const fitting = (sizes: readonly number[]): number => {
  let bytes = 0;
  const excess = sizes.findIndex((size) => {
    bytes += size;
    return bytes > PAGE_BYTES;
  });
  return excess < 0 ? sizes.length : Math.max(1, excess);
};

/** Reads all documents of a collection by ascending id, page by page. */
export const documentPages = (views: Pick<Views, 'walk'>, collection: string, signal?: AbortSignal) =>
  pagesOf(
    (after: string | undefined) => views.walk(collection, after),
    (documents) => documents.at(-1)?.id,
    { signal },
  );

/** Reads a list from its `after` on, page by page. The first page has at most `first` items. */
export const listPages = (views: Pick<Views, 'list'>, query: ListQuery, first = query.limit) =>
  pagesOf(
    (after) => views.list({ ...query, after, limit: after === query.after ? first : query.limit }),
    ({ next }) => next,
    { from: query.after },
  );

/**
 * The read models. Reads use the live generation. Calls reject with `StoreUnavailable` while the engine is unavailable.
 * So do reads of a collection that the live generation lacks, and lists by a field that it lacks, because a later version
 * of the code added either and builds the next generation.
 */
export interface Views {
  /**
   * Creates the first generation as live, or a building one if the code is newer. Idempotent. `log` is the id of the log,
   * null if the log is empty. A read model of another log is replaced before it can be read; one without an id gets it.
   */
  prepare(shape: ProjectionShape, log?: string | null): Promise<void>;

  get(collection: string, id: string): Promise<Document | undefined>;

  /** Returns the existing documents with these ids, at most 512, in no order. */
  getAll(collection: string, ids: readonly string[]): Promise<readonly Document[]>;

  /** Returns a page. It ends before its limit if the documents have more than `PAGE_BYTES`, and reads no others. */
  list(query: ListQuery): Promise<ListPage>;

  /** Returns how many documents a list has on all of its pages. */
  count(query: CountQuery): Promise<number>;

  /** Returns a page (pages.ts) of the documents of a collection by ascending id; empty behind the last document. */
  walk(collection: string, after: string | undefined): Promise<readonly Document[]>;

  /** Returns the existing documents with these ids in a generation, for folding. */
  load(
    generation: Generation,
    collection: string,
    ids: readonly string[],
  ): Promise<readonly (Document & { created: Position })[]>;

  /** Drops every other projection when no process has held a lease of it for a day; at once if the engine is embedded. */
  abandon(known: readonly string[]): Promise<void>;

  checkpoints(): Promise<readonly Checkpoint[]>;

  /** Returns a lease, unless another owner holds it. */
  acquire(generation: Generation, owner: string, ttlMs: number): Promise<Lease | undefined>;

  /** Prolongs a lease. Returns false if the lease was lost. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;

  release(lease: Lease): Promise<void>;

  /**
   * Writes documents and their checkpoint. Returns false, and sets no checkpoint, if the lease was lost or the
   * generation dropped. Rejects with an error other than `StoreUnavailable` if the engine will never take the documents
   * in this form; a part of them may be written then. Before `flush`, a power failure may take the last commits back.
   */
  commit(commit: Commit): Promise<boolean>;

  /** Records what stopped a projection, or clears it. Changes nothing if the lease was lost. */
  setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void>;

  /** Starts a new generation that builds beside the live one, or returns the generation that is building already. */
  startGeneration(shape: ProjectionShape): Promise<Generation>;

  /**
   * Makes a building generation live and drops the others, except those that a newer version of the code is building.
   * Returns false, and changes nothing, if the lease was lost, the building generation is stopped, or it is behind the
   * live one. A live generation at `foreign`, a position of another log, does not count as ahead.
   */
  promote(lease: Lease, foreign?: Position): Promise<boolean>;

  /**
   * Syncs all committed writes to disk, including those of other processes, and empties the write-ahead log. Needed
   * only before a promise that a rebuild could not keep: a worker folds everything else again that a power failure
   * undoes. Rejects with `StoreUnavailable` while the write-ahead log is in use.
   */
  flush(): Promise<void>;

  /** Makes dropped documents unreadable, if the engine can. Rejects with `StoreUnavailable` while they are read. */
  forget(): Promise<void>;

  close(): Promise<void>;
}
