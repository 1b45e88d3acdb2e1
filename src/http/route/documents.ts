// The documents of the read models, with the types of their projections.
import type { Position } from '../../infrastructure/facts/facts.js';
import type { Documents } from '../../projections/all.js';
import type { RouteResult } from './route.js';
import type { Reads } from './turn.js';

export type CollectionName = keyof Documents;

/** What was read: its text, which is sent as it is, and its value, which is parsed only for a handler that asks for it. */
export class Read<V> implements RouteResult {
  readonly body: string;
  readonly revision: number;
  readonly position: Position | undefined;
  readonly isAlwaysSent: boolean;

  constructor(
    body: string,
    revision: number,
    { position, isAlwaysSent = false }: Pick<RouteResult, 'position' | 'isAlwaysSent'> = {},
  ) {
    this.body = body;
    this.revision = revision;
    this.position = position;
    this.isAlwaysSent = isAlwaysSent;
  }

  get value(): V {
    return JSON.parse(this.body) as V;
  }
}

/** Returns the documents in the JSON text of a list. */
export const documentsIn = <N extends CollectionName>(json: string) => JSON.parse(json) as readonly Documents[N][];

type Place<N extends CollectionName> = { readonly collection: N; readonly id: string };

/** Reads of documents by the names of their collections. */
export class TypedReads {
  readonly #views: Pick<Reads, 'get' | 'getPart' | 'list'>;

  constructor(views: Pick<Reads, 'get' | 'getPart' | 'list'>) {
    this.#views = views;
  }

  async get<N extends CollectionName>(collection: N, id: string): Promise<Read<Documents[N]> | undefined> {
    const found = await this.#views.get(collection, id);
    return found && new Read(found.body, found.revision);
  }

  /** Returns a part with the revision of its root, never newer than the part; undefined if either does not exist. */
  async getPart<N extends CollectionName>(root: Place<CollectionName>, part: Place<N>) {
    const found = await this.#views.getPart(root, part);
    return found && new Read<Documents[N]>(found.body, found.revision);
  }

  /** Returns the newest document with these values; undefined if there is none. */
  async newest<N extends CollectionName>(collection: N, where: Readonly<Record<string, string>>) {
    const query = { collection, where, prefix: {}, order: 'newest-first', after: undefined, limit: 1 } as const;
    // The list has at most one document, so the text between the brackets is the document.
    const text = (await this.#views.list(query)).json.slice(1, -1);
    return text === '' ? undefined : new Read<Documents[N]>(text, 0);
  }
}
