// Folds a page of the log into the documents of a generation. Each document is read and written once in each commit.
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
  /** What is left of a page whose documents are too large for one commit. */
  readonly rest: LogPage | undefined;
}

/** The size of a commit: a slow network must take it within its deadline, and memory must hold it. */
export const COMMIT_BYTES = 8 * 1_024 * 1_024;
// How many documents are read at once, in one turn.
const READ_AT_ONCE = 32;

interface OpenDocuments {
  readonly collection: ProjectedCollection;
  readonly load: (ids: readonly string[]) => ReturnType<Views['load']>;
  /** What was read, by id; undefined for a document that does not exist. */
  readonly stored: Map<string, Working | undefined>;
  readonly wanted: Set<string>;
  readonly changed: Map<string, Working>;
  readonly derived: ReadonlyMap<DerivedCollection, Map<string, Working>>;
}

/** Folds the events of a page in order, up to the first event that cannot be folded or to the size of a commit. */
export const foldPage = async (
  views: Pick<Views, 'load'>,
  generation: Generation,
  { folded }: Projection,
  page: LogPage,
): Promise<FoldedPage> => {
  const turns = new Turns();
  const open = folded.map((collection): OpenDocuments => {
    const derived = new Map(collection.derived.map((each) => [each, new Map<string, Working>()]));
    const load = (ids: readonly string[]) => views.load(generation, collection.name, ids);
    return { collection, load, stored: new Map(), wanted: new Set(), changed: new Map(), derived };
  });
  const { left, poison } = await foldFirst(open, page.events, turns);
  const writes: DocumentWrite[] = [];
  for (const { collection, changed, derived } of open) {
    for (const [each, documents] of derived) await writeInto(writes, each, documents, turns);
    await writeInto(writes, collection, changed, turns);
  }
  if (left.length === 0) return { writes, position: page.position, poison, rest: undefined };
  const position = page.events[page.events.length - left.length - 1]?.position;
  return { writes, position, poison, rest: poison === undefined ? { ...page, events: left } : undefined };
};

/** Returns what went wrong with an event, without anything of its payload. */
export const poisonOf = ({ type, stream, revision, position }: RecordedEvent, error: unknown): Poison => {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { position, reason: `${type} in ${stream} at revision ${revision}: ${text}` };
};

/** Folds events until they have read the size of a commit. Returns those that are left, the one at fault first. */
const foldFirst = async (open: readonly OpenDocuments[], events: readonly RecordedEvent[], turns: Turns) => {
  let left = events;
  for (let bytes = 0; left.length > 0 && bytes < COMMIT_BYTES; ) {
    const next = await nextOf(open, left, turns);
    for (const each of open) bytes += await readWanted(each, turns);
    const poison = await firstFailure(open, next, turns);
    if (poison !== undefined) return { left: left.filter(({ position }) => position >= poison.position), poison };
    left = left.slice(next.length);
  }
  return { left, poison: undefined };
};

const firstFailure = async (open: readonly OpenDocuments[], events: readonly RecordedEvent[], turns: Turns) => {
  for await (const event of turns.over(events)) {
    try {
      foldInto(open, event);
    } catch (error) {
      return poisonOf(event, error);
    }
  }
  return undefined;
};

/** Returns the first events, whose documents are read at once, and notes which of these were not read before. */
const nextOf = async (open: readonly OpenDocuments[], events: readonly RecordedEvent[], turns: Turns) => {
  let count = 0;
  for await (const event of turns.over(events)) {
    count += 1;
    for (const each of open) want(each, event);
    if (open.some(({ wanted }) => wanted.size >= READ_AT_ONCE)) break;
  }
  return events.slice(0, count);
};

const want = ({ collection, stored, wanted }: OpenDocuments, event: RecordedEvent): void => {
  try {
    const id = documentIdOf(collection, event, aggregateIdOf(event.stream));
    if (id !== undefined && !stored.has(id)) wanted.add(id);
  } catch {
    // The fold fails at the same event, and reports it.
  }
};

/** Reads the documents that are wanted. Returns their size. */
const readWanted = async ({ load, stored, wanted }: OpenDocuments, turns: Turns): Promise<number> => {
  const ids = [...wanted];
  wanted.clear();
  for (const id of ids) stored.set(id, undefined);
  let bytes = 0;
  const found = ids.length === 0 ? [] : await load(ids);
  for await (const { id, body, ...rest } of turns.over(found)) {
    stored.set(id, { document: JSON.parse(body), ...rest });
    bytes += body.length;
  }
  return bytes;
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
    const others = [...derived].map(
      ([each, known]) => [known, derivedOf(each, known, [before, after, event])] as const,
    );
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
