// Folds one generation: takes pages of the log, folds them in batches and commits the batches. If the store rejects a
// batch, the session finds the event at fault.
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts, LogPage, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Log } from '../infrastructure/log.js';
import type { Checkpoint, Lease, Views } from '../infrastructure/views/views.js';
import { type Batch, type BatchFolder, failureOf } from './batch.js';
import { foreignGenerations } from './foreign.js';
import type { Progress } from './progress.js';

/** The dependencies of a session. */
export interface SessionDependencies {
  readonly facts: Facts;
  readonly views: Views;
  readonly progress: Progress;
  readonly log: Log;
  readonly metrics: SessionMetrics;
  /** Runs around the folding of each batch. Default: nothing. */
  readonly wrapBatch?: BatchWrapper;
}

/** Folds a batch inside something else, such as a span. */
export type BatchWrapper = <T>(
  projection: string,
  events: readonly RecordedEvent[],
  fold: () => Promise<T>,
) => Promise<T>;

/** The metrics of a session. */
export interface SessionMetrics {
  /**
   * Counts folded events. `behindSince`: when the last of them was recorded (epoch ms; undefined at the end of the
   * log).
   */
  folded(projection: string, events: number, behindSince: number | undefined): void;
  stopped(projection: string, isStopped: boolean): void;
}

// The maximum number of events in a commit while catching up: more would hold the event loop for too long.
const COMMIT_EVENTS = 2_048;
// The maximum size of these events: a slow network must take a commit within its deadline, and memory must hold it.
const COMMIT_BYTES = 8 * 1_024 * 1_024;

/** Why a session ended. */
export type Ending = 'aborted' | 'lease-lost' | 'stopped';

/** The next step of a session: it ends, reads again from its last commit, or reads the next page (undefined). */
export type Step = Ending | 'read-again' | undefined;

/** The result of a commit: undefined if it succeeded, otherwise why it failed and where the batch ended. */
type Outcome = 'lease-lost' | { readonly error: unknown; readonly position: Position } | undefined;

/** The extent of a commit: the number of its events, the last of them, and whether the log ended there. */
interface Extent {
  readonly count: number;
  readonly last: RecordedEvent | undefined;
  readonly atEnd: boolean;
}

/** Folds a generation for the holder of its lease. */
export class GenerationSession {
  readonly #stores: SessionDependencies;
  readonly #lease: Lease;
  readonly #newFolder: () => BatchFolder;
  readonly #wrapBatch: BatchWrapper;
  #folder: BatchFolder;
  #live: boolean;
  /** The position of the last commit. */
  #committed: Position | undefined;
  /** The end of the batch that the store rejected. Up to there, each page is a separate batch. */
  #rejected: Position | undefined;
  /** The commit in progress. It never rejects. */
  #pending: Promise<Outcome> = Promise.resolve(undefined);
  /** The size of the open batch. */
  #events = 0;
  #bytes = 0;

  constructor(
    stores: SessionDependencies,
    { state, position }: Checkpoint,
    lease: Lease,
    newFolder: () => BatchFolder,
  ) {
    this.#stores = stores;
    this.#wrapBatch = stores.wrapBatch ?? ((_projection, _events, fold) => fold());
    this.#lease = lease;
    this.#live = state === 'live';
    this.#committed = position;
    this.#newFolder = newFolder;
    this.#folder = newFolder();
  }

  /** Folds the log behind the last commit until the signal aborts or the session cannot continue with the next page. */
  async follow(aggregates: readonly string[], signal: AbortSignal): Promise<Step> {
    try {
      for await (const page of this.#stores.facts.subscribe({ aggregates, after: this.#committed }, signal)) {
        const step = await this.#wrapBatch(this.#lease.projection, page.events, () => this.#take(page));
        if (step !== undefined) return step;
      }
      return undefined;
    } finally {
      // The lease is released after this, and the commit in progress must not be late.
      await this.#pending;
    }
  }

