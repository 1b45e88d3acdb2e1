// Runs one generation of a projection for the holder of its lease: reads the log from the checkpoint, folds and
// commits.
import { SpanKind } from '@opentelemetry/api';
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts, LogPage, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Log } from '../infrastructure/log.js';
import type { AllStores } from '../infrastructure/stores.js';
import { inSpan } from '../infrastructure/tracing.js';
import type { Checkpoint, Lease, Views } from '../infrastructure/views/views.js';
import { COMMIT_BYTES, type FoldedPage, foldPage, type Poison, poisonOf } from './fold-page.js';
import { foreignGenerations } from './foreign.js';
import type { Progress } from './progress.js';
import type { Projection } from './projection.js';

export const LEASE_MS = 10_000;
// So many pages of the log are joined while the session catches up. They have up to 2,048 events. Where the events of
// others are in the majority they have few, but the checkpoint advances.
const COMMIT_PAGES = 8;

export interface SessionDependencies {
  readonly facts: Facts;
  readonly views: Views;
  readonly judge?: AllStores['judge'];
  readonly progress: Pick<Progress, 'advanced'>;
  readonly log: Log;
  readonly metrics: SessionMetrics;
}

export interface SessionMetrics {
  /** `behindSince`: when the last of the folded events was recorded (epoch ms); undefined at the end of the log. */
  folded(projection: string, events: number, behindSince: number | undefined): void;
  stopped(projection: string, isStopped: boolean): void;
}

type Ending = 'aborted' | 'lease-lost' | 'stopped';

/**
 * Runs a generation until `signal` aborts, the lease is lost, or an event cannot be folded or its documents cannot be
 * stored. The checkpoint records such an event. A building generation becomes live as soon as it has caught up. Rejects
 * if a store is unavailable.
 */
export const runSession = async (
  stores: SessionDependencies,
  projection: Projection,
  checkpoint: Checkpoint,
  { lease, signal, leaseMs = LEASE_MS }: { lease: Lease; signal: AbortSignal; leaseMs?: number },
): Promise<Ending> => {
  const { views, log } = stores;
  const ended = new AbortController();
  const heartbeat = setInterval(() => {
    views.renew(lease, leaseMs).then(
      (held) => held || ended.abort('lease-lost'),
      (error: unknown) => log.warn({ err: error, projection: projection.name }, 'a lease could not be prolonged'),
    );
  }, leaseMs / 3);
  try {
    const session = new Session(stores, projection, lease, checkpoint.state === 'live');
    const ending = await session.follow(checkpoint.position, AbortSignal.any([signal, ended.signal]));
    return ending ?? (signal.aborted ? 'aborted' : 'lease-lost');
  } finally {
    clearInterval(heartbeat);
  }
};

class Session {
  readonly #stores: SessionDependencies;
  readonly #projection: Projection;
  readonly #lease: Lease;
  #live: boolean;
  #log: string | undefined;

  constructor(stores: SessionDependencies, projection: Projection, lease: Lease, live: boolean) {
    this.#stores = stores;
    this.#projection = projection;
    this.#lease = lease;
    this.#live = live;
  }

  /** Folds the log behind `after`, page by page. Returns undefined if the signal aborts. */
  async follow(after: Position | undefined, signal: AbortSignal): Promise<Ending | undefined> {
    const { aggregates } = this.#projection;
    for await (const page of joined(this.#stores.facts.subscribe({ aggregates, after }, signal))) {
      const ending = await this.#takeInSpan(page);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  // A read model receives a page without events with every event of other aggregates.
  #takeInSpan(page: LogPage): Promise<Ending | undefined> {
    const { name } = this.#projection;
    if (page.events.length === 0) return this.#take(page);
    const attributes = { 'projection.name': name, 'projection.events': page.events.length };
    return inSpan(`project ${name}`, { kind: SpanKind.CONSUMER, attributes }, () => this.#take(page));
  }

  async #take(page: LogPage): Promise<Ending | undefined> {
    if (page.position !== undefined) this.#log ??= await this.#named();
    let rest: LogPage | Ending | undefined = page;
    while (typeof rest === 'object') rest = await this.#takeFirst(rest);
    return rest;
  }

  /** Takes what one commit holds of a page. Returns the rest of the page. */
  async #takeFirst(page: LogPage): Promise<LogPage | Ending | undefined> {
    const { views } = this.#stores;
    let folded: FoldedPage;
    try {
      folded = await foldPage(views, this.#lease, this.#projection, page);
      if (!(await this.#commit(folded))) return 'lease-lost';
    } catch (error) {
      return this.#isolate(page, error);
    }
    const { position, poison, rest } = folded;
    const atEnd = page.atEnd && poison === undefined && rest === undefined;
    if (atEnd) this.#live ||= await this.#promote();
    const events = page.events.slice(0, page.events.length - (rest?.events.length ?? 0));
    if (position !== undefined) this.#report(events, position, atEnd);
    return poison === undefined ? rest : this.#stop(poison);
  }

  /** Gives the read model the id of the log, before it has a position of the log. Rejects if it is another log. */
  async #named(): Promise<string | undefined> {
    const log = await this.#stores.judge?.();
    if (log !== undefined) await this.#stores.views.prepare(this.#projection, log);
    return log;
  }

  async #commit({ writes, position }: FoldedPage): Promise<boolean> {
    return position === undefined || this.#stores.views.commit({ lease: this.#lease, writes, position });
  }

  /** Takes the events of a page one by one, up to the event at fault. Rejects with the error if a retry may help. */
  async #isolate(page: LogPage, error: unknown): Promise<Ending | undefined> {
    const [event, ...more] = page.events;
    if (error instanceof StoreUnavailable || event === undefined) throw error;
    if (more.length === 0) return this.#stop(poisonOf(event, error));
    for (const single of singlesOf(page)) {
      const ending = await this.#take(single);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  // A live generation that was folded from another log would block the promotion until this log is as long.
  async #promote(): Promise<boolean> {
    const { facts, views } = this.#stores;
    const { foreign } = await foreignGenerations(facts, views);
    const live = foreign.find(({ projection, state }) => projection === this.#lease.projection && state === 'live');
    return views.promote(this.#lease, live?.position);
  }

  #report(events: readonly RecordedEvent[], position: Position, atEnd: boolean): void {
    const { progress, metrics } = this.#stores;
    const { name } = this.#projection;
    // Readers see only the live generation.
    if (this.#live) progress.advanced(name, position);
    const last = events.at(-1);
    if (atEnd) metrics.folded(name, events.length, undefined);
    else if (last !== undefined) metrics.folded(name, events.length, Date.parse(last.metadata.at));
  }

  async #stop(poison: Poison): Promise<Ending> {
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

/**
 * Joins pages while the session catches up, so that a document that many events change is written once. At the end of
 * the log, the events that are there are a page.
 */
async function* joined(pages: AsyncIterable<LogPage>): AsyncGenerator<LogPage> {
  let events: RecordedEvent[] = [];
  let [count, bytes] = [0, 0];
  for await (const page of pages) {
    events.push(...page.events);
    count += 1;
    bytes += page.bytes ?? bytesOf(page);
    if (!page.atEnd && count < COMMIT_PAGES && bytes < COMMIT_BYTES) continue;
    yield { ...page, events };
    [events, count, bytes] = [[], 0, 0];
  }
}

const bytesOf = ({ events }: LogPage): number => events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);

const singlesOf = ({ events, position, atEnd }: LogPage): readonly LogPage[] =>
  events.map((event, index) => {
    const isLast = index === events.length - 1;
    return { events: [event], position: isLast ? position : event.position, atEnd: isLast && atEnd };
  });
