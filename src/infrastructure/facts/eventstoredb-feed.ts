// Wraps one subscription of the EventStoreDB client so that pages can be read from it: events in order, how far the
// log was examined, and whether the subscription is live, dropped or silent.
import type { Readable } from 'node:stream';
import { Dropped } from './eventstoredb-errors.js';
import {
  isSystemEvent,
  type LogPosition,
  later,
  type ReceivedEvent,
  toPosition,
  toRecorded,
} from './eventstoredb-events.js';
import type { Position, RecordedEvent } from './facts.js';

/** The client's subscription to the log. */
export interface ClientSubscription extends Readable {
  unsubscribe(): Promise<void>;
}

/** What has arrived since the last call of `take`. */
export interface Arrivals {
  readonly events: readonly RecordedEvent[];
  /** How far the log was examined; undefined if nothing new is known. */
  readonly examined: Position | undefined;
  /** Whether nothing else had arrived. */
  readonly isAll: boolean;
}

export class Feed {
  /** How many times something arrived. */
  arrivals = 0;
  /** How many times the server reported how far it examined the log. */
  checkpoints = 0;
  /** Whether the server confirmed the subscription. */
  isConfirmed = false;
  readonly #source: ClientSubscription;
  #onArrival: () => void;
  #checkpoint: Position | undefined;
  #isCaughtUp = false;
  #isDrained = false;
  #dropped: unknown;

  /** `onArrival` is called whenever there may be something to take. */
  constructor(source: ClientSubscription, onArrival: () => void) {
    this.#source = source;
    this.#onArrival = onArrival;
    source.on('readable', () => this.#arrived());
    source.on('confirmation', () => {
      this.isConfirmed = true;
    });
    source.on('caughtUp', () => {
      this.#isCaughtUp = true;
      this.#arrived();
    });
    // A proxy may end the subscription without an error. The server never does.
    source.on('end', () => this.#drop(new Dropped('the server ended it')));
    // The listener stays: an error after the end of the subscription would otherwise end the process.
    source.on('error', (error) => this.#drop(error));
  }

  /** Why the subscription ended. Events that arrived before that can still be taken. */
  get dropped(): unknown {
    return this.#isDrained ? this.#dropped : undefined;
  }

  /** Whether the log was handed over up to the end that it had when the subscription went live. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp && this.#isDrained;
  }

  /** Records that the server examined the log up to a position. Earlier events may still be in the buffer. */
  checkpoint({ commit, prepare }: LogPosition): void {
    this.#checkpoint = toPosition({ commit, prepare });
    this.checkpoints += 1;
    this.#arrived();
  }

  /** Takes at most `limit` events. */
  take(limit: number): Arrivals {
    const events: RecordedEvent[] = [];
    let examined: Position | undefined;
    while (events.length < limit) {
      const received: { readonly event?: ReceivedEvent } | null = this.#source.read();
      // Everything before the checkpoint was handed over only if the buffer is empty.
      if (received === null) {
        this.#isDrained = true;
        return { events, examined: later(examined, this.#checkpoint), isAll: true };
      }
      const { event } = received;
      if (event === undefined) continue;
      const recorded = toRecorded(event);
      examined = recorded.position;
      if (!isSystemEvent(event)) events.push(recorded);
    }
    this.#isDrained = false;
    return { events, examined, isAll: false };
  }

  /** Ends the call. Nothing arrives after that. */
  close(): void {
    this.#onArrival = () => undefined;
    // Unsubscribing waits for the connection, which may never come or fail. Then there is no call to end.
    this.#source.unsubscribe().catch(() => undefined);
    this.#source.destroy();
  }

  #arrived(): void {
    this.#isDrained = false;
    this.arrivals += 1;
    this.#onArrival();
  }

  #drop(reason: unknown): void {
    this.#dropped ??= reason;
    this.#onArrival();
  }
}
