// The data that a survey keeps about a stream while it reads the log.
import { fold } from '../domain/decider.js';
import type { User } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';
import { Tally } from '../infrastructure/tally.js';
import { isKnown, misfitOf } from './check-events.js';
import type { Examined } from './check-sealed.js';

// The approximate memory of a stream without events, and of the id of each event.
const STREAM_BYTES = 1_000;
const EVENT_BYTES = 150;

/** A stream up to the last event taken. */
export class SurveyedStream {
  readonly id: string;
  readonly broken = new Tally();
  readonly misfits = new Tally();
  readonly altered = new Tally();
  events = 0;
  personalEvents = 0;
  /** The approximate memory use of this object in bytes. */
  weight = STREAM_BYTES;
  /** Whether the first event has sealed fields, which means that the person had a key. */
  beginsSealed = false;
  /** False if the person's key was needed but is missing. */
  hasKey = true;
  readonly #stream: string;
  readonly #isNewer: boolean;
  readonly #ids = new Set<string>();
  #isComplete = true;
  #user: User | undefined;
  #revision = -1;
  #at: string | undefined;

  /** `isNewer` is whether a newer program has used the stores. */
  constructor(stream: string, isNewer: boolean) {
    this.#stream = stream;
    this.#isNewer = isNewer;
    this.id = aggregateIdOf(stream);
    if (aggregateOf(stream) === user.aggregate) this.#user = user.initialState;
  }

  /** The user of the stream; undefined if it is not the stream of a user. */
  get user(): User | undefined {
    return this.#user;
  }

  /** Whether the state is complete: every event could be read and interpreted. */
  get isReadable(): boolean {
    return this.#isComplete && this.hasKey && this.altered.count === 0;
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
    this.#fold(event);
  }

  /** Records that an event does not follow the previous event of the log. */
  goesBack({ position, revision }: RecordedEvent): void {
    this.broken.add(`${this.#stream} goes back to position ${position} at revision ${revision}`);
  }

  #follow({ revision, id, metadata }: RecordedEvent): void {
    const next = this.#revision + 1;
    if (revision !== next) {
      this.broken.add(`${this.#stream} continues at revision ${revision}, not ${next}`);
      this.#isComplete = false;
    }
    if (!isInTime(metadata.at, this.#at ?? metadata.at)) {
      this.broken.add(`${this.#stream} goes back to the time ${metadata.at} at revision ${revision}`);
    }
    if (this.#ids.has(id)) this.broken.add(`${this.#stream} has event ${id} twice, again at revision ${revision}`);
    this.#ids.add(id);
    this.#revision = revision;
    this.#at = metadata.at;
  }

  #fold(event: RecordedEvent): void {
    const misfit = misfitOf(event);
    if (misfit === undefined) {
      this.#user &&= fold(user, this.#user, event, { id: this.id, at: event.metadata.at });
      return;
    }
    if (this.#isNewer && !isKnown(event)) this.#isComplete = false;
    else this.misfits.add(this.#placed(event, misfit));
  }

  #placed({ revision, id }: RecordedEvent, fault: string): string {
    return `${this.#stream}, revision ${revision}, event ${id}: ${fault}`;
  }
}

// An invalid time compares as false.
const isInTime = (at: string, before: string): boolean => Date.parse(at) >= Date.parse(before);
