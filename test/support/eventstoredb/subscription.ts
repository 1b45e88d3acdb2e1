// A filtered subscription to what is committed from now on. A consumer that falls behind by more than a small buffer is
// dropped.
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import { drained } from './calls.js';
import { thrownByHandler, tooSlow } from './errors.js';
import { caughtUpFrame, checkpointFrame, confirmationFrame, eventFrame } from './frames.js';
import type { StoredEvent } from './records.js';
import type { Store } from './store.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;

// The size of the server's live buffer. Matching events and checkpoints each take a place.
const LIVE_PLACES = 32;
// How many events an immediate consumer reads during a burst. A real server drops it after 260 to 540 events.
const DRAINED_IN_A_BURST = 288;

/** What a subscription sends: a matching event, or the position of a checkpoint. */
type Sent = StoredEvent | number;

/** A filter by the beginning of stream names. */
interface Filter {
  matches(event: StoredEvent): boolean;
  /** The number of examined events between two checkpoints. */
  readonly checkpointEvery: number;
}

/** Returns the filter of a read or subscription, or undefined. */
export const filterOf = (options: ReadReq.Options): Filter | undefined => {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const prefixes = filter.getStreamIdentifier()?.getPrefixList() ?? [];
  if (prefixes.length === 0) throw thrownByHandler();
  return {
    matches: ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)),
    checkpointEvery: filter.getMax() * filter.getCheckpointintervalmultiplier(),
  };
};

export class Subscription {
  readonly #call: Call;
  readonly #filter: Filter | undefined;
  readonly #open: Set<Subscription>;
  readonly #waiting: Sent[] = [];
  readonly #unlisten: () => void;
  #count = 0;
  #isPumping = true;
  #isOver = false;
  #isMute = false;
  #isTooSlow = false;

  constructor(store: Store, call: Call, options: ReadReq.Options, open: Set<Subscription>) {
    this.#call = call;
    this.#filter = filterOf(options);
    this.#open = open;
    open.add(this);
    call.on('cancelled', () => this.#close());
    this.#unlisten = store.listen((events) => this.#take(events));
  }

  /** Confirms the subscription and begins to send. */
  async run(): Promise<void> {
    await this.#write(confirmationFrame());
    await this.#write(caughtUpFrame());
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
    for (const sent of events.flatMap((event) => this.#examined(event))) {
      if (this.#waiting.length >= LIVE_PLACES + DRAINED_IN_A_BURST) this.#isTooSlow = true;
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
      await this.#write(typeof sent === 'number' ? checkpointFrame(sent) : eventFrame(sent));
    }
    this.#isPumping = false;
    if (this.#isTooSlow) this.fail(tooSlow());
  }

  #examined(event: StoredEvent): Sent[] {
    const sent: Sent[] = this.#filter === undefined || this.#filter.matches(event) ? [event] : [];
    this.#count += 1;
    if (this.#filter !== undefined && this.#count % this.#filter.checkpointEvery === 0) sent.push(event.position);
    return sent;
  }

  async #write(frame: ReadResp): Promise<void> {
    if (this.#isOver || this.#isMute) return;
    if (!this.#call.write(frame)) await drained(this.#call);
  }
}
