// The control record of a projection: its generations, with their checkpoints and leases. Everything here is pure. An
// engine stores one record for each projection, and replaces it only if it is still the record that was read.
import type { Position } from '../facts/facts.js';
import type { Checkpoint, Generation, Lease, ProjectionShape, StoredCollection } from './views.js';

/** The generations of a projection. One record holds all of them, so no reader can see two live ones, or none. */
export interface Control {
  /** The id of the log that was folded; null before its first event, undefined if an earlier version folded it. */
  readonly log?: string | null | undefined;
  readonly live: number;
  /** The number of the next generation. No number is used twice: a late write must not reach another generation. */
  readonly next: number;
  /** Since when no code that knows the projection held a lease, and where the live generation was then. */
  readonly unheld?: { readonly since: number; readonly position: Position | null } | undefined;
  readonly generations: Readonly<Record<string, ControlledGeneration>>;
}

type StoredShape = ProjectionShape<StoredCollection>;

interface ControlledGeneration {
  readonly version: number;
  readonly collections: readonly StoredCollection[];
  readonly position?: Position;
  readonly stopped?: NonNullable<Checkpoint['stopped']>;
  /** Absent while the lease is free. `until` is a time of the engine, in epoch milliseconds. */
  readonly lease?: { readonly owner: string; readonly until: number };
}

/**
 * Who changes a generation: the holder of its lease, or without an owner an operator, whose changes need no lease.
 * `reached`: the position that the engine has acknowledged to the holder. A server that lost its disk may be behind it,
 * and has lost documents too. Then the lease counts as lost, and its next holder starts from the stored checkpoint.
 */
interface Writer {
  readonly number: number;
  readonly owner?: string;
  readonly reached?: Position | undefined;
}

export type Holder = Writer & Pick<Lease, 'owner'>;

/** Returns the next record, the same record if nothing has to change, or undefined to refuse the change. */
type Change<Argument> = (control: Control | undefined, argument: Argument, now: number) => Control | undefined;

type Preparation = { readonly shape: StoredShape; readonly first: number; readonly log?: Control['log'] };

/** Makes the first generation of a log live, or a building one if the code is newer than all generations. */
const prepare: Change<Preparation> = (control, { shape, first, log }, now) => {
  if (control === undefined || isOfOther(control, log)) {
    const number = control?.next ?? first;
    return { log, live: number, next: number + 1, generations: { [number]: generationOf(shape) } };
  }
  const named = typeof log === 'string' && control.log !== log ? { ...control, log } : control;
  const newest = Math.max(...Object.values(control.generations).map(({ version }) => version));
  return newest < shape.version ? start(named, shape, now) : named;
};

const isOfOther = ({ log: own }: Control, log: Control['log']): boolean =>
  log !== undefined && own !== log && (own === undefined ? log === null : own !== null);

const start: Change<StoredShape> = (control, shape) => {
  if (control === undefined || buildingOf(control, shape) !== undefined) return control;
  return { ...withGeneration(control, control.next, generationOf(shape)), next: control.next + 1 };
};

/** Gives a lease that is free, expired or held by this owner. */
const acquire: Change<Holder & { readonly ttlMs: number }> = (control, { number, owner, ttlMs }, now) => {
  const lease = control?.generations[number]?.lease;
  // A longer lease is from a clock that was ahead. Its owner, if it still runs, renews it in time or loses it.
  const left = (lease?.until ?? 0) - now;
  if (lease?.owner !== owner && left >= 0 && left <= ttlMs) return undefined;
  return updated(control, { number }, (own) => ({ ...own, lease: { owner, until: now + ttlMs } }));
};

const renew: Change<Holder & { readonly ttlMs: number }> = (control, { ttlMs, ...holder }, now) =>
  updated(control, holder, (own) => ({ ...own, lease: { owner: holder.owner, until: now + ttlMs } }));

const release: Change<Holder> = (control, holder) => updated(control, holder, ({ lease: _, ...own }) => own);

/** Sets the checkpoint, which never goes back. */
const advance: Change<Holder & { readonly position: Position }> = (control, { position, ...holder }) =>
  updated(control, holder, (own) => (position > (own.position ?? '') ? { ...own, position } : own));

