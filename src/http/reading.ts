// How a single resource is read: from its view once that has what this process wrote to it, else from the facts.
import type { Streams } from '../commands/streams.js';
import { streamName } from '../commands/streams.js';
import type { Foldable } from '../domain/decider.js';
import type { Position } from '../infrastructure/facts/facts.js';
import type { ListQuery, Views } from '../infrastructure/views/views.js';
import type { Progress } from '../projections/progress.js';
import { Problem } from './problems.js';
import type { Answer, Asked } from './route.js';

/** How long a reader waits for a view to catch up. */
const PATIENCE_MS = 2_000;

/** A resource: the aggregate that it is of, and where to find it. */
export interface Resource<S> {
  readonly decider: Foldable<S>;
  readonly id: string;
  readonly projection: string;
  /** The answer from the views; undefined where they do not know it. */
  readonly fromViews: () => Promise<Answer | undefined>;
  /** The answer from the aggregate's state; throws a `DomainError` where it is not in there. */
  readonly fromState: (state: S) => unknown;
}

/** Reads resources and lists. */
export class Reader {
  readonly #views: Views;
  readonly #streams: Streams;
  readonly #progress: Progress;

  constructor(views: Views, streams: Streams, progress: Progress) {
    this.#views = views;
    this.#streams = streams;
    this.#progress = progress;
  }

  /** A resource as it was asked for: as of an instant, at least as new as a token, or as new as this process's own writes. */
  async one<S>(resource: Resource<S>, { asOf, consistency }: Asked): Promise<Answer> {
    const { decider, id, projection, fromViews, fromState } = resource;
    if (asOf !== undefined) return answered(await this.#streams.asOf(decider, id, asOf), fromState);
    if (consistency !== undefined) await this.#caughtUp(projection, consistency);
    if (await this.#hasOwnWrites(projection, streamName(decider.aggregate, id))) {
      const answer = await fromViews();
      if (answer !== undefined) return answer;
    }
    const cached = await this.#streams.load(decider, id);
    return answered(cached.fresh ? cached : await this.#streams.refresh(decider, id, cached), fromState);
  }

  /** A page of a list, from the view as it is now. */
  async list(projection: string, query: ListQuery, { consistency }: Asked): Promise<Answer> {
    if (consistency !== undefined) await this.#caughtUp(projection, consistency);
    const { bodies, next } = await this.#views.list(query);
    const nextCursor = next === undefined ? undefined : cursorOf(next);
    return { json: `{"items":[${bodies.join(',')}],"nextCursor":${JSON.stringify(nextCursor ?? null)}}`, nextCursor };
  }

  async #hasOwnWrites(projection: string, stream: string): Promise<boolean> {
    const written = this.#streams.ownWrite(stream);
    if (written === undefined) return true;
    const isThere = await this.#progress.reached(projection, written, PATIENCE_MS);
    if (isThere) this.#streams.ownWriteSeen(stream, written);
    return isThere;
  }

  async #caughtUp(projection: string, position: Position): Promise<void> {
    if (await this.#progress.reached(projection, position, PATIENCE_MS)) return;
    const lag = { wanted: position, reached: this.#progress.known(projection) ?? null };
    throw new Problem('view-behind', { headers: { 'Retry-After': '2' }, extensions: { projection, lag } });
  }
}

const answered = <S>(
  { state, revision }: { state: S; revision: number },
  fromState: (state: S) => unknown,
): Answer => ({
  json: JSON.stringify(fromState(state)),
  revision,
});

/** The opaque form of a list's place. */
export const cursorOf = (place: string): string => Buffer.from(place).toString('base64url');

/** The place that a cursor stands for. */
export const placeOf = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();
