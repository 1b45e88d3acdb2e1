// Reads the log, in log order, for the checks of `verify`. Folds the states of users only, and keeps two numbers about
// every other stream, because a log may have millions of streams.
import { aggregates } from '../domain/all.js';
import { user } from '../domain/user/user.js';
import { type Facts, logPages, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import type { AllStores } from '../infrastructure/stores.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';
import { Tally } from '../infrastructure/tally.js';
import { type Examined, examined, personsIn } from './examined.js';
import { Fingerprints } from './repeated-ids.js';
import { SurveyedUser, surveyUsers, type UserFindings } from './users.js';

/** The stores that a survey reads. It does not read the views, because they may be behind the log. */
export type SurveyedStores = Pick<AllStores, 'facts' | 'sealedFacts' | 'vault' | 'keyring' | 'format' | 'serviceKey'>;

/** The findings about the log, and about the users in it. */
export interface Survey {
  readonly log: LogFindings;
  readonly users: UserFindings;
}

/** Surveys the log up to its current end. */
export const surveyLog = async (stores: SurveyedStores): Promise<Survey> => {
  const { sealedFacts, keyring, format } = stores;
  const head = (await sealedFacts.head()) ?? '';
  const isNewer = await format.isNewer();
  const log = new LogFindings();
  for await (const events of logUntil(sealedFacts, head)) {
    const keys = await keyring.ofPersons([...new Set(events.flatMap(personsIn))]);
    for (const event of events) log.take(examined(event, keys, isNewer));
  }
  await readAgain(sealedFacts, head, log);
  return { log, users: await surveyUsers(stores, [...log.users.values()]) };
};

/** Reads the log again if an event may have the id of an earlier event. */
const readAgain = async (facts: Facts, head: Position, log: LogFindings): Promise<void> => {
  const isRepeated = log.fingerprints.repetitions();
  if (isRepeated === undefined) return;
  for await (const events of logUntil(facts, head)) {
    for (const event of events.filter(isRepeated)) {
      log.add('streams', event, `has its id twice, again at revision ${event.revision}`);
    }
  }
};

/** Yields the log up to a position. Ignores later events, so that every read finds the same. */
async function* logUntil(facts: Facts, head: Position): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const { events, position } of logPages(facts, { aggregates, after: undefined })) {
    yield events.filter((event) => event.position <= head);
    if ((position ?? '') >= head) return;
  }
}

/** What is expected of the next event of a stream. */
interface Next {
  readonly revision: number;
  /** The time of the previous event in epoch milliseconds; NaN if it is invalid. */
  readonly from: number;
}

const FIRST: Next = { revision: 0, from: Number.NEGATIVE_INFINITY };

/** The checks that have rules for single events. */
type EventCheck = 'sealed' | 'events' | 'streams';

/** Yields the faults of an event, and the checks that report them. `after` is the position of the previous event. */
function* faultsOf(found: Examined, next: Next, after: Position): Generator<readonly [EventCheck, string]> {
  const { event, sealFault, misfit } = found;
  const { revision, position, metadata } = event;
  if (sealFault !== undefined) yield ['sealed', sealFault];
  if (misfit !== undefined) yield ['events', misfit];
  if (position <= after) yield ['streams', `goes back to position ${position}`];
  if (revision !== next.revision) yield ['streams', `continues at revision ${revision}, not ${next.revision}`];
  // An invalid time compares as false.
  const isInTime = Date.parse(metadata.at) >= next.from;
  if (!isInTime) yield ['streams', `goes back to the time ${metadata.at} at revision ${revision}`];
}

/** The findings about the events and streams of a log. */
export class LogFindings {
  events = 0;
  /** The number of events of types that have personal fields. */
  personalEvents = 0;
  readonly faults: Readonly<Record<EventCheck, Tally>> = {
    sealed: new Tally(),
    events: new Tally(),
    streams: new Tally(),
  };
  readonly users = new Map<string, SurveyedUser>();
  readonly fingerprints = new Fingerprints();
  readonly #streams = new Map<string, Next>();
  #position: Position = '';

  get streams(): number {
    return this.#streams.size;
  }

  /** Takes the next event of the log. */
  take(found: Examined): void {
    const { event, isPersonal } = found;
    const { stream, revision, position, metadata } = event;
    const next = this.#streams.get(stream) ?? FIRST;
    for (const [check, fault] of faultsOf(found, next, this.#position)) this.add(check, event, fault);
    this.events += 1;
    if (isPersonal) this.personalEvents += 1;
    if (aggregateOf(stream) === user.aggregate) this.#userOf(stream).take(found, revision === next.revision);
    this.fingerprints.add(event);
    this.#position = position;
    this.#streams.set(stream, { revision: revision + 1, from: Date.parse(metadata.at) });
  }

  add(check: EventCheck, { stream, revision, id }: RecordedEvent, fault: string): void {
    this.faults[check].add(`${stream}, revision ${revision}, event ${id}: ${fault}`);
  }

  #userOf(stream: string): SurveyedUser {
    const known = this.users.get(stream) ?? new SurveyedUser(aggregateIdOf(stream));
    this.users.set(stream, known);
    return known;
  }
}
