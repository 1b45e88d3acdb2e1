// The audit trail: the log for auditors, oldest or newest first, with filters, resumable at a position.
import { aggregates } from '../domain/all.js';
import { boundOf } from '../domain/comparable.js';
import {
  type Facts,
  firstOf,
  type LogPage,
  logPages,
  type Position,
  type RecordedEvent,
} from '../infrastructure/facts/facts.js';
import { fitting } from '../infrastructure/views/views.js';
import { historyPages, revisionNear } from './history.js';

/**
 * The filters of the audit trail. An event must match every given filter. `category`: the part of the name of a stream
 * before the first dash. `actor`: an id. `from` (inclusive), `to` (exclusive): ISO 8601
 * timestamps.
 */
export type TrailFilter = {
  readonly [F in 'stream' | 'category' | 'type' | 'actor' | 'from' | 'to']?: string | undefined;
};

/**
 * The exclusive start and the direction of a read. Without a position, a forward read starts at the first event and a
 * backward read at the last.
 */
export interface ReadOrder {
  readonly from: Position | undefined;
  /** The revision of the event at `from`, if the read is of one stream. Without it, the read looks for its place. */
  readonly revision?: number | undefined;
  readonly isBackwards: boolean;
  /** The position of the last event to read. Default: the present end of the log, which may move during the read. */
  readonly end?: Position | undefined;
}

export interface TrailPage extends LogPage {
  /** The revision of the last event that was examined, if one stream is read. */
  readonly revision?: number | undefined;
}

/** A read of the whole log, oldest first. */
export const FROM_THE_BEGINNING: ReadOrder = { from: undefined, isBackwards: false };

type InPlaces = <T>(pages: AsyncIterable<T>) => AsyncIterable<T>;

export class AuditTrail {
  readonly #facts: Facts;
  readonly #inPlaces: InPlaces;

  /** `inPlaces` yields pages, and may wait before each. */
  constructor(facts: Facts, inPlaces: InPlaces = (pages) => pages) {
    this.#facts = facts;
    this.#inPlaces = inPlaces;
  }

  /**
   * Yields the matching events page by page, up to the end (or the beginning) of the log, in constant memory.
   */
  async *read(filter: TrailFilter, order: ReadOrder): AsyncGenerator<TrailPage> {
    const { stream, from: since, to } = filter;
    if (since !== undefined && to !== undefined && boundOf(since) >= boundOf(to)) return;
    const matches = matcherOf(filter);
    const { isBackwards, end = LAST } = order;
    const pages = stream === undefined ? this.#log(filter, order) : this.#stream(stream, order);
    for await (const page of this.#inPlaces(pages)) {
      yield { ...page, events: page.events.filter((event) => event.position <= end && matches(event)) };
      if (!isBackwards && (page.position ?? '') >= end) return;
    }
  }

  /**
   * Returns at most `limits.events` matching events, and fewer if they are large. If matches are rare, the page ends
   * early after `limits.logPages` pages of the log, so that one request never reads the whole log. The next read
   * continues at the position of the page.
   */
  async page(
    filter: TrailFilter,
    order: ReadOrder,
    limits: { readonly events: number; readonly logPages: number },
  ): Promise<TrailPage> {
    const events: RecordedEvent[] = [];
    let place: Place = { position: order.from, revision: order.revision };
    const sizes: number[] = [];
    let examined = 0;
    for await (const page of this.read(filter, order)) {
      const wanted = page.events.slice(0, limits.events - events.length);
      sizes.push(...wanted.map(({ data }) => Buffer.byteLength(JSON.stringify(data))));
      const room = fitting(sizes) - events.length;
      events.push(...wanted.slice(0, room));
      if (page.events.length > room) return { events, ...placeOf(filter, events.at(-1)), atEnd: false };
      if (page.position !== undefined) place = page;
      examined += 1;
      if (page.atEnd || events.length === limits.events || examined === limits.logPages) {
        return { events, position: place.position, revision: place.revision, atEnd: page.atEnd };
      }
    }
    return { events, ...place, atEnd: true };
  }

  #log({ category }: TrailFilter, { from, isBackwards }: ReadOrder): AsyncGenerator<LogPage> {
    const direction = isBackwards ? 'backwards' : 'forwards';
    return logPages(this.#facts, {
      aggregates: category === undefined ? aggregates : [category],
      after: from,
      direction,
    });
  }

  async *#stream(stream: string, order: ReadOrder): AsyncGenerator<TrailPage> {
    const { isBackwards, revision } = order;
    const begin = isBackwards ? revision && revision - 1 : await this.#beginOf(stream, order);
    for await (const { items, next } of historyPages(this.#facts, stream, { from: begin, backwards: isBackwards })) {
      const events = items.filter(({ position }) => isBeyond(position, order));
      const { position, revision: last } = events.at(-1) ?? {};
      if (events.length > 0 || next === undefined)
        yield { events, position, revision: last, atEnd: next === undefined };
    }
  }

  /** Returns where a read of a stream that goes forwards begins. */
  async #beginOf(stream: string, { from, revision }: ReadOrder): Promise<number> {
    if (from === undefined) return 0;
    const known =
      revision === undefined ? undefined : await firstOf(this.#facts.readStream(stream, { from: revision, limit: 1 }));
    // The place may be in another stream, which has other events at its revisions.
    return known?.position === from ? known.revision + 1 : revisionNear(this.#facts, stream, from);
  }
}

// After every position.
const LAST = '~';

type Place = Pick<TrailPage, 'position' | 'revision'>;

const placeOf = ({ stream }: TrailFilter, last: RecordedEvent | undefined): Place => ({
  position: last?.position,
  revision: stream === undefined ? undefined : last?.revision,
});

const isBeyond = (position: Position, { from, isBackwards }: ReadOrder): boolean =>
  from === undefined || (isBackwards ? position < from : position > from);

const matcherOf = ({ type, actor, from, to }: TrailFilter) => {
  const since = from === undefined ? Number.NEGATIVE_INFINITY : boundOf(from);
  const until = to === undefined ? Number.POSITIVE_INFINITY : boundOf(to);
  return ({ type: wantedType, metadata }: RecordedEvent): boolean => {
    const at = Date.parse(metadata.at);
    const isWanted =
      (type === undefined || type === wantedType) && (actor === undefined || actor === metadata.actor.id);
    return isWanted && at >= since && at < until;
  };
};
