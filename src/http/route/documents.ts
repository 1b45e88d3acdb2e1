// The documents of the read models, with the types of their projections.
import type { Position } from '../../infrastructure/facts/facts.js';
import type { Documents } from '../../projections/all.js';
import type { RouteResult } from './route.js';
import type { Reads } from './turn.js';

export type CollectionName = keyof Documents;

/** What was read: its text, which is sent as it is, and its value, which is parsed only for a handler that asks for it. */
export class Read<V> implements RouteResult {
  constructor(
    readonly body: string,
    readonly revision: number,
    readonly isAlwaysSent = false,
    readonly position?: Position,
  ) {}

  get value(): V {
    return JSON.parse(this.body) as V;
  }
}

/** Returns the documents in the JSON text of a list. */
export const documentsIn = <N extends CollectionName>(json: string) => JSON.parse(json) as readonly Documents[N][];

/** Reads of documents by the names of their collections. */
export type TypedReads = ReturnType<typeof typed>;

export const typed = (views: Pick<Reads, 'get' | 'list'>) => ({
  get: async <N extends CollectionName>(collection: N, id: string, after?: number) => {
    const found = await views.get(collection, id, after);
    return found && new Read<Documents[N]>(found.body, found.revision);
  },

  /** Returns the newest document with these values; undefined if there is none. */
  newest: async <N extends CollectionName>(collection: N, where: Readonly<Record<string, string>>, after: number) => {
    const query = { collection, where, order: 'newest-first', after: undefined, limit: 1 } as const;
    // The list has at most one document, so the text between the brackets is the document.
    const text = (await views.list(query, after)).json.slice(1, -1);
    return text === '' ? undefined : new Read<Documents[N]>(text, 0);
  },
});
