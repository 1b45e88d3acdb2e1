// One generation of a projection, run by the holder of its lease: reads the log from the checkpoint on, folds, commits.
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts, LogPage, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Log } from '../infrastructure/log.js';
import type { Checkpoint, Lease, Views } from '../infrastructure/views/views.js';
import { BatchFolder, failureOf } from './batch.js';
import { foreignGenerations } from './foreign.js';
import type { Progress } from './progress.js';
import type { Projection } from './projection.js';
import { skipsOf } from './skipped.js';

/** What sessions work with. */
export interface SessionDependencies {
  readonly facts: Facts;
  readonly views: Views;
  readonly progress: Progress;
  readonly log: Log;
  readonly metrics: SessionMetrics;
  /** Runs around the folding of each batch; absent: nothing does. */
  readonly around?: AroundBatch;
}

/** Folds a batch within something else, such as a span. */
export type AroundBatch = <T>(
  projection: string,
  events: readonly RecordedEvent[],
  fold: () => Promise<T>,
) => Promise<T>;

/** What a session reports of itself. */
export interface SessionMetrics {
  /** Events folded, and the recorded time of the last one (epoch ms; undefined at the end of the log). */
  folded(projection: string, events: number, behindSince: number | undefined): void;
  stopped(projection: string, isStopped: boolean): void;
}

export const LEASE_MS = 10_000;
// While catching up, so many events go into one commit: more would hold the event loop for too long.
const COMMIT_EVENTS = 2_048;
// Or events of so many bytes: a slow network must take a commit within its deadline, and the memory must hold it.
const COMMIT_BYTES = 8 * 1_024 * 1_024;

/** Why a session ended. */
export type Ending = 'aborted' | 'lease-lost' | 'stopped';

/**
 * Runs a generation until `signal` aborts, the lease is lost, or an event cannot be folded or what is folded from it
 * cannot be stored (which is recorded with the checkpoint). A building generation becomes the live one as soon as it has
 * caught up. Rejects if a store is unavailable.
 */
export const runSession = async (
  stores: SessionDependencies,
  projection: Projection,
  checkpoint: Checkpoint,
  { lease, signal, leaseMs = LEASE_MS }: { lease: Lease; signal: AbortSignal; leaseMs?: number },
): Promise<Ending> => {
  const { facts, views, log } = stores;
  const skips = await skipsOf(facts, projection.name);
  const ended = new AbortController();
  const heartbeat = setInterval(() => {
    views.renew(lease, leaseMs).then(
      (held) => held || ended.abort('lease-lost'),
      (error: unknown) => log.warn({ err: error, projection: projection.name }, 'a lease could not be prolonged'),
    );
  }, leaseMs / 3);
  try {
    const newFolder = () => new BatchFolder(projection, lease, views, skips);
    const session = new GenerationSession(stores, checkpoint, lease, newFolder);
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

class GenerationSession {
  readonly #stores: SessionDependencies;
  readonly #lease: Lease;
  readonly #newFolder: () => BatchFolder;
  readonly #around: AroundBatch;
  #folder: BatchFolder;
  #live: boolean;
  #events: RecordedEvent[] = [];
  #bytes = 0;

  constructor(stores: SessionDependencies, { state }: Checkpoint, lease: Lease, newFolder: () => BatchFolder) {
    this.#stores = stores;
    this.#around = stores.around ?? ((_projection, _events, fold) => fold());
    this.#lease = lease;
    this.#live = state === 'live';
    this.#newFolder = newFolder;
    this.#folder = newFolder();
  }

  /**
   * Folds and commits a page, while catching up together with the pages before it, so that a document which many events
   * change is written once and not once a page. Returns the ending if the session ends.
   */
  async take(read: LogPage): Promise<Ending | undefined> {
    this.#events.push(...read.events);
    if (!read.atEnd && this.#hasRoom(read)) return undefined;
    const page = { ...read, events: this.#events };
    this.#events = [];
    this.#bytes = 0;
    const ending = await this.#around(this.#lease.projection, page.events, () => this.#fold(page));
    if (ending !== undefined) return ending;
    if (!this.#live && page.atEnd) this.#live = await this.#promote();
    this.#report(page);
    return undefined;
  }

  #hasRoom({ events }: LogPage): boolean {
    this.#bytes += events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
    return this.#events.length < COMMIT_EVENTS && this.#bytes < COMMIT_BYTES;
  }

  async #fold(page: LogPage): Promise<Ending | undefined> {
    const { writes, position, poison } = await this.#folder.fold(page);
    if (position !== undefined) {
      try {
        const committed = await this.#stores.views.commit({ lease: this.#lease, writes, position });
        if (!committed) return 'lease-lost';
      } catch (error) {
        return this.#isolate(page, error);
      }
    }
    return poison && this.#stop(poison);
  }

  /**
   * Commits in halves what the store rejects for a lasting reason as a whole, until the event is found that it rejects,
   * and stops before that event. Rejects with the error if trying again may help, or no event is at fault.
   */
  async #isolate({ events, position, atEnd }: LogPage, error: unknown): Promise<Ending | undefined> {
    const [event] = events;
    if (error instanceof StoreUnavailable || event === undefined) throw error;
    if (events.length === 1) return this.#stop(failureOf(event, error));
    // The folder counts on what it has folded being stored.
    this.#folder = this.#newFolder();
    const half = events.slice(0, events.length / 2);
    const rest = events.slice(half.length);
    const ending = await this.#fold({ events: half, position: half.at(-1)?.position, atEnd: false });
    return ending ?? this.#fold({ events: rest, position, atEnd });
  }

  // A live generation that was folded from another log would be waited for until this log is as long.
  async #promote(): Promise<boolean> {
    const { facts, views } = this.#stores;
    const { foreign } = await foreignGenerations(facts, views);
    const live = foreign.find(({ projection, state }) => projection === this.#lease.projection && state === 'live');
    return views.promote(this.#lease, live?.position);
  }

  #report({ events, position, atEnd }: LogPage): void {
    const { progress, metrics } = this.#stores;
    const { projection } = this.#lease;
    if (this.#live && position !== undefined) progress.advanced(projection, position);
    const last = atEnd ? undefined : events.at(-1);
    metrics.folded(projection, events.length, last && Date.parse(last.metadata.at));
  }

  async #stop(poison: NonNullable<Checkpoint['stopped']>): Promise<Ending> {
    const { views, log, metrics } = this.#stores;
    await views.setStopped(this.#lease, poison);
    metrics.stopped(this.#lease.projection, true);
    log.error(
      { projection: this.#lease.projection, ...poison },
      'a projection stopped before an event that cannot be folded or stored',
    );
    return 'stopped';
  }
}
