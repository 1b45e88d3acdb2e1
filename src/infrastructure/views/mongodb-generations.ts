// The generations of the projections on MongoDB. One document for each projection holds the checkpoints and leases of
// all its generations, and which of them is live. So a switch is one write, and no reader can see two live generations,
// or none.
import type { Db } from 'mongodb';
import type { Position } from '../facts/facts.js';
import type { CallLimits, MongoDatabase } from '../mongodb/connection.js';
import { codeOf, DUPLICATE_KEY } from '../mongodb/failures.js';
import { MongoLiveGenerations } from './mongodb-live.js';
import {
  type Checkpoint,
  type Collection,
  type Generation,
  isReplaced,
  type Lease,
  type ProjectionShape,
  type ProjectionState,
} from './views.js';

/** A generation as it is stored, with its checkpoint and its lease. */
interface StoredGeneration {
  readonly version: number;
  readonly collections: readonly Collection[];
  readonly position?: Position;
  readonly stopped?: NonNullable<Checkpoint['stopped']>;
  /** Absent while the lease is free. */
  readonly owner?: string;
  /** When the lease was last renewed, by the clock of the server, and how long it holds from then. */
  readonly renewedAt?: Date;
  readonly ttlMs?: number;
}

/** A projection as it is stored. */
export interface StoredProjection {
  readonly _id: string;
  /** The number of the live generation. */
  readonly live: number;
  /**
   * The number of the next generation. Numbers are never reused: a late write to a dropped generation must not reach
   * another.
   */
  readonly next: number;
  readonly generations: Readonly<Record<string, StoredGeneration>>;
}

/** Returns the name of the collection of a generation's documents. */
export const nameOf = (collection: string, generation: number): string => `${collection}_${generation}`;

/** Returns the collections of every generation of a projection. */
export const collectionsOf = ({ generations }: StoredProjection) =>
  Object.entries(generations).flatMap(([number, { collections }]) =>
    collections.map((collection) => ({ ...collection, name: nameOf(collection.name, Number(number)) })),
  );

/** Stores checkpoints, leases and the switch between generations. Every change is a compare-and-set. */
export class MongoGenerations {
  readonly #database: MongoDatabase;
  /** The live generations, as far as this process has seen. */
  readonly live: MongoLiveGenerations<StoredProjection>;
  readonly #acknowledged = new Map<string, Position>();

  constructor(database: MongoDatabase) {
    this.#database = database;
    this.live = new MongoLiveGenerations((projection) => this.find(projection));
  }

  /** Returns a projection as it is stored; undefined if it was never prepared. */
  async find(projection: string): Promise<StoredProjection | undefined> {
    return (await this.#run((projections, limits) => projections.findOne({ _id: projection }, limits))) ?? undefined;
  }

  /** Returns every projection, with the server's time. Remembers which generations are live. */
  async all(): Promise<readonly (StoredProjection & { readonly now: Date })[]> {
    const query = this.live.startQuery();
    const pipeline = [{ $sort: { _id: 1 } }, { $addFields: { now: '$$NOW' } }];
    const found = await this.#run((projections, limits) =>
      projections.aggregate<StoredProjection & { now: Date }>(pipeline, limits).toArray(),
    );
    for (const { _id, live } of found) query.finish(_id, live);
    return found;
  }

  /** Returns the checkpoints of all generations. */
  async checkpoints(): Promise<readonly Checkpoint[]> {
    return (await this.all()).flatMap(({ _id, live, generations, now }) =>
      Object.entries(generations).map(([number, generation]) => ({
        projection: _id,
        number: Number(number),
        version: generation.version,
        state: stateOf({ live }, number),
        position: generation.position,
        stopped: generation.stopped,
        heldBy: isLeaseActive(generation, now) ? generation.owner : undefined,
      })),
    );
  }

  /** Creates the first generation, or a building generation if the code is newer than all generations. */
  async prepare(shape: ProjectionShape): Promise<void> {
    const known = await this.find(shape.name);
    if (known === undefined) await this.#makeFirst(shape);
    else if (newestOf(known) < shape.version) await this.start(shape);
  }

