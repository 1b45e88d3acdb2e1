// The audit trail: the log as auditors read it, oldest or newest first, narrowed by filters, resumable by position.
import {
  type Facts,
  type LogPage,
  logPages,
  logPagesBackwards,
  type Position,
  type RecordedEvent,
} from '../infrastructure/facts/facts.js';

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

/** Where a reading goes on, exclusively, and in which direction; without a position it begins at that end of the log. */
export interface Course {
  readonly from: Position | undefined;
  readonly isBackwards: boolean;
}

/** The course of a reading of everything, oldest first. */
export const FROM_THE_BEGINNING: Course = { from: undefined, isBackwards: false };

// So many events of one stream make a page.
const READ_AT_ONCE = 500;

/** The audit trail over a log; `categories` are those of all aggregates. */
export class AuditTrail {
  readonly #facts: Facts;
  readonly #categories: readonly string[];

  constructor(facts: Facts, categories: readonly string[]) {
    this.#facts = facts;
    this.#categories = categories;
  }

  /** What matches from a place up to the present end of the log, or its beginning, stretch by stretch, in flat memory. */
  async *read(filter: TrailFilter, course: Course): AsyncGenerator<LogPage> {
    const matches = matcherOf(filter);
    const { stream } = filter;
    const pages = stream === undefined ? this.#log(filter, course) : this.#stream(stream, course);
    for await (const page of pages) yield { ...page, events: page.events.filter(matches) };
  }

  /**
   * At most `limit` events that match. Where they are rare, the page ends with fewer after `mostExamined` stretches of the
   * log, so that one request never reads all of it; its position is where to go on.
   */
  async page(filter: TrailFilter, course: Course, most: PageLimits): Promise<LogPage> {
    const events: RecordedEvent[] = [];
    let position = course.from;
    let examined = 0;
    for await (const page of this.read(filter, course)) {
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

  #log({ category }: TrailFilter, { from, isBackwards }: Course): AsyncGenerator<LogPage> {
    const aggregates = category === undefined ? this.#categories : [category];
    return isBackwards
      ? logPagesBackwards(this.#facts, { aggregates, before: from })
      : logPages(this.#facts, { aggregates, after: from });
  }

  async *#stream(stream: string, course: Course): AsyncGenerator<LogPage> {
    const all = course.isBackwards ? this.#facts.readStreamBackwards(stream) : this.#facts.readStream(stream);
    let events: RecordedEvent[] = [];
    for await (const event of all) {
      if (isBeyond(event.position, course)) events.push(event);
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

const isBeyond = (position: Position, { from, isBackwards }: Course): boolean =>
  from === undefined || (isBackwards ? position < from : position > from);

const matcherOf = ({ type, actor, from, to }: TrailFilter) => {
  const since = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
  const until = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to);
  return ({ type: is, metadata }: RecordedEvent): boolean => {
    const at = Date.parse(metadata.at);
    const isWanted = (type === undefined || type === is) && (actor === undefined || actor === metadata.actor.id);
    return isWanted && at >= since && at <= until;
  };
};