const stop: Change<Writer & Pick<Checkpoint, 'stopped'>> = (control, { stopped, ...by }) =>
  updated(control, by, ({ stopped: _, ...own }) => (stopped === undefined ? own : { ...own, stopped }));

/**
 * Makes a building generation live and drops the others, except those that a newer version of the code is building.
 * Refuses if the generation is stopped, or behind a live one that is not at the `foreign` position.
 */
const promote: Change<Holder & { readonly foreign: Position | undefined }> = (control, { foreign, ...holder }) => {
  const own = control?.generations[holder.number];
  if (control === undefined || own === undefined || own.stopped !== undefined) return undefined;
  const livePosition = control.generations[control.live]?.position ?? '';
  if (livePosition !== foreign && (own.position ?? '') < livePosition) return undefined;
  const newer = Object.entries(control.generations).filter(
    ([number, { version }]) => Number(number) !== control.live && version > own.version,
  );
  const generations = { [holder.number]: own, ...Object.fromEntries(newer) };
  return updated({ ...control, live: holder.number, generations }, holder, (same) => same);
};

/** Drops all generations of a projection that this version does not know, so long after nobody held a lease. */
const abandon: Change<{ readonly afterMs: number }> = (control, { afterMs }, now) => {
  const generations = Object.values(control?.generations ?? {});
  if (control === undefined || generations.length === 0) return undefined;
  if (afterMs > 0 && generations.some(({ lease }) => (lease?.until ?? 0) >= now))
    return { ...control, unheld: undefined };
  const position = control.generations[control.live]?.position ?? null;
  // An earlier version that ran meanwhile has folded events.
  const since = control.unheld?.position === position ? control.unheld.since : now;
  return now - since < afterMs ? { ...control, unheld: { since, position } } : { ...control, generations: {} };
};

export const changes = { prepare, start, acquire, renew, release, advance, stop, promote, abandon };

export type ChangeName = keyof typeof changes;
export type ArgumentOf<Name extends ChangeName> = Parameters<(typeof changes)[Name]>[1];

/** Returns the record after a change, or undefined if the change is refused. `now` is the time of the engine. */
export const changed = <Name extends ChangeName>(
  name: Name,
  control: Control | undefined,
  argument: ArgumentOf<Name>,
  now: number,
): Control | undefined => changes[name](control, argument as never, now);

export const buildingOf = (
  { live, generations }: Control,
  { version }: ProjectionShape<unknown>,
): number | undefined => {
  const building = Object.keys(generations).find(
    (number) => Number(number) !== live && generations[number]?.version === version,
  );
  return building === undefined ? undefined : Number(building);
};

export const checkpointsOf = (projection: string, control: Control, now: number): readonly Checkpoint[] =>
  Object.entries(control.generations).map(([number, { version, position, stopped, lease }]) => ({
    projection,
    number: Number(number),
    version,
    state: Number(number) === control.live ? 'live' : 'building',
    position,
    stopped,
    heldBy: lease !== undefined && lease.until >= now ? lease.owner : undefined,
  }));

/** Returns the collections of the generations of `control`, except those that `other` has too. */
export const collectionsOf = (
  control: Control | undefined,
  other?: Control,
): readonly (StoredCollection & Pick<Generation, 'number'>)[] =>
  Object.entries(control?.generations ?? {})
    .filter(([number]) => other?.generations[number] === undefined)
    .flatMap(([number, { collections }]) => collections.map((each) => ({ ...each, number: Number(number) })));

/** Changes a generation. Refuses if its lease was lost or the generation was dropped. */
const updated = (
  control: Control | undefined,
  { number, owner, reached = '' }: Writer,
  change: (own: ControlledGeneration) => ControlledGeneration,
): Control | undefined => {
  const own = control?.generations[number];
  if (control === undefined || own === undefined) return undefined;
  if ((owner !== undefined && own.lease?.owner !== owner) || (own.position ?? '') < reached) return undefined;
  const next = change(own);
  return next === own ? control : withGeneration(control, number, next);
};

const withGeneration = (control: Control, number: number, generation: ControlledGeneration): Control => ({
  ...control,
  generations: { ...control.generations, [number]: generation },
});

const generationOf = ({ version, collections }: StoredShape): ControlledGeneration => ({ version, collections });
