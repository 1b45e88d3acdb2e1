// Reads the log, in log order, for the checks of `verify`. Keeps only numbers about a stream, because a log may have
// millions of streams. The states of users are read afterwards.
import { aggregates } from '../domain/all.js';
import { user } from '../domain/user/user.js';
import { eventsUntil, type Facts, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import type { AllStores } from '../infrastructure/stores.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';
import { Tally } from '../infrastructure/tally.js';
import { Turns } from '../infrastructure/turns.js';
import { type Examined, examined, personsIn } from './examined.js';
import { Numbering } from './numbering.js';
import { SurveyedUser, surveyUsers, type UserFindings } from './user-survey.js';

/** The stores that a survey reads. It does not read the views, because they may be behind the log. */
export type SurveyedStores = Pick<AllStores, 'facts' | 'sealedFacts' | 'vault' | 'keyring' | 'format' | 'serviceKey'>;

export interface Survey {
  readonly log: LogFindings;
  readonly users: UserFindings;
}

const WHOLE = { aggregates, after: undefined };

/** Surveys the log up to its current end. */
export const surveyLog = async (stores: SurveyedStores): Promise<Survey> => {
  const { sealedFacts, keyring, format } = stores;
  const head = (await sealedFacts.head()) ?? '';
  const isNewer = await format.isNewer();
  const log = new LogFindings();
  for await (const events of eventsUntil(sealedFacts, WHOLE, head)) {
    const keys = await keyring.ofPersons([...new Set(events.flatMap(personsIn))]);
    for await (const event of new Turns().over(events)) log.take(examined(event, keys, isNewer));
  }
  await readAgain(sealedFacts, head, log);
  return { log, users: await surveyUsers(stores, [...log.users.values()]) };
};

/** Reads the log again if an event may have the id of an earlier event in its stream. */
const readAgain = async (facts: Facts, head: Position, log: LogFindings): Promise<void> => {
  if (log.repeated.size === 0) return;
  const seen = new Set<string>();
  for await (const events of eventsUntil(facts, WHOLE, head)) {
    for (const event of events.filter((each) => log.repeated.has(nameOf(each)))) {
      const { revision } = event;
      if (seen.has(nameOf(event))) log.add('streams', event, `has its id twice, again at revision ${revision}`);
      seen.add(nameOf(event));
    }
  }
};

const nameOf = ({ stream, id }: RecordedEvent): string => `${stream} ${id}`;

interface Before {
  /** The position of the previous event in the log; empty before the first. */
  readonly position: Position;
  /** The revision that the event should have in its stream. */
  readonly next: number;
  /** The time of the previous event in the stream, in epoch milliseconds; NaN if it is invalid. */
  readonly at: number;
}

/** The checks that have rules for single events. */
type EventCheck = 'sealed' | 'events' | 'streams';

/** Yields the faults of an event, and the checks that report them. */
function* faultsOf(found: Examined, before: Before): Generator<readonly [EventCheck, string]> {
  const { event, sealFault, misfit } = found;
  const { revision, position, metadata } = event;
  if (sealFault !== undefined) yield ['sealed', sealFault];
  if (misfit !== undefined) yield ['events', misfit];
  if (position <= before.position) yield ['streams', `goes back to position ${position}`];
  if (revision !== before.next) yield ['streams', `continues at revision ${revision}, not ${before.next}`];
  // An invalid time compares as false.
  const isInTime = Date.parse(metadata.at) >= before.at;
  if (!isInTime) yield ['streams', `goes back to the time ${metadata.at} at revision ${revision}`];
}

export class LogFindings {
  events = 0;
  /** The number of events of types that have personal fields. */
  personalEvents = 0;
  readonly faults: Readonly<Record<EventCheck, Tally>> = {
    sealed: new Tally(),
    events: new Tally(),
    streams: new Tally(),
  };
  /** The streams with an event whose process's clock was behind the stream. */
  readonly ahead = new Set<string>();
  readonly users = new Map<string, SurveyedUser>();
  /** The ids that probably occur twice in their streams. */
  readonly repeated = new Set<string>();
  readonly #streams = new Numbering();
  readonly #ids = new Numbering();
  /** The next revision, and the time of the last event, by the number of the stream. */
  readonly #next: number[] = [];
  readonly #at: number[] = [];
  #position: Position = '';

  get streams(): number {
    return this.#streams.size;
  }

  take(found: Examined): void {
    const { event, isPersonal } = found;
    const { revision, position, metadata } = event;
    const stream = this.#streams.numberOf(event.stream);
    const next = this.#next[stream] ?? 0;
    const before = { position: this.#position, next, at: this.#at[stream] ?? Number.NEGATIVE_INFINITY };
    for (const [check, fault] of faultsOf(found, before)) this.add(check, event, fault);
    this.events += 1;
    if (metadata.clock !== undefined) this.ahead.add(event.stream);
    if (isPersonal) this.personalEvents += 1;
    if (aggregateOf(event.stream) === user.aggregate) this.#userOf(event).take(found, revision === next);
    const known = this.#ids.size;
    if (this.#ids.numberOf(nameOf(event)) < known) this.repeated.add(nameOf(event));
    this.#position = position;
    this.#next[stream] = revision + 1;
    this.#at[stream] = Date.parse(metadata.at);
  }

  add(check: EventCheck, { stream, revision, id }: RecordedEvent, fault: string): void {
    this.faults[check].add(`${stream}, revision ${revision}, event ${id}: ${fault}`);
  }

  #userOf({ stream }: RecordedEvent): SurveyedUser {
    const known = this.users.get(stream) ?? new SurveyedUser(aggregateIdOf(stream));
    this.users.set(stream, known);
    return known;
  }
}
