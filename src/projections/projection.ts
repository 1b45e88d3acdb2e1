// The definition of a read model: documents of one or more collections, each folded from events by a table.
import type { z } from 'zod';
import type { EventContext, Evolve, Schemas } from '../domain/decider.js';
import type { Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Collection, Indexed, Indexes, ProjectionShape } from '../infrastructure/views/views.js';

/** A kind of document: which events belong to a document, and how they change it. */
export interface ProjectedCollection extends Collection {
  /**
   * Returns the id of the document that an event belongs to. `streamId` is the id of the event's aggregate. Events of
   * two streams never belong to the same document, because its revision is the revision of its stream.
   */
  readonly idOf: (data: never, streamId: string) => string;
  /** How an event of each handled type changes the document. Pure. */
  readonly when: Readonly<Record<string, (document: never, data: never, on: EventContext) => unknown>>;
  readonly index: (document: never) => Readonly<Record<string, Indexed>>;
  /** Whether the document takes the revision of its stream even from events that do not change it. */
  readonly followsRevision: boolean;
  /** The earlier versions of the documents; undefined if no list shows the past. */
  readonly timeline: Timeline | undefined;
}

/** Each period is a document of its own, so the cost of an event does not grow with the number of periods. */
export interface Timeline extends Collection {
  /** Returns the periods, by id, that an event of a document ends and begins. Pure. */
  readonly periods: (before: never, after: never, event: RecordedEvent) => ReadonlyMap<string, unknown>;
  /** Whether lists sort a period by the event that began it. By default, by the first event of its document. */
  readonly sortsByEvent?: boolean;
  readonly index: (period: never) => Readonly<Record<string, Indexed>>;
}

/** A read model: one checkpoint for all of its collections. */
export interface Projection extends ProjectionShape {
  readonly aggregates: readonly string[];
  readonly folded: readonly ProjectedCollection[];
}

/**
 * Defines a read model. A timeline comes before its collection, so that a commit writes the periods before the document
 * that they are derived from. A commit that stopped between the two is repeated, with its periods.
 */
export const projection = <const F extends Projection['folded']>({
  folded,
  ...definition
}: Omit<Projection, 'collections' | 'folded'> & { readonly folded: F }): Projection & { readonly folded: F } => ({
  ...definition,
  folded,
  collections: folded.flatMap((each) => (each.timeline === undefined ? [each] : [each.timeline, each])),
});

type IndexedAs<Kind> = Kind extends 'contains' ? readonly string[] : string;

/** Tells the type of the documents of a collection, to the compiler only. */
export interface Typed<N extends string, Document> {
  readonly name: N;
  readonly document?: Document;
}

/** Defines a collection and checks that its types agree. The result has the types that the runner needs. */
export const collection = <
  Document,
  E extends Schemas,
  const I extends Indexes,
  const N extends string = string,
>(definition: {
  readonly name: N;
  readonly indexes: I;
  readonly within?: keyof I & string;
  readonly idOf: (data: z.infer<E[keyof E]>, streamId: string) => string;
  readonly when: Evolve<Document | undefined, E>;
  readonly index: (document: Document) => {
    readonly [F in keyof I]: IndexedAs<I[F]>;
  };
  readonly followsRevision?: boolean;
  readonly timeline?: TimelineOf<Document>;
}): ProjectedCollection & Typed<N, Document> => ({ followsRevision: false, timeline: undefined, ...definition });

type TimelineOf<Document> = Timeline & {
  readonly periods: (before: Document | undefined, after: Document, event: RecordedEvent) => unknown;
};

/** Defines a timeline and checks that its types agree. */
export const timeline = <Document, Period, const I extends Indexes, const N extends string = string>(definition: {
  readonly name: N;
  readonly indexes: I;
  readonly periods: (
    before: Document | undefined,
    after: Document,
    event: RecordedEvent,
  ) => ReadonlyMap<string, Period>;
  readonly sortsByEvent?: boolean;
  readonly index: (period: Period) => { readonly [F in keyof I]: IndexedAs<I[F]> };
}): TimelineOf<Document> & Typed<N, Period> => definition;

export interface Working {
  readonly document: unknown;
  readonly revision: number;
  readonly position: Position;
  readonly created: Position;
}

/** Returns the id of the document that an event belongs to; undefined if the collection does not handle the event. */
export const documentIdOf = (collection: ProjectedCollection, event: RecordedEvent, streamId: string) =>
  collection.followsRevision || Object.hasOwn(collection.when, event.type)
    ? collection.idOf(event.data as never, streamId)
    : undefined;

/**
 * Returns the document after an event. An event at or before the document's position is already folded in and changes
 * nothing, so a repeated delivery is harmless. Throws the error of a fold that fails.
 */
export const applied = (
  collection: ProjectedCollection,
  before: Working | undefined,
  event: RecordedEvent,
  streamId: string,
): Working | undefined => {
  if (before !== undefined && event.position <= before.position) return before;
  const fold = Object.hasOwn(collection.when, event.type) ? collection.when[event.type] : undefined;
  const on = { id: streamId, at: event.metadata.at, isUnreadable: event.flaw?.kind === 'unreadable' };
  const document = fold === undefined ? before?.document : fold(before?.document as never, event.data as never, on);
  if (document === undefined) return before;
  const { revision, position } = event;
  return { document, revision, position, created: before?.created ?? position };
};

/** Returns the periods, by id, that an event of a document writes: none if the collection has no timeline. */
export const changedPeriods = (
  { timeline }: ProjectedCollection,
  before: Working | undefined,
  after: Working,
  event: RecordedEvent,
): ReadonlyMap<string, Working> => {
  if (timeline === undefined) return new Map();
  const periods = timeline.periods(before?.document as never, after.document as never, event);
  const created = timeline.sortsByEvent ? event.position : after.created;
  return new Map([...periods].map(([id, document]) => [id, { ...after, created, document }]));
};
