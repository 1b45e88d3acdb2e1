// Runs the generations whose leases are free. The runner polls once a second, so that it takes over the projections of
// a worker that died or was stopped.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { settlesWithin } from '../infrastructure/async.js';
import { Bell } from '../infrastructure/bell.js';
import type { Checkpoint, Lease } from '../infrastructure/views/views.js';
import type { Projection } from './projection.js';
import { LEASE_MS, runSession, type SessionDependencies } from './session.js';

const POLL_MS = 1_000;
// A stopping process has 10 s for everything.
const CLOSE_MS = 4_000;

export const owner = `${hostname()}/${process.pid}/${randomUUID()}`;

/** The owner of the leases in embedded views. One process owns these, so the leases of its predecessor are its own. */
export const DIRECTORY_OWNER = 'the owner of the data directory';

/** The options of a runner. Durations are in milliseconds. */
export interface RunnerOptions {
  /** The runner's name as an owner of leases. Every runner on a store needs a different name. */
  readonly owner?: string;
  readonly pollMs?: number;
  readonly leaseMs?: number;
}

const DEFAULTS = { owner, pollMs: POLL_MS, leaseMs: LEASE_MS };

/** Runs every generation of its projections that no other living worker runs, until it is closed. */
export class ProjectionRunner {
  readonly #stores: SessionDependencies;
  readonly #projections: readonly Projection[];
  readonly #options: Required<RunnerOptions>;
  readonly #stop = new AbortController();
  readonly #sessions = new Map<string, { readonly done: Promise<void>; readonly end: AbortController }>();
  readonly #tried = new Set<string>();
  readonly #bell = new Bell();
  readonly #looping: Promise<void>;

  constructor(stores: SessionDependencies, projections: readonly Projection[], options: RunnerOptions = {}) {
    this.#stores = stores;
    this.#projections = projections;
    this.#options = { ...DEFAULTS, ...options };
    this.#looping = this.#loop();
  }

  /**
   * Ends every session after the current page and releases its lease. Does not wait longer for a store that does not
   * respond: an interrupted page is folded again, and a lease expires.
   */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    if (!(await settlesWithin(this.#end(), CLOSE_MS))) {
      this.#stores.log.warn('the read models do not respond; this worker exits without releasing its leases');
    }
  }

  async #end(): Promise<void> {
    await this.#looping;
    await Promise.all([...this.#sessions.values()].map(({ done }) => done));
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#poll();
      } catch (error) {
        this.#stores.log.warn({ err: error }, 'failed to look for read models to run; will retry');
      }
      await this.#bell.wait(this.#options.pollMs);
    }
  }

  async #poll(): Promise<void> {
    const checkpoints = await this.#stores.views.checkpoints();
    // An older version of the code may have dropped the generation that this version builds.
    const isMissing = ({ name, version }: Projection) =>
      !checkpoints.some((known) => known.projection === name && known.version >= version);
    for (const projection of this.#projections.filter(isMissing)) await this.#stores.views.prepare(projection);
    const existing = new Set(checkpoints.map(keyOf));
    for (const [key, { end }] of this.#sessions) if (!existing.has(key)) end.abort();
    for (const checkpoint of checkpoints.filter((each) => this.#isFree(each))) await this.#take(checkpoint);
  }

  #isFree(checkpoint: Checkpoint): boolean {
    const { owner } = this.#options;
    const { heldBy, stopped } = checkpoint;
    const key = keyOf(checkpoint);
    // A process that has just started may contain the fix: it retries the event that stopped another process, once.
    const isStopped = stopped !== undefined && this.#tried.has(key);
    // A lease of this runner without a session is left over from a session that failed.
    const isHeld = this.#sessions.has(key) || (heldBy !== undefined && heldBy !== owner);
    return !isStopped && !isHeld;
  }

  async #take(checkpoint: Checkpoint): Promise<void> {
    const { owner, leaseMs } = this.#options;
    // A worker with another version of the code runs the generations that this worker cannot fold.
    const projection = this.#projections.find(
      ({ name, version }) => name === checkpoint.projection && version === checkpoint.version,
    );
    if (projection === undefined || this.#stop.signal.aborted) return;
    const lease = await this.#stores.views.acquire(checkpoint, owner, leaseMs);
    if (lease === undefined) return;
    const end = new AbortController();
    const done = this.#run(projection, checkpoint, { lease, signal: AbortSignal.any([this.#stop.signal, end.signal]) });
    this.#sessions.set(keyOf(checkpoint), { done, end });
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
      // What other workers fold from now on is not this worker's lag.
      if (ending !== 'stopped') metrics.folded(projection.name, 0, undefined);
      log.debug({ projection: projection.name, ending }, 'a projection session ended');
      await views.release(by.lease);
    } catch (error) {
      log.warn({ err: error, projection: projection.name }, 'a projection session failed; trying again');
    } finally {
      this.#sessions.delete(key);
    }
  }
}

const keyOf = ({ projection, number }: Checkpoint) => `${projection} ${number}`;
