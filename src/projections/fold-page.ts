// Folds a page of the log into the documents of a generation: each document is read once and written once.
import { interpretable, type LogPage, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import { Turns } from '../infrastructure/turns.js';
import type { Checkpoint, DocumentWrite, Generation, Views } from '../infrastructure/views/views.js';
import {
  applied,
  type DerivedCollection,
  derivedOf,
  documentIdOf,
  type ProjectedCollection,
  type Projection,
  type Working,
} from './projection.js';

/** The position of an event that stops a projection, and the reason. */
export type Poison = NonNullable<Checkpoint['stopped']>;

export interface FoldedPage {
  readonly writes: readonly DocumentWrite[];
  /** Undefined if not even the first event of the page could be folded. */
  readonly position: Position | undefined;
  /** The event that could not be folded, if any. The page is folded up to the event before it. */
  readonly poison: Poison | undefined;
}

// How many documents are read at once, in one turn.
const READ_AT_ONCE = 100;

interface OpenDocuments {
  readonly collection: ProjectedCollection;
  readonly stored: ReadonlyMap<string, Working>;
  readonly changed: Map<string, Working>;
  readonly derived: ReadonlyMap<DerivedCollection, Map<string, Working>>;
}

/** Folds the events of a page in order, up to the first event that cannot be folded. */
export const foldPage = async (
  views: Pick<Views, 'load'>,
  generation: Generation,
  { folded }: Projection,
  { events, position }: LogPage,
): Promise<FoldedPage> => {
  const turns = new Turns();
  const open: OpenDocuments[] = [];
  for (const collection of folded) {
    const load = (ids: readonly string[]) => views.load(generation, collection.name, ids);
    const stored = await storedOf(await idsIn(collection, events, turns), load, turns);
    const derived = new Map(collection.derived.map((each) => [each, new Map<string, Working>()]));
    open.push({ collection, stored, changed: new Map(), derived });
  }
  const poison = await firstFailure(events, turns, (event) => foldInto(open, event));
  const writes: DocumentWrite[] = [];
  for (const { collection, changed, derived } of open) {
    for (const [each, documents] of derived) await writeInto(writes, each, documents, turns);
    await writeInto(writes, collection, changed, turns);
  }
  if (poison === undefined) return { writes, position, poison };
  return { writes, position: events.findLast((event) => event.position < poison.position)?.position, poison };
};

/** Returns what went wrong with an event, without anything of its payload. */
export const poisonOf = ({ type, stream, revision, position }: RecordedEvent, error: unknown): Poison => {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { position, reason: `${type} in ${stream} at revision ${revision}: ${text}` };
};

/** Takes each event in order. Returns the first failure, which ends the loop. */
const firstFailure = async (
  events: readonly RecordedEvent[],
  turns: Turns,
  take: (event: RecordedEvent) => void,
): Promise<Poison | undefined> => {
  for await (const event of turns.over(events)) {
    try {
      take(event);
    } catch (error) {
      return poisonOf(event, error);
    }
  }
  return undefined;
};

/** Returns the ids of the documents that the events belong to, up to the first event that cannot be folded. */
const idsIn = async (
  collection: ProjectedCollection,
  events: readonly RecordedEvent[],
  turns: Turns,
): Promise<readonly string[]> => {
  const ids = new Set<string>();
  // The fold fails at the same event, and reports it.
  await firstFailure(events, turns, (event) => {
    const id = documentIdOf(collection, event, aggregateIdOf(event.stream));
    if (id !== undefined) ids.add(id);
  });
  return [...ids];
};

const storedOf = async (
  ids: readonly string[],
  load: (ids: readonly string[]) => ReturnType<Views['load']>,
  turns: Turns,
): Promise<ReadonlyMap<string, Working>> => {
  const stored = new Map<string, Working>();
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    for await (const { id, body, ...rest } of turns.over(await load(ids.slice(from, from + READ_AT_ONCE)))) {
      stored.set(id, { document: JSON.parse(body), ...rest });
    }
  }
  return stored;
};

/** Changes all collections or none: throws before the first change if the event cannot be folded. */
const foldInto = (open: readonly OpenDocuments[], event: RecordedEvent): void => {
  interpretable(event);
  const streamId = aggregateIdOf(event.stream);
  const changes = open.flatMap((documents) => {
    const { collection, stored, changed, derived } = documents;
    const id = documentIdOf(collection, event, streamId);
    if (id === undefined) return [];
    const before = changed.get(id) ?? stored.get(id);
    const after = applied(collection, before, event, streamId);
    if (after === undefined || after === before) return [];
    const change = { before, after, event };
    const others = [...derived].map(([each, known]) => [known, derivedOf(each, known, change)] as const);
    return [{ documents, id, after, others }];
  });
  for (const { documents, id, after, others } of changes) {
    documents.changed.set(id, after);
    for (const [known, made] of others) for (const [otherId, other] of made) known.set(otherId, other);
  }
};

const writeInto = async (
  writes: DocumentWrite[],
  { name, indexes }: ProjectedCollection | DerivedCollection,
  documents: ReadonlyMap<string, Working>,
  turns: Turns,
): Promise<void> => {
  for await (const [id, { document, ...rest }] of turns.over(documents)) {
    const index = Object.fromEntries(indexes.map(({ field, of }) => [field, of(document as never)]));
    writes.push({ collection: name, id, body: JSON.stringify(document), index, ...rest });
  }
};
