// A subscription to the log. It first catches up at the pace of its consumer, and reports when it has caught up. Then it
// is live: a consumer that falls behind by more than a small buffer is dropped.
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import { type Backend, drained } from './calls.js';
import { thrownByHandler, tooSlow } from './errors.js';
import { caughtUpFrame, checkpointFrame, confirmationFrame, eventFrame } from './frames.js';
import type { StoredEvent } from './records.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;

// The server's live buffer has 32 places. Matching events and checkpoints each take one. An immediate consumer reads some
// during a burst: a real server drops it after 260 to 540 events.
export const BURST = 320;

/** What a subscription sends: a matching event, or the position of a checkpoint. */
type Sent = StoredEvent | number;

/** A filter by the beginning of stream names. */
interface Filter {
  matches(event: StoredEvent): boolean;
  /** How many events are examined at a time. */
  readonly window: number;
  readonly windowsPerCheckpoint: number;
}

// How many events a subscription examines at a time, unless its filter says so.
const DEFAULT_WINDOW = 32;

/** Returns the filter of a read or subscription, or undefined. */
export const filterOf = (options: ReadReq.Options): Filter | undefined => {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const prefixes = filter.getStreamIdentifier()?.getPrefixList() ?? [];
  if (prefixes.length === 0) throw thrownByHandler();
  return {
    matches: ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)),
    window: filter.getMax() || DEFAULT_WINDOW,
    windowsPerCheckpoint: filter.getCheckpointintervalmultiplier(),
  };
};

export class Subscription {
  readonly #backend: Backend;
  readonly #call: Call;
  readonly #filter: Filter | undefined;
  readonly #open: Set<Subscription>;
  readonly #waiting: Sent[] = [];
  #unlisten = () => {};
  #count = 0;
  #isPumping = true;
  #isOver = false;
  #isMute = false;
  #isTooSlow = false;

  constructor(backend: Backend, call: Call, options: ReadReq.Options, open: Set<Subscription>) {
    this.#backend = backend;
    this.#call = call;
    this.#filter = filterOf(options);
    this.#open = open;
    open.add(this);
    call.on('cancelled', () => this.#close());
  }

  /** Confirms the subscription and sends what is committed after a position. */
  async run(after: number): Promise<void> {
    const { store } = this.#backend;
    await this.#write(confirmationFrame());
    let next = store.indexAfter(after);
    while (next < store.log.length && !this.#isOver) next += await this.#catchUp(next);
    if (this.#isOver) return;
    this.#unlisten = store.listen((events) => this.#take(events));
    await this.#write(caughtUpFrame());
    await this.#pump();
  }

  // Sends the events of a window. Returns how many events it has.
  async #catchUp(from: number): Promise<number> {
    const { store, examinedPerMs } = this.#backend;
    const events = store.log.slice(from, from + (this.#filter?.window ?? DEFAULT_WINDOW));
    await pause(events.length / examinedPerMs());
    for (const sent of events.flatMap((event) => this.#examined(event))) await this.#send(sent);
    return events.length;
  }

  /** Ends the subscription with an error. */
  fail(error: ServiceError): void {
    if (this.#isOver) return;
    this.#close();
    this.#call.emit('error', error);
  }

  /** Ends the subscription without an error. */
  end(): void {
    this.#close();
    this.#call.end();
  }

  /** Stops sending without ending the subscription. */
  mute(): void {
    this.#isMute = true;
  }

  #close(): void {
    this.#isOver = true;
    this.#unlisten();
    this.#open.delete(this);
  }

  #take(events: readonly StoredEvent[]): void {
    for (const sent of events.flatMap((event) => this.#examined(event))) {
      if (this.#waiting.length >= this.#backend.burst()) this.#isTooSlow = true;
      if (!this.#isTooSlow) this.#waiting.push(sent);
    }
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#pump().catch((error: ServiceError) => this.fail(error));
    });
  }

  // Delivers what the full buffer holds, then fails the subscription.
  async #pump(): Promise<void> {
    for (let sent = this.#waiting.shift(); sent !== undefined && !this.#isOver; sent = this.#waiting.shift()) {
      await this.#send(sent);
    }
    this.#isPumping = false;
    if (this.#isTooSlow) this.fail(tooSlow());
  }

  #examined(event: StoredEvent): Sent[] {
    this.#backend.examined(1);
    this.#count += 1;
    if (this.#filter === undefined) return [event];
    const { matches, window, windowsPerCheckpoint } = this.#filter;
    const isCheckpoint = this.#count % (window * windowsPerCheckpoint) === 0;
    return [...(matches(event) ? [event] : []), ...(isCheckpoint ? [event.position] : [])];
  }

  #send(sent: Sent): Promise<void> {
    return this.#write(typeof sent === 'number' ? checkpointFrame(sent) : eventFrame(sent));
  }

  async #write(frame: ReadResp): Promise<void> {
    if (this.#isOver || this.#isMute) return;
    if (!this.#call.write(frame)) await drained(this.#call);
  }
}
