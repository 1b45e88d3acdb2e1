// A catch-up subscription: what is in the log, then what is committed. Catching up waits for the consumer; once live, a
// consumer that falls behind by more than a small buffer is dropped.
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

// The server's live buffer has 32 places; what is on the way to an instant consumer adds to them. A burst is dropped
// after 260 to 540 events.
const LIVE_EVENTS = 32 + 288;

/** What is subscribed to, and from where on. */
interface Source {
  readonly after: number;
  matches(event: StoredEvent): boolean;
  readonly filter: Filter | undefined;
  /** The stream, where it is one and not the log. */
  readonly stream: string | undefined;
}

export class Subscription {
  readonly #store: Store;
  readonly #call: Call;
  readonly #source: Source;
  readonly #open: Set<Subscription>;
  readonly #live: StoredEvent[] = [];
  #examined = 0;
  #isPumping = false;
  #isOver = false;
  #isMute = false;
  #isTooSlow = false;
  #owesCaughtUp = false;
  #unlisten = () => {};

  constructor(store: Store, call: Call, options: ReadReq.Options, open: Set<Subscription>) {
    this.#store = store;
    this.#call = call;
    this.#source = options.hasStream() ? streamSource(store, options) : logSource(store, options);
    this.#open = open;
  }

  /** Confirms, catches up and goes live; resolves when it is live. */
  async run(): Promise<void> {
    this.#open.add(this);
    this.#call.on('cancelled', () => this.#close());
    await this.#write(confirmationFrame());
    let index = this.#store.indexAfter(this.#source.after);
    for (; index < this.#store.log.length && !this.#isOver; index += 1) {
      const event = this.#store.log[index];
      if (event !== undefined) await this.#examine(event);
    }
    if (this.#isOver) return;
    this.#unlisten = this.#store.listen((events) => this.#take(events));
    // Of a stream that is missing it is said only with its first event.
    const { stream } = this.#source;
    this.#owesCaughtUp = stream !== undefined && visible(this.#store, stream) === undefined;
    if (!this.#owesCaughtUp) await this.#write(caughtUpFrame());
  }

  /** Ends it with an error. */
  fail(error: ServiceError): void {
    if (this.#isOver) return;
    this.#close();
    this.#call.emit('error', error);
  }

  /** Ends it in good order. */
  end(): void {
    this.#close();
    this.#call.end();
  }

  /** From now on says nothing any more. */
  mute(): void {
    this.#isMute = true;
  }

  #close(): void {
    this.#isOver = true;
    this.#unlisten();
    this.#open.delete(this);
  }

  #take(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (this.#live.length >= LIVE_EVENTS) this.#isTooSlow = true;
      if (!this.#isTooSlow) this.#live.push(event);
    }
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#pump().catch((error: ServiceError) => this.fail(error));
    });
  }

  // What was buffered before the buffer was full is still delivered, then the subscription fails.
  async #pump(): Promise<void> {
    for (let event = this.#live.shift(); event !== undefined && !this.#isOver; event = this.#live.shift()) {
      await this.#examine(event);
    }
    this.#isPumping = false;
    if (this.#isTooSlow) this.fail(tooSlow());
  }

  async #examine(event: StoredEvent): Promise<void> {
    const { matches, filter, stream } = this.#source;
    if (matches(event)) await this.#deliver(event);
    if (stream === event.stream && event.revision === LAST_REVISION) return this.fail(streamDeleted(stream));
    if (filter === undefined) return;
    this.#examined += 1;
    if (this.#examined % filter.checkpointEvery === 0) await this.#write(checkpointFrame(event.position));
  }

  async #deliver(event: StoredEvent): Promise<void> {
    await this.#write(eventFrame(event));
    if (!this.#owesCaughtUp) return;
    this.#owesCaughtUp = false;
    await this.#write(caughtUpFrame());
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
