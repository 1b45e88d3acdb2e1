// The port of the read models: documents folded from facts, disposable, rebuilt at will. No transaction is promised to
// span two documents; every write is guarded by its position, so that the same batch twice changes nothing.
import type { Position } from '../facts/facts.js';

/**
 * Fields that lists filter by. `prefix` fields hold folded text, `contains` fields a list of values, `periods` fields the
 * values that the field has had, each with the time for which it had it.
 */
export type Indexes = Readonly<Record<string, 'equal' | 'prefix' | 'contains' | 'periods'>>;

/** A value and the time for which a field had it: from `since` until before `until`. Times compare as text. */
export interface Period {
  readonly value: string;
  readonly since: string;
  readonly until: string;
}

/** What a field holds: a list if its index is `contains` or `periods`, else one text, empty if there is none. */
export type Indexed = string | readonly string[] | readonly Period[];

/** The documents of one kind. Its name is unique over all projections. */
export interface Collection {
  readonly name: string;
  readonly indexes: Indexes;
  /**
   * The field that every list of the collection is filtered by, for the parts of another document. Their other filters need
   * no index of their own.
   */
  readonly within?: string;
}

/** What a projection needs of the store: its collections and the version of its code. */
export interface ProjectionShape {
  readonly name: string;
  readonly version: number;
  readonly collections: readonly Collection[];
}

/** A document as it is stored: `body` is the JSON text that a GET answers. */
export interface Document {
  readonly id: string;
  readonly body: string;
  /** The revision that the document's stream had, for its ETag. */
  readonly revision: number;
  /** The position of the last event folded into it. */
  readonly position: Position;
}

/** A document to write. `created` is the position of its first event: lists sort by it. */
export interface DocumentWrite extends Document {
  readonly collection: string;
  readonly created: Position;
  readonly index: Readonly<Record<string, Indexed>>;
}

/** One set of documents of a projection. A rebuild makes a new generation beside the one that serves. */
export interface Generation {
  readonly projection: string;
  readonly number: number;
}

export type ProjectionState = 'building' | 'live';

/** How far a generation has come, and what stopped it. */
export interface Checkpoint extends Generation {
  readonly version: number;
  readonly state: ProjectionState;
  /** Everything up to here is folded in; undefined before the first batch. */
  readonly position: Position | undefined;
  /** The event that could not be folded or stored; the projection waits before it until an operator says `retry`. */
  readonly stopped: { readonly position: Position; readonly reason: string } | undefined;
  /** The owner whose lease is in force; undefined while the generation is nobody's. */
  readonly heldBy: string | undefined;
}

/** The right to write a generation until `ttlMs` after the last sign of life. A later owner has a higher epoch. */
export interface Lease extends Generation {
  readonly owner: string;
  readonly epoch: number;
}

/** A batch: documents first, then the checkpoint, which is refused if the lease has gone to a later epoch. */
export interface Batch {
  readonly lease: Lease;
  readonly writes: readonly DocumentWrite[];
  readonly position: Position;
}

/** Names a document. */
export interface Reference {
  readonly collection: string;
  readonly id: string;
}

/** A document with the revision of the document that it belongs to. */
export type Part = Pick<Document, 'body' | 'revision'>;

/** A page of a list: `where` compares exactly, with one of the values of a `contains` field; `prefix` by the beginning. */
export interface ListQuery {
  readonly collection: string;
  readonly where: Readonly<Record<string, string>>;
  readonly prefix: Readonly<Record<string, string>>;
  /** The values that `periods` fields had at an instant; a field without a value must have had any. */
  readonly during?: { readonly instant: string; readonly values: Readonly<Record<string, string | undefined>> };
  readonly order: 'oldest-first' | 'newest-first';
  /** The `created` of the last item of the page before; undefined for the first page. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface ListPage {
  /** The documents as one JSON array. An engine may make it without reading the documents. */
  readonly json: string;
  /** What to ask `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
}

const READ_AT_ONCE = 500;

/** Reads all documents of a collection by ascending id, page by page. */
export async function* documentPages(views: Views, collection: string): AsyncGenerator<readonly Document[]> {
  for (let after: string | undefined, isMore = true; isMore; ) {
    const documents = await views.walk(collection, after, READ_AT_ONCE);
    yield documents;
    after = documents.at(-1)?.id;
    isMore = documents.length === READ_AT_ONCE;
  }
}

/** The read models. Reads answer from the live generation; equal reads may return the same object. Calls reject with `StoreUnavailable` while the engine cannot answer. */
export interface Views {
  /** Makes what the projection needs: its first generation as live, a building one where the code is newer. Idempotent. */
  prepare(shape: ProjectionShape): Promise<void>;

  get(collection: string, id: string): Promise<Document | undefined>;

  /**
   * Returns a part with the revision of its root, or undefined if either is missing. The revision is never newer than the
   * part. Both are of one projection.
   */
  getPart(root: Reference, part: Reference): Promise<Part | undefined>;

  /** Returns the documents that there are with these ids, at most 500, in no order. */
  getAll(collection: string, ids: readonly string[]): Promise<readonly Document[]>;

  list(query: ListQuery): Promise<ListPage>;

  /** Returns how many documents a list has on all of its pages. */
  count(query: Pick<ListQuery, 'collection' | 'where' | 'prefix'>): Promise<number>;

  /** Returns up to `limit` documents of a collection by ascending id, behind `after`, to read all of them in pages. */
  walk(collection: string, after: string | undefined, limit: number): Promise<readonly Document[]>;

  /** The documents with these ids in the lease's generation, for folding. */
  load(
    generation: Generation,
    collection: string,
    ids: readonly string[],
  ): Promise<readonly (Document & { created: Position })[]>;

  /** Returns the checkpoints of all generations. */
  checkpoints(): Promise<readonly Checkpoint[]>;

  /** A lease, where none is held by another living owner. `isAlive` tells whether an owner can still be. */
  acquire(
    generation: Generation,
    owner: string,
    ttlMs: number,
    isAlive: (owner: string) => boolean,
  ): Promise<Lease | undefined>;

  /** Prolongs a lease. Returns false if the lease was lost. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;

  release(lease: Lease): Promise<void>;

  /**
   * Writes a batch; returns false, and sets no checkpoint, if the lease was lost or the generation dropped. Rejects with an
   * error other than `StoreUnavailable` if the engine will never take the batch as it is; some of it may be written then.
   * Before `flush` a failure of the power may take batches back, the last ones, each with its checkpoint.
   */
  commit(batch: Batch): Promise<boolean>;

  /** Records what stopped a projection, or clears it; by a lease that was lost since, it changes nothing. */
  setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void>;

  /** Starts a new generation that builds beside the live one, or returns the generation that is building already. */
  startGeneration(shape: ProjectionShape): Promise<Generation>;

  /**
   * Makes a building generation the live one and drops the one before. Returns false, and changes nothing, if the lease
   * was lost, the building generation is stopped, or it is behind the live one. A live generation that stands at
   * `foreign`, a position of another log, is not waited for.
   */
  promote(lease: Lease, foreign?: Position): Promise<boolean>;

  /**
   * Puts everything that any process has committed on stable storage. Needed only before a promise that outlives what the
   * views can be built from again: whatever else a failure of the power takes back, a worker folds again.
   */
  flush(): Promise<void>;

  /**
   * Makes documents that were overwritten or dropped unreadable in the engine's files, as far as it is the engine that
   * can do so. Rejects with `StoreUnavailable` while somebody still reads them: call it again.
   */
  forget(): Promise<void>;

  close(): Promise<void>;
}
