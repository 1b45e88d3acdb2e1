// Reads the whole log once, in log order, for all checks. If the data about the streams exceeds the memory limit, the
// survey continues with half of the streams and reads the log again for the other half.
import type { KeyObject } from 'node:crypto';
import { aggregates, allPersonalPaths } from '../domain/all.js';
import { type Facts, logPages, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import { Tally } from '../infrastructure/tally.js';
import type { CheckedStoresOfPersons } from './check.js';
import { examined } from './check-sealed.js';
import { surveyPersons } from './persons-lacking.js';
import { UnregisteredActors } from './strangers.js';
import { SurveyedStream } from './surveyed-stream.js';

/** The stores that a survey reads. It does not read the views, because they may be behind the log. */
export type SurveyedStores = Omit<CheckedStoresOfPersons, 'views'>;

/** The findings of a survey. */
export class Survey {
  events = 0;
  streams = 0;
  /** Events of types that have personal fields. */
  personalEvents = 0;
  /** Users with sealed fields. */
  persons = 0;
  /** Users whose unique values could be read. */
  claimants = 0;
  /** Streams with gaps, or whose positions or times go back. */
  readonly broken = new Tally();
  /** Events of a type or shape that this program does not know. */
  readonly misfits = new Tally();
  /** Events whose personal fields cannot be trusted. */
  readonly altered = new Tally();
  /** Users who have no key and were not erased. */
  readonly keyless = new Tally();
  /** Users who lack a claim of a unique value. */
  readonly unclaimed = new Tally();
  /** Users whose unique values cannot be read. */
  readonly unreadable = new Tally();

  /** Adds the findings about a stream. */
  add(stream: SurveyedStream): void {
    this.streams += 1;
    this.events += stream.events;
    this.personalEvents += stream.personalEvents;
    this.broken.addAll(stream.broken);
    this.misfits.addAll(stream.misfits);
    this.altered.addAll(stream.altered);
  }
}

// Enough for the streams of about 100,000 aggregates.
const MEMORY_BYTES = 256 * 1024 * 1024;

/** Reads the log up to its current end and returns the findings. `memoryBytes` limits the memory use approximately. */
export const surveyLog = async (stores: SurveyedStores, memoryBytes = MEMORY_BYTES): Promise<Survey> => {
  const survey = new Survey();
  const head = await stores.sealedFacts.head();
  if (head === undefined) return survey;
  const isNewer = await stores.format.isNewer();
  for (let left: readonly Share[] = [WHOLE]; left.length > 0; ) {
    const [share = WHOLE, ...others] = left;
    const reading = new Reading(stores, share, { isNewer, memoryBytes });
    await reading.readUntil(head);
    for (const stream of reading.streams.values()) survey.add(stream);
    await surveyPersons(stores, reading.streams.values(), survey);
    left = [...reading.left, ...others];
  }
  return survey;
};

/** The streams whose hash is at least `from` and less than `to`. */
interface Share {
  readonly from: number;
  readonly to: number;
}

const WHOLE: Share = { from: 0, to: 2 ** 32 };

interface ReadingOptions {
  readonly isNewer: boolean;
  readonly memoryBytes: number;
}

/** Returns the persons whose keys are needed to examine an event. */
const personsIn = ({ type, stream, metadata }: RecordedEvent): readonly string[] => [
  ...(allPersonalPaths.has(type) ? [aggregateIdOf(stream)] : []),
  ...addressedBy({ metadata }),
];

/** Returns the actor if the event has an address. */
const addressedBy = ({ metadata }: Pick<RecordedEvent, 'metadata'>): readonly string[] =>
  metadata.sealedAddress === undefined ? [] : [metadata.actor.id];

/** A read of the log for a share of its streams. */
class Reading {
  readonly streams = new Map<string, SurveyedStream>();
  /** The shares that this read has left for later reads. */
  readonly left: Share[] = [];
  readonly #stores: SurveyedStores;
  readonly #options: ReadingOptions;
  readonly #strangers: UnregisteredActors;
  #share: Share;
  #weight = 0;
  #last: Position | undefined;

  constructor(stores: SurveyedStores, share: Share, options: ReadingOptions) {
    this.#stores = stores;
    this.#share = share;
    this.#options = options;
    this.#strangers = new UnregisteredActors(stores.sealedFacts);
  }

  async readUntil(head: Position): Promise<void> {
    for await (const events of logUntil(this.#stores.sealedFacts, head)) {
      const selected = events.filter(({ stream }) => this.#isInShare(stream));
      const keys = await this.#stores.keyring.ofPersons([...new Set(selected.flatMap(personsIn))]);
      const withoutKey = selected.flatMap(addressedBy).filter((actor) => !keys.has(actor));
      const strangers = await this.#strangers.findIn(withoutKey);
      for (const event of selected) this.#take(event, keys, strangers);
      while (this.#weight > this.#options.memoryBytes && this.streams.size > 1) this.#halve();
    }
  }

  #take(event: RecordedEvent, keys: ReadonlyMap<string, KeyObject>, strangers: ReadonlySet<string>): void {
    const { stream, position, metadata } = event;
    const known = this.#streamNamed(stream);
    if (this.#last !== undefined && position <= this.#last) known.goesBack(event);
    this.#last = position;
    const before = known.weight;
    const [person, actor] = [keys.get(aggregateIdOf(stream)), keys.get(metadata.actor.id)];
    const isActorUnknown = addressedBy(event).some((id) => strangers.has(id));
    known.take(examined(event, { person, actor, isActorUnknown }));
    this.#weight += known.weight - before;
  }

  #streamNamed(name: string): SurveyedStream {
    const known = this.streams.get(name);
    if (known !== undefined) return known;
    const begun = new SurveyedStream(name, this.#options.isNewer);
    this.streams.set(name, begun);
    this.#weight += begun.weight;
    return begun;
  }

  #isInShare(stream: string): boolean {
    const hash = hashOf(stream);
    return hash >= this.#share.from && hash < this.#share.to;
  }

  #halve(): void {
    const { from, to } = this.#share;
    const middle = Math.floor((from + to) / 2);
    this.#share = { from, to: middle };
    this.left.unshift({ from: middle, to });
    for (const [name, { weight }] of this.streams) {
      if (this.#isInShare(name)) continue;
      this.streams.delete(name);
      this.#weight -= weight;
    }
  }
}

/** Yields the log up to a position. Ignores later events, so that every read finds the same. */
async function* logUntil(facts: Facts, head: Position): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const { events, position } of logPages(facts, { aggregates, after: undefined })) {
    yield events.filter((event) => event.position <= head);
    if ((position ?? '') >= head) return;
  }
}

// FNV-1a, which spreads the streams evenly for any names.
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};
