// One subscription of the EventStoreDB client, made into something to take pages from: events in order, how far the log
// was examined, and whether it is live, dropped or silent.
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
export interface Subscribed extends Readable {
  unsubscribe(): Promise<void>;
}

/** What has arrived since the last time. */
export interface Arrived {
  readonly events: readonly RecordedEvent[];
  /** How far the log was examined; undefined if nothing new is known. */
  readonly examined: Position | undefined;
  /** Whether this is all that had arrived. */
  readonly isAll: boolean;
}

export class Feed {
  /** How often something arrived. */
  arrivals = 0;
  /** How often the server reported how far it examined the log. */
  checkpoints = 0;
  /** Whether the server said that it serves it. */
  isConfirmed = false;
  readonly #source: Subscribed;
  #onArrival: () => void;
  #checkpoint: Position | undefined;
  #isCaughtUp = false;
  #isDry = false;
  #dropped: unknown;

  /** `onArrival` is called whenever there may be something to take. */
  constructor(source: Subscribed, onArrival: () => void) {
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
    // A proxy may end it in good order; the server never does.
    source.on('end', () => this.#drop(new Dropped('the server ended it')));
    // The listener stays: an error that comes after the end would otherwise end the process.
    source.on('error', (error) => this.#drop(error));
  }

  /** Why it ended; what arrived before can still be taken. */
  get dropped(): unknown {
    return this.#isDry ? this.#dropped : undefined;
  }

  /** Whether the log's end, as it was when the subscription went live, was handed over. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp && this.#isDry;
  }

  /** Tells that the log was examined to a position, which the events before it may not have left the buffer yet. */
  checkpoint({ commit, prepare }: LogPosition): void {
    this.#checkpoint = toPosition({ commit, prepare });
    this.checkpoints += 1;
    this.#arrived();
  }

  /** Takes at most `most` events. */
  take(most: number): Arrived {
    const events: RecordedEvent[] = [];
    let examined: Position | undefined;
    while (events.length < most) {
      const received: { readonly event?: ReceivedEvent } | null = this.#source.read();
      // Only when the buffer is empty was all handed over that came before the checkpoint.
      if (received === null) {
        this.#isDry = true;
        return { events, examined: later(examined, this.#checkpoint), isAll: true };
      }
      const { event } = received;
      if (event === undefined) continue;
      const recorded = toRecorded(event);
      examined = recorded.position;
      if (!isSystemEvent(event)) events.push(recorded);
    }
    this.#isDry = false;
    return { events, examined, isAll: false };
  }

  /** Ends the call. Nothing arrives after that. */
  close(): void {
    this.#onArrival = () => undefined;
    // It waits for the connection, which may never come or fail; then there is no call to end.
    this.#source.unsubscribe().catch(() => undefined);
    this.#source.destroy();
  }

  #arrived(): void {
    this.#isDry = false;
    this.arrivals += 1;
    this.#onArrival();
  }

  #drop(reason: unknown): void {
    this.#dropped ??= reason;
    this.#onArrival();
  }
}
