// What every engine of the views does with the control records of the projections.
import { STORES, StoreUnavailable } from '../errors.js';
import type { Position } from '../facts/facts.js';
import { type ArgumentOf, buildingOf, type ChangeName, type Control, checkpointsOf, type Holder } from './control.js';
import type { Checkpoint, Collection, Commit, DocumentWrite, Generation, Lease, ProjectionShape } from './views.js';

export interface Controls {
  readonly records: Readonly<Record<string, Control>>;
  readonly now: number;
}

export type Advance = ArgumentOf<'advance'>;

/** Prepares, leases, commits and switches generations. An engine adds the records, the documents and the reads. */
export abstract class ControlledViews {
  /** The collections of the prepared projections by name, in the order of their shapes. */
  protected readonly collections = new Map<string, Collection & { readonly projection: string }>();
  /** How long processes of an earlier version may still run beside this one. */
  protected readonly abandonedAfterMs: number = 24 * 60 * 60 * 1_000;
  readonly #reached = new WeakMap<Lease, Position>();

  protected abstract controls(): Promise<Controls>;

  /**
   * Replaces the record of a projection by the result of a change, unless the record has changed meanwhile: then the
   * change is tried again on the new record. Creates and drops the collections of generations with the record. Returns
   * the new record; undefined if the change is refused.
   */
  protected abstract change<Name extends ChangeName>(
    projection: string,
    name: Name,
    argument: ArgumentOf<Name>,
  ): Promise<Control | undefined>;

  /** Drops what no generation has. Returns the number for the first generation of a new record. */
  protected abstract sweep(): Promise<number>;

  /** Writes documents, each guarded by its position, and then or at once the checkpoint. */
  protected abstract write(lease: Lease, writes: readonly DocumentWrite[], advance: Advance): Promise<boolean>;

  async prepare(shape: ProjectionShape, log?: string | null): Promise<void> {
    await this.change(shape.name, 'prepare', { shape: stored(shape), first: await this.sweep(), log });
    for (const collection of shape.collections)
      this.collections.set(collection.name, { ...collection, projection: shape.name });
  }

  async abandon(known: readonly string[]): Promise<void> {
    const { records } = await this.controls();
    for (const name of Object.keys(records).filter((each) => !known.includes(each)))
      await this.change(name, 'abandon', { afterMs: this.abandonedAfterMs });
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    const { records, now } = await this.controls();
    return Object.entries(records).flatMap(([projection, control]) => checkpointsOf(projection, control, now));
  }

  async acquire({ projection, number }: Generation, owner: string, ttlMs: number): Promise<Lease | undefined> {
    const acquired = await this.change(projection, 'acquire', { number, owner, ttlMs });
    return acquired && { projection, number, owner };
  }

  async renew(lease: Lease, ttlMs: number): Promise<boolean> {
    return (await this.change(lease.projection, 'renew', { ...this.#holder(lease), ttlMs })) !== undefined;
  }

  async release(lease: Lease): Promise<void> {
    await this.change(lease.projection, 'release', { number: lease.number, owner: lease.owner });
  }

  async commit({ lease, writes, position }: Commit): Promise<boolean> {
    for (const { collection } of writes) this.collection(collection);
    const isCommitted = await this.write(lease, writes, { ...this.#holder(lease), position });
    if (isCommitted) this.#reached.set(lease, position);
    return isCommitted;
  }

  async setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void> {
    const writer = 'owner' in by ? this.#holder(by) : { number: by.number };
    await this.change(by.projection, 'stop', { ...writer, stopped });
  }

  async startGeneration(shape: ProjectionShape): Promise<Generation> {
    const control = await this.change(shape.name, 'start', stored(shape));
    const number = control && buildingOf(control, shape);
    if (number === undefined) throw new Error(`the projection ${shape.name} was not prepared`);
    return { projection: shape.name, number };
  }

  async promote(lease: Lease, foreign?: Position): Promise<boolean> {
    return (await this.change(lease.projection, 'promote', { ...this.#holder(lease), foreign })) !== undefined;
  }

  /** Returns a collection of a prepared projection. Throws `StoreUnavailable` until its projection is prepared. */
  protected collection(name: string): Collection & { readonly projection: string } {
    const collection = this.collections.get(name);
    if (collection === undefined) throw new StoreUnavailable(STORES.views, new Error(`${name} is not prepared yet`));
    return collection;
  }

  #holder(lease: Lease): Holder {
    return { number: lease.number, owner: lease.owner, reached: this.#reached.get(lease) };
  }
}

const stored = ({ name, version, collections }: ProjectionShape) => ({
  name,
  version,
  collections: collections.map(({ name, indexes }) => ({
    name,
    indexes: Object.fromEntries(indexes.map(({ field, kind }) => [field, kind])),
    within: Object.fromEntries(indexes.flatMap(({ field, within }) => (within === undefined ? [] : [[field, within]]))),
  })),
});