  /** Returns the number of the building generation of the shape's version. Creates the generation if there is none. */
  async start(shape: ProjectionShape): Promise<number> {
    for (;;) {
      const known = await this.find(shape.name);
      if (known === undefined) throw new Error(`the projection ${shape.name} was not prepared`);
      const building = Object.entries(known.generations).find(
        ([number, { version }]) => Number(number) !== known.live && version === shape.version,
      );
      if (building !== undefined) return Number(building[0]);
      // If two callers are concurrent, the second finds another `next`, reads again and finds the generation of the
      // first.
      const added = await this.#update(
        { _id: shape.name, next: known.next },
        { $set: { next: known.next + 1, [`generations.${known.next}`]: generationOf(shape) } },
      );
      if (added) return known.next;
    }
  }

  /** Returns the lease of a generation if the lease is free, expired or held by this owner. */
  async acquire(generation: Generation, owner: string, ttlMs: number): Promise<Lease | undefined> {
    const { projection, number } = generation;
    const at = pathOf(generation);
    const expired = { $lt: [{ $add: [`$${at}.renewedAt`, `$${at}.ttlMs`] }, '$$NOW'] };
    const taken = await this.#run((projections, limits) =>
      projections.findOneAndUpdate(
        {
          ...exists(generation),
          $or: [{ [`${at}.owner`]: { $in: [null, owner] } }, { $expr: expired }],
        },
        {
          $set: { [`${at}.owner`]: owner, [`${at}.ttlMs`]: ttlMs },
          $currentDate: { [`${at}.renewedAt`]: true },
        },
        { ...limits, returnDocument: 'after' },
      ),
    );
    if (taken === null) return undefined;
    this.#acknowledged.delete(keyOf(generation));
    return { projection, number, owner };
  }

  /** Prolongs a lease. Returns false if the lease was lost. */
  renew(lease: Lease, ttlMs: number): Promise<boolean> {
    const at = pathOf(lease);
    return this.#update(this.#heldAsKnown(lease), {
      $set: { [`${at}.ttlMs`]: ttlMs },
      $currentDate: { [`${at}.renewedAt`]: true },
    });
  }

  /** Releases a lease, if it is still held. */
  async release(lease: Lease): Promise<void> {
    await this.#update(heldBy(lease), { $unset: { [`${pathOf(lease)}.owner`]: '' } });
  }

  /** Sets the checkpoint, which never goes back. Returns false if the lease was lost or the generation was dropped. */
  async advance(lease: Lease, position: Position): Promise<boolean> {
    const path = `${pathOf(lease)}.position`;
    const done = await this.#update(this.#heldAsKnown(lease), { $max: { [path]: position } });
    if (done) this.#acknowledged.set(keyOf(lease), position);
    return done;
  }

  /** Records what stopped a generation, or clears it. Does nothing if the generation was dropped. */
  async setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void> {
    const at = pathOf(by);
    const change =
      stopped === undefined ? { $unset: { [`${at}.stopped`]: '' } } : { $set: { [`${at}.stopped`]: stopped } };
    await this.#update('owner' in by ? heldBy(by) : exists(by), change);
  }

  /**
   * Makes the lease's generation live and forgets those that it replaces, in one write. Requires that the generation is
   * not stopped, and that at that moment the live generation is not ahead of it or is at the `foreign` position.
   * Returns the names of the collections that are no longer read; undefined if it changed nothing.
   */
  async promote(lease: Lease, foreign?: Position): Promise<readonly string[] | undefined> {
    const known = await this.find(lease.projection);
    const own = known?.generations[lease.number];
    if (known === undefined || own === undefined) return undefined;
    const { [lease.number]: _, ...others } = known.generations;
    const replaced = Object.entries(others).filter(([number, { version }]) =>
      isReplaced({ state: stateOf(known, number), version }, own.version),
    );
    const livePosition = `generations.${known.live}.position`;
    const forgotten = replaced.map(([number]) => [`generations.${number}`, '']);
    const promoted = await this.#update(
      {
        ...heldBy(lease),
        live: known.live,
        [`${pathOf(lease)}.stopped`]: { $exists: false },
        $or: [
          { [livePosition]: { $not: { $gt: own.position ?? '' } } },
          ...(foreign === undefined ? [] : [{ [livePosition]: foreign }]),
        ],
      },
      {
        $set: { live: lease.number },
        ...(forgotten.length > 0 && { $unset: Object.fromEntries(forgotten) }),
      },
    );
    if (!promoted) return undefined;
    this.live.startQuery().finish(lease.projection, lease.number);
    return collectionsOf({ ...known, generations: Object.fromEntries(replaced) }).map(({ name }) => name);
  }

  // A server that lost its disk may be behind what it had acknowledged to this lease. Then it has lost documents too.
  // The lease counts as lost, and its next holder starts from the stored checkpoint.
  #heldAsKnown(lease: Lease) {
    const known = this.#acknowledged.get(keyOf(lease));
    const path = `${pathOf(lease)}.position`;
    return { ...heldBy(lease), ...(known !== undefined && { [path]: { $gte: known } }) };
  }

  async #makeFirst(shape: ProjectionShape): Promise<void> {
    const first = { live: 1, next: 2, generations: { 1: generationOf(shape) } };
    try {
      await this.#run((projections, limits) => projections.insertOne({ _id: shape.name, ...first }, limits));
    } catch (error) {
      // Another process was first. Its code may be older.
      if (codeOf(error) !== DUPLICATE_KEY) throw error;
      await this.prepare(shape);
    }
  }

  async #update(filter: object, change: object): Promise<boolean> {
    const { matchedCount } = await this.#run((projections, limits) => projections.updateOne(filter, change, limits));
    return matchedCount === 1;
  }

  #run<T>(call: (projections: ReturnType<typeof projectionsOf>, limits: CallLimits) => Promise<T>): Promise<T> {
    return this.#database.run((db, limits) => call(projectionsOf(db), limits));
  }
}

const projectionsOf = (db: Db) => db.collection<StoredProjection>('projections');

const stateOf = ({ live }: Pick<StoredProjection, 'live'>, number: string): ProjectionState =>
  Number(number) === live ? 'live' : 'building';

/** Returns where the checkpoint and the lease of a generation are stored. */
const pathOf = ({ number }: Generation) => `generations.${number}`;

const keyOf = (generation: Generation) => `${generation.projection} ${pathOf(generation)}`;

const exists = (generation: Generation) => ({
  _id: generation.projection,
  [`${pathOf(generation)}.version`]: { $exists: true },
});

const heldBy = (lease: Lease) => ({
  _id: lease.projection,
  [`${pathOf(lease)}.owner`]: lease.owner,
});

// `now` is the time of the server.
const isLeaseActive = ({ renewedAt, ttlMs = 0 }: StoredGeneration, now: Date): boolean =>
  renewedAt !== undefined && renewedAt.getTime() + ttlMs >= now.getTime();

const newestOf = ({ generations }: StoredProjection) =>
  Math.max(0, ...Object.values(generations).map(({ version }) => version));

// Only the fields of a shape: a projection also has functions.
const generationOf = ({ version, collections }: ProjectionShape): StoredGeneration => ({
  version,
  collections: collections.map(({ name, indexes, within }) => ({ name, indexes, ...(within && { within }) })),
});