  /**
   * Folds a page. While catching up, a commit has many pages, so that a document that many events change is written
   * once. The session folds the pages of the next commit while the store writes the previous one.
   */
  async #take(page: LogPage): Promise<Step> {
    if (this.#mustBeAlone(page)) return this.#takeAlone(page);
    const poison = await this.#folder.add(page);
    this.#events += page.events.length;
    this.#bytes += page.bytes ?? bytesOf(page);
    const extent = { last: page.events.at(-1), atEnd: page.atEnd && poison === undefined };
    if (poison !== undefined) return (await this.#commitNow(extent)) ?? this.#stop(poison);
    if (page.atEnd) return (await this.#commitNow(extent)) ?? this.#caughtUp();
    return this.#hasRoom() ? undefined : this.#commitOpen(extent);
  }

  async #commitNow(extent: Omit<Extent, 'count'>): Promise<Step> {
    return (await this.#commitOpen(extent)) ?? this.#settled();
  }

  /** Starts to commit the open batch after the previous commit is done. */
  async #commitOpen(extent: Omit<Extent, 'count'>): Promise<Step> {
    const count = this.#events;
    const batch = this.#close();
    const step = await this.#settled();
    if (step === undefined) this.#pending = this.#commit(batch, { ...extent, count });
    return step;
  }

  #mustBeAlone({ position }: LogPage): boolean {
    return position !== undefined && this.#rejected !== undefined && position <= this.#rejected;
  }

  #hasRoom(): boolean {
    return this.#events < COMMIT_EVENTS && this.#bytes < COMMIT_BYTES;
  }

  #close(): Batch {
    [this.#events, this.#bytes] = [0, 0];
    return this.#folder.close();
  }

  async #commit({ writes, position }: Batch, extent: Extent): Promise<Outcome> {
    if (position === undefined) return undefined;
    try {
      const isHeld = await this.#stores.views.commit({ lease: this.#lease, writes, position });
      if (!isHeld) return 'lease-lost';
    } catch (error) {
      return { error, position };
    }
    this.#committed = position;
    this.#report(extent);
    return undefined;
  }

  /**
   * Waits for the commit in progress. If the store rejects it permanently, the pages folded since then rely on
   * documents that are not stored. So the session discards these pages and reads the log again from the last commit,
   * with a batch for each page.
   */
  async #settled(): Promise<Step> {
    const outcome = await this.#pending;
    this.#pending = Promise.resolve(undefined);
    if (outcome === undefined || outcome === 'lease-lost') return outcome;
    if (outcome.error instanceof StoreUnavailable) throw outcome.error;
    this.#rejected = outcome.position;
    this.#folder = this.#newFolder();
    return 'read-again';
  }

  async #takeAlone(page: LogPage): Promise<Step> {
    const ending = await this.#foldAlone(page);
    return ending ?? (page.atEnd ? this.#caughtUp() : undefined);
  }

  async #foldAlone(page: LogPage): Promise<Ending | undefined> {
    const { poison, ...batch } = await this.#folder.fold(page);
    const extent = { count: page.events.length, last: page.events.at(-1), atEnd: page.atEnd && poison === undefined };
    const outcome = await this.#commit(batch, extent);
    if (typeof outcome === 'object') return this.#isolate(page, outcome.error);
    return outcome ?? (poison && this.#stop(poison));
  }

  /**
   * Commits in halves a batch that the store rejects permanently, until it finds the event at fault, and stops before
   * that event. Rejects with the error if a retry may help, or if no event is at fault.
   */
  async #isolate({ events, position, atEnd }: LogPage, error: unknown): Promise<Ending | undefined> {
    const [event] = events;
    if (error instanceof StoreUnavailable || event === undefined) throw error;
    if (events.length === 1) return this.#stop(failureOf(event, error));
    // The previous folder relies on documents that were not stored.
    this.#folder = this.#newFolder();
    const half = events.slice(0, events.length / 2);
    const rest = events.slice(half.length);
    const ending = await this.#foldAlone({ events: half, position: half.at(-1)?.position, atEnd: false });
    return ending ?? this.#foldAlone({ events: rest, position, atEnd });
  }

  async #caughtUp(): Promise<undefined> {
    if (this.#live) return;
    this.#live = await this.#promote();
    this.#announcePosition();
  }

  // A live generation that was folded from another log would block the promotion until this log is as long.
  async #promote(): Promise<boolean> {
    const { facts, views } = this.#stores;
    const { foreign } = await foreignGenerations(facts, views);
    const live = foreign.find(({ projection, state }) => projection === this.#lease.projection && state === 'live');
    return views.promote(this.#lease, live?.position);
  }

  #report({ count, last, atEnd }: Extent): void {
    this.#announcePosition();
    const behindSince = atEnd ? undefined : last && Date.parse(last.metadata.at);
    this.#stores.metrics.folded(this.#lease.projection, count, behindSince);
  }

  /** Reports the position of the live generation to readers. */
  #announcePosition(): void {
    if (this.#live && this.#committed !== undefined) {
      this.#stores.progress.advanced(this.#lease.projection, this.#committed);
    }
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

const bytesOf = ({ events }: LogPage): number => events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
