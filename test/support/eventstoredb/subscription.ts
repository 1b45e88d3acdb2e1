// A catch-up subscription. It sends the events of the log, then newly committed events. While it catches up, it waits
// for the consumer. Once it is live, it drops a consumer that falls behind by more than a small buffer.
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import { drained } from './calls.js';
import { streamDeleted, thrownByHandler, tooSlow } from './errors.js';
import { type Filter, filterOf } from './filter.js';
import { caughtUpFrame, checkpointFrame, confirmationFrame, eventFrame, nameIn } from './frames.js';
import { LAST_REVISION, type StoredEvent } from './records.js';
import type { Store } from './store.js';
import { visible } from './visible.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;

// The size of the server's live buffer. Matching events and checkpoints each take a place.
const LIVE_PLACES = 32;
// How many events an immediate consumer reads during a burst. A real server drops it after 260 to 540 events.
const DRAINED_IN_A_BURST = 288;
// How long a subscription buffers without draining before it is live.
const TRANSITION_MS = 3;

/** The open subscriptions of a server. */
export class Subscriptions extends Set<Subscription> {
  #transition: () => Promise<unknown> = () => pause(TRANSITION_MS);

  /** Keeps subscriptions that have caught up from going live until the returned function is called. */
  hold(): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#transition = () => released;
    return () => {
      this.#transition = () => pause(TRANSITION_MS);
      release();
    };
  }

  /** Resolves when a subscription that has caught up is live. */
  wentLive(): Promise<unknown> {
    return this.#transition();
  }
}

/** What a subscription sends: a matching event, or the position of a checkpoint. */
type Sent = StoredEvent | number;

/** The source and the start of a subscription. */
interface Source {
  readonly after: number;
  matches(event: StoredEvent): boolean;
  readonly filter: Filter | undefined;
  /** The stream, or undefined for the log. */
  readonly stream: string | undefined;
}

export class Subscription {
  readonly #store: Store;
  readonly #call: Call;
  readonly #source: Source;
  readonly #open: Subscriptions;
  readonly #live: Sent[] = [];
  #isLive = false;
  #count = 0;
  #isPumping = false;
  #isOver = false;
  #isMute = false;
  #isTooSlow = false;
  #owesCaughtUp = false;
  #unlisten = () => {};

  constructor(store: Store, call: Call, options: ReadReq.Options, open: Subscriptions) {
    this.#store = store;
    this.#call = call;
    this.#source = options.hasStream() ? streamSource(store, options) : logSource(store, options);
    this.#open = open;
  }

  /** Confirms the subscription and catches up. Resolves when the subscription is live. */
  async run(): Promise<void> {
    this.#open.add(this);
    this.#call.on('cancelled', () => this.#close());
    await this.#write(confirmationFrame());
    await this.#catchUp();
    if (this.#isOver) return;
    // A missing stream gets the caught-up message only after its first event.
    const { stream } = this.#source;
    this.#owesCaughtUp = stream !== undefined && visible(this.#store, stream) === undefined;
    await this.#goLive();
  }

  async #catchUp(): Promise<void> {
    let index = this.#store.indexAfter(this.#source.after);
    for (; index < this.#store.log.length && !this.#isOver; index += 1) {
      const event = this.#store.log[index];
      if (event === undefined) continue;
      for (const sent of this.#examined(event)) await this.#send(sent);
    }
  }

  // Until the subscription is live, committed events fill the live buffer and nothing drains it.
  async #goLive(): Promise<void> {
    this.#unlisten = this.#store.listen((events) => this.#take(events));
    await this.#open.wentLive();
    if (!this.#owesCaughtUp) await this.#write(caughtUpFrame());
    this.#isLive = true;
    this.#isPumping = true;
    await this.#pump();
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
    const places = this.#isLive ? LIVE_PLACES + DRAINED_IN_A_BURST : LIVE_PLACES;
    for (const sent of events.flatMap((event) => this.#examined(event))) {
      if (this.#live.length >= places) this.#isTooSlow = true;
      if (!this.#isTooSlow) this.#live.push(sent);
    }
    if (this.#isPumping || !this.#isLive) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#pump().catch((error: ServiceError) => this.fail(error));
    });
  }

  // Delivers what the full buffer holds, then fails the subscription.
  async #pump(): Promise<void> {
    for (let sent = this.#live.shift(); sent !== undefined && !this.#isOver; sent = this.#live.shift()) {
      await this.#send(sent);
    }
    this.#isPumping = false;
    if (this.#isTooSlow) this.fail(tooSlow());
  }

  #examined(event: StoredEvent): Sent[] {
    const { matches, filter } = this.#source;
    const sent: Sent[] = matches(event) ? [event] : [];
    this.#count += 1;
    if (filter !== undefined && this.#count % filter.checkpointEvery === 0) sent.push(event.position);
    return sent;
  }

  async #send(sent: Sent): Promise<void> {
    if (typeof sent === 'number') return this.#write(checkpointFrame(sent));
    await this.#write(eventFrame(sent));
    if (this.#owesCaughtUp) await this.#write(caughtUpFrame());
    this.#owesCaughtUp = false;
    const { stream } = this.#source;
    if (stream === sent.stream && sent.revision === LAST_REVISION) this.fail(streamDeleted(stream));
  }

  async #write(frame: ReadResp): Promise<void> {
    if (this.#isOver || this.#isMute) return;
    if (!this.#call.write(frame)) await drained(this.#call);
  }
}

const logSource = (store: Store, options: ReadReq.Options): Source => {
  const all = options.getAll();
  const filter = filterOf(options);
  const matches = (event: StoredEvent) => filter?.matches(event) ?? true;
  const last = store.log.at(-1)?.position ?? 0;
  if (all?.hasStart()) return { after: -1, matches, filter, stream: undefined };
  if (all?.hasEnd()) return { after: last, matches, filter, stream: undefined };
  const after = Number(all?.getPosition()?.getCommitPosition());
  if (after <= last && !store.isAtEvent(after)) throw thrownByHandler();
  return { after, matches: (event) => event.position > after && matches(event), filter, stream: undefined };
};

const streamSource = (store: Store, options: ReadReq.Options): Source => {
  const from = options.getStream();
  const stream = nameIn(from?.getStreamIdentifier());
  if (store.isTombstoned(stream)) throw streamDeleted(stream);
  const isOf = (event: StoredEvent) => event.stream === stream;
  const end = store.log.at(-1)?.position ?? 0;
  if (from?.hasEnd()) return { after: end, matches: isOf, filter: undefined, stream };
  const revision = from?.hasRevision() ? Number(from.getRevision()) : -1;
  const first = store.metadataOf(stream).truncateBefore;
  const matches = (event: StoredEvent) => isOf(event) && event.revision > revision && event.revision >= first;
  return { after: -1, matches, filter: undefined, stream };
};
