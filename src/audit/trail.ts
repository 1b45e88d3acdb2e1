// The audit trail: the log as auditors read it, oldest first, narrowed by filters, resumable by position.
import type { Facts, Position, RecordedEvent } from '../infrastructure/facts/facts.js';

/** What of the log is wanted; every filter that is given must hold. */
export interface TrailFilter {
  readonly stream?: string | undefined;
  /** The aggregate of the streams, the part of their names before the first dash. */
  readonly category?: string | undefined;
  readonly type?: string | undefined;
  /** The id of who caused it. */
  readonly actor?: string | undefined;
  /** ISO 8601 instants, both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A stretch of the trail: what matched, and up to where the log was examined for it. */
export interface TrailPage {
  readonly events: readonly RecordedEvent[];
  readonly position: Position | undefined;
  /** Whether the log, as it was then, was examined to its end. */
  readonly atEnd: boolean;
}

const READ_AT_ONCE = 500;

/** The audit trail over a log; `categories` are those of all aggregates. */
export class AuditTrail {
  readonly #facts: Facts;
  readonly #categories: readonly string[];

  constructor(facts: Facts, categories: readonly string[]) {
    this.#facts = facts;
    this.#categories = categories;
  }

  /** What matches behind a position up to the present end of the log, stretch by stretch, in flat memory. */
  async *read(filter: TrailFilter, after: Position | undefined): AsyncGenerator<TrailPage> {
    const matches = matcherOf(filter);
    const pages = filter.stream === undefined ? this.#log(filter, after) : this.#stream(filter.stream, after);
    for await (const page of pages) yield { ...page, events: page.events.filter(matches) };
  }

  /**
   * At most `limit` events that match. Where they are rare, the page ends with fewer after `mostExamined` stretches of the
   * log, so that one request never reads all of it; its position is where to go on.
   */
  async page(filter: TrailFilter, after: Position | undefined, most: PageLimits): Promise<TrailPage> {
    const events: RecordedEvent[] = [];
    let position = after;
    let examined = 0;
    for await (const page of this.read(filter, after)) {
      const room = most.events - events.length;
      events.push(...page.events.slice(0, room));
      if (page.events.length > room) return { events, position: events.at(-1)?.position, atEnd: false };
      position = page.position ?? position;
      examined += 1;
      if (page.atEnd || events.length === most.events || examined === most.stretches) {
        return { events, position, atEnd: page.atEnd };
      }
    }
    return { events, position, atEnd: true };
  }

  async *#log({ category }: TrailFilter, from: Position | undefined): AsyncGenerator<TrailPage> {
    const aggregates = category === undefined ? this.#categories : [category];
    for (let after = from, atEnd = false; !atEnd; ) {
      const page = await this.#facts.readLog({ aggregates, after }, READ_AT_ONCE);
      yield page;
      after = page.position;
      atEnd = page.atEnd;
    }
  }

  async *#stream(stream: string, after = ''): AsyncGenerator<TrailPage> {
    let events: RecordedEvent[] = [];
    for await (const event of this.#facts.readStream(stream)) {
      if (event.position > after) events.push(event);
      if (events.length < READ_AT_ONCE) continue;
      yield { events, position: event.position, atEnd: false };
      events = [];
    }
    yield { events, position: events.at(-1)?.position, atEnd: true };
  }
}

/** How much one page may have, and how many stretches of the log may be examined for it. */
export interface PageLimits {
  readonly events: number;
  readonly stretches: number;
}

const matcherOf = ({ type, actor, from, to }: TrailFilter) => {
  const [since, until] = [from, to].map((instant) => (instant === undefined ? undefined : Date.parse(instant)));
  return ({ type: is, metadata }: RecordedEvent): boolean => {
    const at = Date.parse(metadata.at);
    const isWanted = (type === undefined || type === is) && (actor === undefined || actor === metadata.actor.id);
    return isWanted && at >= (since ?? Number.NEGATIVE_INFINITY) && at <= (until ?? Number.POSITIVE_INFINITY);
  };
};
