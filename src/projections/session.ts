// One generation of a projection, run by the holder of its lease: reads the log from the checkpoint on, folds, commits.

import type { Facts, LogPage, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Log } from '../infrastructure/log.js';
import type { Checkpoint, Lease, Views } from '../infrastructure/views/views.js';
import { BatchFolder } from './batch.js';
import { foreignGenerations } from './foreign.js';
import { isIn } from './partition.js';
import type { Progress } from './progress.js';
import type { Projection } from './projection.js';
import { SkippedEvents } from './skipped.js';

/** What sessions work with. */
export interface Stores {
  readonly facts: Facts;
  readonly views: Views;
  readonly progress: Progress;
  readonly log: Log;
  readonly metrics: SessionMetrics;
}

/** What a session reports of itself. */
export interface SessionMetrics {
  /** Events folded, and the recorded time of the last one (epoch ms; undefined at the end of the log). */
  folded(projection: string, events: number, behindSince: number | undefined): void;
  stopped(projection: string, isStopped: boolean): void;
}

export const LEASE_MS = 10_000;
// While catching up, so many events go into one commit: more would hold the event loop for too long.
const COMMIT_EVENTS = 2_048;

/** Why a session ended. `promoted`: the part that it built belongs to the live generation now, which has no parts. */
export type Ending = 'aborted' | 'lease-lost' | 'stopped' | 'promoted';

/**
 * Runs a generation until `signal` aborts, the lease is lost, or an event cannot be folded (which is recorded with the
 * checkpoint). A building generation becomes the live one as soon as it has caught up, with all of its parts. Rejects
 * where a store fails.
 */
export const runSession = async (
  stores: Stores,
  projection: Projection,
  checkpoint: Checkpoint,
  { lease, signal, leaseMs = LEASE_MS }: { lease: Lease; signal: AbortSignal; leaseMs?: number },
): Promise<Ending> => {
  const { facts, views, log } = stores;
  const skipped = await SkippedEvents.of(facts, projection.name);
  const ended = new AbortController();
  const heartbeat = setInterval(() => {
    views.renew(lease, leaseMs).then(
      (held) => held || ended.abort('lease-lost'),
      (error: unknown) => log.warn({ err: error, projection: projection.name }, 'a lease could not be prolonged'),
    );
  }, leaseMs / 3);
  try {
    const folder = new BatchFolder(projection, lease, views, skipped);
    const session = new Session(stores, projection, checkpoint, { lease, folder });
    const range = { aggregates: projection.aggregates, after: checkpoint.position };
    for await (const page of facts.subscribe(range, AbortSignal.any([signal, ended.signal]))) {
      const ending = await session.take(page);
      if (ending !== undefined) return ending;
    }
    return signal.aborted ? 'aborted' : 'lease-lost';
  } finally {
    clearInterval(heartbeat);
  }
};

class Session {
  readonly #stores: Stores;
  readonly #projection: Projection;
  readonly #lease: Lease;
  readonly #folder: BatchFolder;
  #live: boolean;
  #events: RecordedEvent[] = [];

  constructor(
    stores: Stores,
    projection: Projection,
    checkpoint: Checkpoint,
    { lease, folder }: { lease: Lease; folder: BatchFolder },
  ) {
    this.#stores = stores;
    this.#projection = projection;
    this.#lease = lease;
    this.#live = checkpoint.state === 'live';
    this.#folder = folder;
  }

  /**
   * Folds and commits what is in the lease's part of a page, while catching up together with those before it, so that a document which many events
   * change is written once and not once a page. Gives the ending where it is one.
   */
  async take(read: LogPage): Promise<Ending | undefined> {
    this.#events.push(...read.events.filter(({ stream }) => isIn(this.#lease.partition, stream)));
    if (!read.atEnd && this.#events.length < COMMIT_EVENTS) return undefined;
    const page = { ...read, events: this.#events };
    this.#events = [];
    const { writes, position, poison } = await this.#folder.fold(page);
    if (position !== undefined) {
      const committed = await this.#stores.views.commit({ lease: this.#lease, writes, position });
      if (!committed) return 'lease-lost';
    }
    if (poison !== undefined) return this.#stop(poison);
    if (!this.#live && page.atEnd && (await this.#promoted())) return 'promoted';
    this.#report(page);
    return undefined;
  }

  // True where the lease, that of a part, has gone with it. A live generation that was folded from another log would be
  // waited for until this log is as long.
  async #promoted(): Promise<boolean> {
    const { facts, views } = this.#stores;
    const { foreign } = await foreignGenerations(facts, views);
    const live = foreign.find(({ projection, state }) => projection === this.#projection.name && state === 'live');
    this.#live = await views.promote(this.#lease, live?.position);
    return this.#live && this.#lease.partition !== undefined;
  }

  #report({ events, position, atEnd }: LogPage): void {
    const { progress, metrics } = this.#stores;
    const { name } = this.#projection;
    if (this.#live && position !== undefined) progress.advanced(name, position);
    const last = atEnd ? undefined : events.at(-1);
    metrics.folded(name, events.length, last && Date.parse(last.metadata.at));
  }

  async #stop(poison: NonNullable<Checkpoint['stopped']>): Promise<Ending> {
    const { views, log, metrics } = this.#stores;
    await views.setStopped(this.#lease, poison);
    metrics.stopped(this.#projection.name, true);
    log.error(
      { projection: this.#projection.name, ...poison },
      'a projection stopped before an event that it cannot fold',
    );
    return 'stopped';
  }
}
