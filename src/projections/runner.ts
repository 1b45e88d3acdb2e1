// Keeps a session running for every generation that this process can take: it looks once a second which are free, so
// that projections of a worker that died, or were told to go on, are taken over.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Bell } from '../infrastructure/bell.js';
import type { Checkpoint, Lease } from '../infrastructure/views/views.js';
import type { Projection } from './projection.js';
import { LEASE_MS, runSession, type Stores } from './session.js';

const LOOK_EVERY_MS = 1_000;

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

/** What a runner is told beside its stores and projections. */
export interface RunnerOptions {
  /** Narrows what it may take from all there is of its projections. */
  readonly isWanted?: (checkpoint: Checkpoint) => boolean;
}

/** Runs projections until it is closed. */
export class ProjectionRunner {
  readonly #stores: Stores;
  readonly #projections: readonly Projection[];
  readonly #isWanted: (checkpoint: Checkpoint) => boolean;
  readonly #stop = new AbortController();
  readonly #sessions = new Map<string, { readonly done: Promise<void>; readonly end: AbortController }>();
  readonly #tried = new Set<string>();
  readonly #bell = new Bell();
  readonly #looping: Promise<void>;

  constructor(stores: Stores, projections: readonly Projection[], { isWanted = () => true }: RunnerOptions = {}) {
    this.#stores = stores;
    this.#projections = projections;
    this.#isWanted = isWanted;
    this.#looping = this.#loop();
  }

  /** Ends every session after the batch in hand and gives its lease back. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    await this.#looping;
    await Promise.all([...this.#sessions.values()].map(({ done }) => done));
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        this.#stores.log.warn({ err: error }, 'the checkpoints cannot be read; trying again');
      }
      await this.#bell.heard(LOOK_EVERY_MS);
    }
  }

  async #look(): Promise<void> {
    const checkpoints = await this.#stores.views.checkpoints();
    const there = new Set(checkpoints.map(keyOf));
    for (const [key, { end }] of this.#sessions) if (!there.has(key)) end.abort();
    for (const checkpoint of checkpoints.filter(this.#isWanted)) await this.#take(checkpoint);
  }

  async #take(checkpoint: Checkpoint): Promise<void> {
    const projection = this.#projections.find(
      ({ name, version }) => name === checkpoint.projection && version === checkpoint.version,
    );
    const isFree = !this.#sessions.has(keyOf(checkpoint)) && !this.#stop.signal.aborted;
    if (projection === undefined || !isFree || !(await this.#mayGoOn(checkpoint))) return;
    const lease = await this.#stores.views.acquire(checkpoint, owner, LEASE_MS, isAlive);
    if (lease === undefined) return;
    const end = new AbortController();
    const done = this.#run(projection, checkpoint, { lease, signal: AbortSignal.any([this.#stop.signal, end.signal]) });
    this.#sessions.set(keyOf(checkpoint), { done, end });
  }

  // A process that has just started may hold the fix: it tries the event that stopped the one before it, once.
  async #mayGoOn(checkpoint: Checkpoint): Promise<boolean> {
    if (checkpoint.stopped === undefined) return true;
    if (this.#tried.has(keyOf(checkpoint))) return false;
    await this.#stores.views.setStopped(checkpoint, undefined);
    return true;
  }

  async #run(projection: Projection, checkpoint: Checkpoint, by: { lease: Lease; signal: AbortSignal }): Promise<void> {
    const { views, log, metrics } = this.#stores;
    const key = keyOf(checkpoint);
    this.#tried.add(key);
    try {
      metrics.stopped(projection.name, false);
      const current = (await views.checkpoints()).find((other) => keyOf(other) === key) ?? checkpoint;
      const ending = await runSession(this.#stores, projection, current, by);
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
