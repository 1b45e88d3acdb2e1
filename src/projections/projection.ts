// The definition of a read model: documents of one or more collections, each folded from events by a table.
import type { z } from 'zod';
import type { EventContext, Evolve, Schemas } from '../domain/decider.js';
import type { Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Collection, Index, Indexed, ProjectionShape } from '../infrastructure/views/views.js';

/** A document while a page of the log is folded. */
export interface Working<Document = unknown> {
  readonly document: Document;
  readonly revision: number;
  readonly position: Position;
  readonly created: Position;
}

interface Indexing extends Collection {
  /** Each with the function that returns the value of its field. */
  readonly indexes: readonly (Index & { readonly of: (document: never) => Indexed })[];
}

/** A kind of document: which events belong to a document, and how they change it. */
export interface ProjectedCollection extends Indexing {
  /**
   * Returns the id of the document that an event belongs to. `streamId` is the id of the event's aggregate. Events of
   * two streams never belong to the same document, because its revision is the revision of its stream.
   */
  readonly idOf: (data: never, streamId: string) => string;
  /** How an event of each handled type changes the document. Pure. */
  readonly when: Readonly<Record<string, (document: never, data: never, on: EventContext) => unknown>>;
  readonly isRoot: boolean;
  /** What is made from the documents of this collection. */
  readonly derived: readonly DerivedCollection[];
}

/**
 * Documents that are made from another document: from its earlier states, or from each of its parts. So one event can
 * change several. Folding an event reads none of them, so its cost does not grow with their number.
 */
export interface DerivedCollection<Source = never> extends Indexing {
  /**
   * Returns the documents, by id, that an event of the source changes. Pure. Lists sort a document by the `created` of
   * its first write.
   */
  readonly documents: (...change: Change<Source>) => Derivation<unknown>;
}

type Change<Source> = readonly [before: Working<Source> | undefined, after: Working<Source>, event: RecordedEvent];

type Derivation<Document> = ReadonlyMap<string, Pick<Working<Document>, 'document' | 'created'>>;

/** A read model: one checkpoint for all of its collections. */
export interface Projection<Folded = ProjectedCollection> extends ProjectionShape {
  readonly aggregates: readonly string[];
  readonly folded: readonly Folded[];
}

/**
 * Defines a read model. A commit writes what the root derives first, because lists join names, then each part after what
 * it derives, and the root last, so that a reader of the root finds the others. A commit that stopped in between is
 * repeated, and writes the derived documents again.
 */
export const projection = <Root extends ProjectedCollection = never, Part extends ProjectedCollection = never>({
  root,
  parts = [],
  ...definition
}: Pick<Projection, 'name' | 'version' | 'aggregates'> & {
  /** The resources of routes, each with the revision of its stream, whatever event changed the stream. */
  readonly root: Root;
  readonly parts?: readonly Part[];
}): Projection<Root | Part> => {
  const collections = [...root.derived, ...parts.flatMap((part) => [...part.derived, part]), root];
  return { ...definition, folded: [...parts, { ...root, isRoot: true }], collections };
};

/** Tells the type of the documents of a collection, to the compiler only. */
export interface Typed<Name extends string, Document> {
  readonly name: Name;
  readonly document?: Document;
}

interface Declared<Name extends string, Document> {
  readonly name: Name;
  readonly indexes: (index: IndexOf<Document>) => Indexing['indexes'];
}

/** Makes an index of a field, after the field `within`. `of` returns its value, a list if the kind is `contains`. */
export type IndexOf<Document> = <Kind extends Index['kind']>(
  kind: Kind,
  field: string,
  of: (document: Document) => Kind extends 'contains' ? readonly string[] : string,
  within?: string,
) => Indexing['indexes'][number];

const index: IndexOf<never> = (kind, field, of, within) => ({ kind, field, of, within });

interface Definition<Name extends string, Document, E extends Schemas> extends Declared<Name, Document> {
  readonly idOf: (data: z.infer<E[keyof E]>, streamId: string) => string;
  readonly when: Evolve<Document | undefined, E>;
}

/** Defines documents that are made from those of a collection. */
export const derivation = <Source, Document, Name extends string>(
  definition: Declared<Name, Document> & { readonly documents: (...change: Change<Source>) => Derivation<Document> },
): DerivedCollection<Source> & Typed<Name, Document> => ({ ...definition, indexes: definition.indexes(index) });

/** Defines a collection and checks that its types agree. The result has the types that the runner needs. */
export const collection = <
  Document,
  E extends Schemas,
  Derived extends DerivedCollection<Document> = never,
  Name extends string = string,
>({
  derived = [],
  ...definition
}: Definition<Name, Document, E> & { readonly derived?: readonly Derived[] }): ProjectedCollection &
  Typed<Name, Document> & { readonly derived: readonly Derived[] } => ({
  ...definition,
  isRoot: false,
  indexes: definition.indexes(index),
  derived,
});

/** Returns the id of the document that an event belongs to; undefined if the collection does not handle the event. */
export const documentIdOf = (collection: ProjectedCollection, event: RecordedEvent, streamId: string) =>
  collection.isRoot || Object.hasOwn(collection.when, event.type)
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

/** Returns the documents, by id, that an event of their source changes. `known` has those that are not stored yet. */
export const derivedOf = (
  { documents }: DerivedCollection,
  known: ReadonlyMap<string, Working>,
  change: Change<unknown>,
): ReadonlyMap<string, Working> => {
  const made = [...documents(...(change as Change<never>))];
  return new Map(made.map(([id, of]) => [id, { ...change[1], ...of, created: known.get(id)?.created ?? of.created }]));
};
