// One live subscription for a process. Every subscriber catches up with its own subscription. After that, one
// subscription serves all subscribers, so that an event is sent and decoded once, however many read models fold it. An
// event wakes the subscribers of its aggregate immediately. The other subscribers learn at intervals how far the log
// has grown.
import { Bell } from '../bell.js';
import { aggregateOf } from '../stream-name.js';
import { reaches } from './eventstoredb-events.js';
import type { LogPage, LogRange, Position, RecordedEvent } from './facts.js';

/** Opens a subscription that ends when `signal` aborts. */
export type OpenLog = (range: LogRange, signal: AbortSignal) => AsyncIterable<LogPage>;

// How many events may wait for a subscriber. A slower subscriber leaves and catches up with its own subscription, for
// which the server waits.
const MAX_WAITING = 1_024;
// How often subscribers learn the position behind events that they do not read. A read model commits it each time.
const POSITION_INTERVAL_MS = 250;

export class SharedSubscription {
  readonly #open: OpenLog;
  readonly #alwaysFollowed: readonly string[];
  readonly #members = new Set<Member>();
  #running: AbortController | undefined;
  #positionTimer: NodeJS.Timeout | undefined;
  #aggregates: ReadonlySet<string> = new Set();
  /** The position up to which the members have received pages. */
  #position: Position | undefined;

  /**
   * Follows the aggregates of its subscribers and those in `alwaysFollowed`, so that the position advances with their
   * events too.
   */
  constructor(open: OpenLog, alwaysFollowed: readonly string[]) {
    this.#open = open;
    this.#alwaysFollowed = alwaysFollowed;
  }

  /** Subscribes as the port specifies. Rejects if an underlying subscription rejects. */
  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    let after = range.after;
    let isDue = true;
    for await (const page of this.#pages(range, signal)) {
      if (page.position === after && !isDue) continue;
      after = page.position;
      isDue = !page.atEnd;
      yield page;
    }
  }

  // Catches up, is served until the subscriber is too slow, and catches up again. Each part starts with a separate
  // page.
  async *#pages(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    let after = range.after;
    for (let isLive = false; !signal.aborted; isLive = !isLive) {
      const from = { ...range, after };
      for await (const page of isLive ? this.#live(from, signal) : this.#backlog(from, signal)) {
        after = page.position;
        yield page;
      }
    }
  }

  async *#backlog(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    for await (const page of this.#open(range, signal)) {
      yield page;
      if (page.atEnd) return;
    }
  }

  async *#live(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    const member = new Member(range);
    signal.addEventListener('abort', member.bell.ring);
    this.#join(member);
    try {
      while (!signal.aborted) {
        const page = member.take();
        if (page !== undefined) yield page;
        else if (member.hasLeft) return;
        else await member.bell.wait();
      }
    } finally {
      signal.removeEventListener('abort', member.bell.ring);
      this.#leave(member);
    }
  }

  // Starts again if the new member needs events that the running subscription has passed or does not follow. The other
  // members pass over events that they already have.
  #join(member: Member): void {
    const isServed = member.aggregates.every((each) => this.#aggregates.has(each));
    this.#members.add(member);
    if (this.#running !== undefined && isServed && reaches(member.position, this.#position)) return;
    const isFirst = this.#running === undefined || reaches(this.#position, member.position);
    this.#start(isFirst ? member.position : this.#position);
  }

  #leave(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#stop();
  }

  #start(after: Position | undefined): void {
    this.#stop();
    this.#running = new AbortController();
    this.#position = after;
    this.#aggregates = new Set([
      ...this.#alwaysFollowed,
      ...[...this.#members].flatMap(({ aggregates }) => aggregates),
    ]);
    this.#positionTimer = setInterval(() => this.#wakeAll(), POSITION_INTERVAL_MS);
    void this.#run({ aggregates: [...this.#aggregates], after }, this.#running.signal);
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    clearInterval(this.#positionTimer);
  }

  #wakeAll(): void {
    for (const { bell } of this.#members) bell.ring();
  }

  async #run(range: LogRange, signal: AbortSignal): Promise<void> {
    let failure: unknown;
    try {
      for await (const page of this.#open(range, signal)) {
        if (signal.aborted) return;
        this.#deliver(page);
      }
    } catch (error) {
      failure = error;
    }
    if (signal.aborted) return;
    for (const member of this.#members) member.leave(failure);
    this.#members.clear();
    this.#stop();
  }

  #deliver(page: LogPage): void {
    this.#position = page.position;
    for (const member of this.#members) {
      member.deliver(page);
      if (member.hasLeft) this.#leave(member);
    }
  }
}

/** A subscriber that has caught up, and the events that wait for it. */
class Member {
  readonly bell = new Bell();
  readonly aggregates: readonly string[];
  /** The position up to which the member has received everything. */
  position: Position | undefined;
  /** Whether the subscriber no longer receives events; it can still read the waiting events. */
  hasLeft = false;
  #events: RecordedEvent[] = [];
  #atEnd = true;
  #hasNews = false;
  #failure: unknown;

  constructor({ aggregates, after }: LogRange) {
    this.aggregates = aggregates;
    this.position = after;
  }

  /**
   * Keeps the events of a page that are new to the member. Wakes the member if there are such events, or if the page is
   * the end that the member waits for. The member leaves if more events wait than it may keep.
   */
  deliver({ events, position, atEnd }: LogPage): void {
    if (!reaches(position, this.position)) return;
    const isNew = (event: RecordedEvent) =>
      event.position > (this.position ?? '') && this.aggregates.includes(aggregateOf(event.stream));
    this.#events.push(...events.filter(isNew));
    this.position = position;
    const isDue = this.#events.length > 0 || !this.#atEnd;
    this.#atEnd = atEnd;
    this.#hasNews = true;
    if (this.#events.length > MAX_WAITING) this.leave(undefined);
    if (isDue) this.bell.ring();
  }

  /** Gives nothing more to the member. `failure` is the reason, unless the member was too slow. */
  leave(failure: unknown): void {
    this.hasLeft = true;
    this.#failure = failure;
    this.bell.ring();
  }

  /** Takes everything that waits, as one page. After the last page, throws the failure that made the member leave. */
  take(): LogPage | undefined {
    if (!this.#hasNews) {
      if (this.#failure !== undefined) throw this.#failure;
      return undefined;
    }
    const page = { events: this.#events, position: this.position, atEnd: this.#atEnd };
    this.#events = [];
    this.#hasNews = false;
    return page;
  }
}
