// The port of the read models: documents folded from facts, disposable, rebuilt at will. No transaction is promised to
// span two documents; every write is guarded by its position, so that the same batch twice changes nothing.
import type { Position } from '../facts/facts.js';

/** Fields that lists filter by; `prefix` fields hold folded text, `contains` fields a list of values. */
export type Indexes = Readonly<Record<string, 'equal' | 'prefix' | 'contains'>>;

/** What a field holds: a list where its index is `contains`, else one text, empty where there is none. */
export type Indexed = string | readonly string[];

/** The documents of one kind. Its name is unique over all projections. */
export interface Collection {
  readonly name: string;
  readonly indexes: Indexes;
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

/** A share of the streams: those whose hash is `index`, counted from 0 `of` so many. */
export interface Partition {
  readonly index: number;
  readonly of: number;
}

/** One set of documents of a projection. A rebuild makes a new generation beside the one that serves. */
export interface Generation {
  readonly projection: string;
  readonly number: number;
  /**
   * Names one part of a building generation that is built in parts, each with a checkpoint and a lease of its own.
   * Undefined: all of it, as of every generation that is live.
   */
  readonly partition?: Partition | undefined;
}

export type ProjectionState = 'building' | 'live';

/** How far a generation, or a part of it, has come, and what stopped it. */
export interface Checkpoint extends Generation {
  readonly version: number;
  readonly state: ProjectionState;
  /** Everything up to here is folded in; undefined before the first batch. */
  readonly position: Position | undefined;
  /** The event that could not be folded; the projection waits before it until an operator says `retry`. */
  readonly stopped: { readonly position: Position; readonly reason: string } | undefined;
  /** The owner whose lease is in force; undefined while the generation is nobody's. */
  readonly heldBy: string | undefined;
}

/** A process that folds, as others see it. */
export interface Attendant {
  /** Its name as an owner of leases. */
  readonly owner: string;
  /** What it can fold, in words that are the same for all whose code is the same. */
  readonly work: string;
}

/** The right to write a generation until `ttlMs` after the last sign of life. A later owner has a higher epoch. */
export interface Lease extends Generation {
  readonly owner: string;
  readonly epoch: number;
}

/** A batch: documents first, then the checkpoint, which is refused where the lease has gone to a later epoch. */
export interface Batch {
  readonly lease: Lease;
  readonly writes: readonly DocumentWrite[];
  readonly position: Position;
}

/** A page of a list: `where` compares exactly, with one of the values of a `contains` field; `prefix` by the beginning. */
export interface ListQuery {
  readonly collection: string;
  readonly where: Readonly<Record<string, string>>;
  readonly prefix: Readonly<Record<string, string>>;
  readonly order: 'oldest-first' | 'newest-first';
  /** The `created` of the last item of the page before; undefined for the first page. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface ListPage {
  readonly bodies: readonly string[];
  /** What to ask `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** The read models. Reads answer from the live generation. Calls reject with `StoreUnavailable` while the engine cannot answer. */
export interface Views {
  /** Makes what the projection needs: its first generation as live, a building one where the code is newer. Idempotent. */
  prepare(shape: ProjectionShape): Promise<void>;

  get(collection: string, id: string): Promise<Document | undefined>;

  list(query: ListQuery): Promise<ListPage>;

  /** At most `limit` documents of a collection by ascending id, behind `after`: for whoever reads all of them. */
  walk(collection: string, after: string | undefined, limit: number): Promise<readonly Document[]>;

  /** The documents with these ids in the lease's generation, for folding. */
  load(
    generation: Generation,
    collection: string,
    ids: readonly string[],
  ): Promise<readonly (Document & { created: Position })[]>;

  /** The checkpoints of all generations: one for the live one, one for each part of one that is built in parts. */
  checkpoints(): Promise<readonly Checkpoint[]>;

  /**
   * Puts a worker on the roll for the next `ttlMs`, and gives the owners on it that do the same work: itself too, each
   * once, sorted.
   */
  attend(worker: Attendant, ttlMs: number): Promise<readonly string[]>;

  /** Takes a worker off the roll before its time. */
  leave(owner: string): Promise<void>;

  /** A lease, where none is held by another living owner. `isAlive` tells whether an owner can still be. */
  acquire(
    generation: Generation,
    owner: string,
    ttlMs: number,
    isAlive: (owner: string) => boolean,
  ): Promise<Lease | undefined>;

  /** Prolongs a lease; false where it was lost. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;

  release(lease: Lease): Promise<void>;

  /** Writes a batch; false, and no checkpoint, where the lease was lost or the generation dropped. */
  commit(batch: Batch): Promise<boolean>;

  /** Records what stopped a projection, or clears it; by a lease that was lost since, it changes nothing. */
  setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void>;

  /**
   * Starts a new generation that builds beside the live one in so many parts (1 or more; as many as the engine gains by
   * where it is left out), or gives the one that is building already, in however many parts.
   */
  startGeneration(shape: ProjectionShape, partitions?: number): Promise<Generation>;

  /**
   * Makes a building generation the live one if all of its parts have come as far as that and none is stopped, and drops
   * the one before. False: not yet. What was built in parts is whole from then on, at the position of the part that had
   * come least far; the leases of the parts are lost, that of the caller too. A live one that stands at `foreign`, a
   * position of another log, is not waited for.
   */
  promote(lease: Lease, foreign?: Position): Promise<boolean>;

  /**
   * Makes documents that were overwritten or dropped unreadable in the engine's files, as far as it is the engine that
   * can do so. Rejects with `StoreUnavailable` while somebody still reads them: call it again.
   */
  forget(): Promise<void>;

  close(): Promise<void>;
}
