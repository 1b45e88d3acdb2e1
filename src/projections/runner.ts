// Keeps a session running for this worker's share of the generations: it looks once a second who else works and what is
// free, so that projections of a worker that died are taken over, and one that joins is given its share.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Bell } from '../infrastructure/bell.js';
import type { Checkpoint, Lease } from '../infrastructure/views/views.js';
import type { Projection } from './projection.js';
import { LEASE_MS, runSession, type Stores } from './session.js';
import { shareOf } from './shares.js';

const LOOK_EVERY_MS = 1_000;
// Who waits for what others are giving back looks so many times as often: until it is taken, nobody folds it.
const HURRY = 5;
// Shorter than a lease: what a dead worker held is then shared out at once when its lease has expired.
const ATTENDANCE_MS = 5_000;

const me = { host: hostname(), pid: process.pid, id: randomUUID() };
/** This process as the owner of leases. */
export const owner = `${me.host}/${me.pid}/${me.id}`;

/** Whether the process that names itself so can be running: one of another host always can. */
export const isAlive = (name: string): boolean => {
  const [host, pid, id] = name.split('/');
  if (host !== me.host) return true;
  if (Number(pid) === me.pid) return id === me.id;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/** How a runner is known to others, and how patient it is, in milliseconds. */
export interface RunnerOptions {
  /** Its name as an owner of leases; every runner on a store has its own. */
  readonly owner?: string;
  /** Whether another owner can still be running. */
  readonly isAlive?: (owner: string) => boolean;
  readonly lookEveryMs?: number;
  /** How long it counts as living after it has last looked. */
  readonly attendanceMs?: number;
  readonly leaseMs?: number;
  /** Narrows what it may take from all there is of its projections. */
  readonly isWanted?: (checkpoint: Checkpoint) => boolean;
}

const DEFAULTS: Required<RunnerOptions> = {
  owner,
  isAlive,
  lookEveryMs: LOOK_EVERY_MS,
  attendanceMs: ATTENDANCE_MS,
  leaseMs: LEASE_MS,
  isWanted: () => true,
};

interface Running {
  readonly done: Promise<void>;
  readonly end: AbortController;
}

/** Runs its share of the projections until it is closed. */
export class ProjectionRunner {
  readonly #stores: Stores;
  readonly #projections: readonly Projection[];
  readonly #options: Required<RunnerOptions>;
  readonly #stop = new AbortController();
  readonly #sessions = new Map<string, Running>();
  readonly #tried = new Set<string>();
  readonly #bell = new Bell();
  readonly #looping: Promise<void>;

  constructor(stores: Stores, projections: readonly Projection[], options: RunnerOptions = {}) {
    this.#stores = stores;
    this.#projections = projections;
    this.#options = { ...DEFAULTS, ...options };
    this.#looping = this.#loop();
  }

  /** Ends every session after the batch in hand, gives its lease back, and tells the others that this worker has left. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    await this.#looping;
    await Promise.all([this.#leave(), ...[...this.#sessions.values()].map(({ done }) => done)]);
  }

  async #leave(): Promise<void> {
    try {
      await this.#stores.views.leave(this.#options.owner);
    } catch (error) {
      this.#stores.log.warn({ err: error }, 'the others could not be told that this worker ends');
    }
  }

  async #loop(): Promise<void> {
    const { lookEveryMs } = this.#options;
    while (!this.#stop.signal.aborted) {
      let isWaiting = false;
      try {
        isWaiting = await this.#look();
      } catch (error) {
        this.#stores.log.warn({ err: error }, 'the checkpoints cannot be read; trying again');
      }
      await this.#bell.heard(isWaiting ? lookEveryMs / HURRY : lookEveryMs);
    }
  }

  /** Gives whether this worker waits for more. */
  async #look(): Promise<boolean> {
    const { views } = this.#stores;
    const { owner, attendanceMs, isAlive } = this.#options;
    const workers = (await views.attend({ owner, work: workOf(this.#projections) }, attendanceMs)).filter(isAlive);
    const checkpoints = await views.checkpoints();
    const there = new Set(checkpoints.map(keyOf));
    for (const [key, { end }] of this.#sessions) if (!there.has(key)) end.abort();
    const wanted = checkpoints.filter(this.#options.isWanted);
    for (const checkpoint of wanted.filter((each) => this.#isUntried(each))) await this.#take(checkpoint);
    return this.#balance(wanted, workers);
  }

  /** Takes what is free up to this worker's share, or gives back what is beyond it; gives whether it lacks some still. */
  async #balance(checkpoints: readonly Checkpoint[], workers: readonly string[]): Promise<boolean> {
    const { owner } = this.#options;
    // What another kind of worker holds, or the operator's tool, is not there to be shared.
    const shared = checkpoints
      .filter((checkpoint) => checkpoint.stopped === undefined && this.#projectionOf(checkpoint) !== undefined)
      .map((checkpoint) => ({ checkpoint, holder: this.#holderOf(checkpoint) }))
      .filter(({ holder }) => holder === undefined || workers.includes(holder));
    const holders = shared.map(({ holder }) => holder);
    const mine = shared.filter(({ holder }) => holder === owner);
    let wanted = shareOf(owner, workers, holders) - mine.length;
    // A lease of its own without a session is what a session has left that failed.
    for (const { checkpoint } of mine) await this.#take(checkpoint);
    for (const { checkpoint, holder } of shared) {
      if (wanted > 0 && holder === undefined && (await this.#take(checkpoint))) wanted -= 1;
    }
    if (wanted < 0) for (const { checkpoint } of mine.slice(wanted)) this.#sessions.get(keyOf(checkpoint))?.end.abort();
    return wanted > 0;
  }

  /** Who holds a generation and will hold it, as far as is known. */
  #holderOf(checkpoint: Checkpoint): string | undefined {
    const { owner, isAlive } = this.#options;
    const { heldBy } = checkpoint;
    if (heldBy === undefined || !isAlive(heldBy)) return undefined;
    const isEnding = this.#sessions.get(keyOf(checkpoint))?.end.signal.aborted ?? false;
    return heldBy === owner && isEnding ? undefined : heldBy;
  }

  // A process that has just started may hold the fix: it tries the event that stopped the one before it, once, whatever
  // its share is.
  #isUntried(checkpoint: Checkpoint): boolean {
    return checkpoint.stopped !== undefined && !this.#tried.has(keyOf(checkpoint));
  }

  #projectionOf({ projection, version }: Checkpoint): Projection | undefined {
    return this.#projections.find((each) => each.name === projection && each.version === version);
  }

  /** Runs a generation if nobody else does; false where it does not. */
  async #take(checkpoint: Checkpoint): Promise<boolean> {
    const { owner, isAlive, leaseMs } = this.#options;
    const projection = this.#projectionOf(checkpoint);
    const isOurs = this.#sessions.has(keyOf(checkpoint)) || this.#stop.signal.aborted;
    if (projection === undefined || isOurs) return false;
    const lease = await this.#stores.views.acquire(checkpoint, owner, leaseMs, isAlive);
    if (lease === undefined) return false;
    const end = new AbortController();
    const done = this.#run(projection, checkpoint, { lease, signal: AbortSignal.any([this.#stop.signal, end.signal]) });
    this.#sessions.set(keyOf(checkpoint), { done, end });
    return true;
  }

  async #run(projection: Projection, checkpoint: Checkpoint, by: { lease: Lease; signal: AbortSignal }): Promise<void> {
    const { views, log, metrics } = this.#stores;
    const { leaseMs } = this.#options;
    const key = keyOf(checkpoint);
    try {
      if (checkpoint.stopped !== undefined) await views.setStopped(by.lease, undefined);
      this.#tried.add(key);
      metrics.stopped(projection.name, false);
      const current = (await views.checkpoints()).find((other) => keyOf(other) === key) ?? checkpoint;
      const ending = await runSession(this.#stores, projection, current, { ...by, leaseMs });
      // What others fold from now on is not this worker's lag.
      if (ending !== 'stopped') metrics.folded(projection.name, 0, undefined);
      log.debug({ projection: projection.name, partition: by.lease.partition, ending }, 'a projection session ended');
      await views.release(by.lease);
      if (ending === 'promoted') this.#bell.ring();
    } catch (error) {
      log.warn({ err: error, projection: projection.name }, 'a projection session failed; trying again');
    } finally {
      this.#sessions.delete(key);
    }
  }
}

const keyOf = ({ projection, number, partition }: Checkpoint) =>
  `${projection} ${number} ${partition === undefined ? 'whole' : `${partition.index}/${partition.of}`}`;

const workOf = (projections: readonly Projection[]) =>
  projections
    .map(({ name, version }) => `${name} ${version}`)
    .toSorted()
    .join(', ');
