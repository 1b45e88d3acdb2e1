// What a survey keeps of one stream while it reads the log.
import type { User } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';
import { Tally } from '../infrastructure/tally.js';
import { isKnown, type Judge, judgeOf } from './check-decisions.js';
import type { Examined } from './check-sealed.js';

// Roughly what JavaScript needs for a stream without events, and for the id of each event.
const STREAM_BYTES = 1_000;
const EVENT_BYTES = 150;

/** A stream, as far as its events were taken. */
export class SurveyedStream {
  readonly id: string;
  readonly broken = new Tally();
  readonly undecided = new Tally();
  readonly altered = new Tally();
  events = 0;
  personalEvents = 0;
  /** Roughly the bytes that this object keeps. */
  weight = STREAM_BYTES;
  /** Whether the first event has something sealed, so that the person had a key. */
  beginsSealed = false;
  /** Whether the person has a key, as far as one was needed. */
  hasKey = true;
  readonly #stream: string;
  readonly #isNewer: boolean;
  readonly #ids = new Set<string>();
  #judge: Judge | undefined;
  #isJudged = true;
  #state: unknown;
  #revision = -1;
  #at: string | undefined;

  /** `isNewer` tells whether a newer program has used the stores. */
  constructor(stream: string, isNewer: boolean) {
    this.#stream = stream;
    this.#isNewer = isNewer;
    this.#judge = judgeOf(stream);
    this.id = aggregateIdOf(stream);
  }

  /** The user whose stream it is; undefined if it is no user's. */
  get user(): User | undefined {
    // The judge of this aggregate folds this state.
    return aggregateOf(this.#stream) === user.aggregate ? ((this.#state ?? user.initialState) as User) : undefined;
  }

  /** Whether the state is all that the log says: every event could be read and interpreted. */
  get isReadable(): boolean {
    return this.#isJudged && this.hasKey && this.altered.count === 0;
  }

  /** Takes the next event of the stream. */
  take({ event, isPersonal, isSealed, fault, hasKey }: Examined): void {
    this.events += 1;
    this.weight += EVENT_BYTES + JSON.stringify(event.data).length;
    this.#follow(event);
    if (isPersonal) this.personalEvents += 1;
    if (event.revision === 0) this.beginsSealed = isSealed;
    if (fault !== undefined) this.altered.add(this.#placed(event, fault));
    if (!hasKey) this.hasKey = false;
    this.#decide(event);
  }

  /** Takes an event that does not stand behind the event before it in the log. */
  goesBack({ position, revision }: RecordedEvent): void {
    this.broken.add(`${this.#stream} goes back to position ${position} at revision ${revision}`);
  }

  #follow({ revision, id, metadata }: RecordedEvent): void {
    const next = this.#revision + 1;
    if (revision !== next) {
      this.broken.add(`${this.#stream} goes on at revision ${revision}, not ${next}`);
      // What follows cannot be judged without what is missing.
      this.#stopJudging();
    }
    if (!isInTime(metadata.at, this.#at ?? metadata.at)) {
      this.broken.add(`${this.#stream} goes back to the time ${metadata.at} at revision ${revision}`);
    }
    if (this.#ids.has(id)) this.broken.add(`${this.#stream} has event ${id} twice, again at revision ${revision}`);
    this.#ids.add(id);
    this.#revision = revision;
    this.#at = metadata.at;
  }

  #decide(event: RecordedEvent): void {
    // What a newer program recorded cannot be judged, nor can what follows.
    if (this.#isNewer && !isKnown(event)) this.#stopJudging();
    if (this.#judge === undefined) return;
    const { fault, state } = this.#judge(event);
    this.#state = state;
    if (fault !== undefined) this.undecided.add(this.#placed(event, fault));
  }

  #stopJudging(): void {
    this.#judge = undefined;
    this.#isJudged = false;
  }

  #placed({ revision, id }: RecordedEvent, fault: string): string {
    return `${this.#stream}, revision ${revision}, event ${id}: ${fault}`;
  }
}

// A time that is none is not in time.
const isInTime = (at: string, before: string): boolean => Date.parse(at) >= Date.parse(before);
