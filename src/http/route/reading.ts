// Reads resources and lists. A resource comes from its view if the view contains the writes of this process, otherwise
// from the facts.
import type { LoadInstitution } from '../../commands/attachment-names.js';
import { emptyOf, type Loaded } from '../../commands/loaded.js';
import { comparableName } from '../../domain/comparable.js';
import type { Foldable } from '../../domain/decider.js';
import { present } from '../../domain/fields.js';
import { institution } from '../../domain/institution.js';
import { user } from '../../domain/user/user.js';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import type { Position } from '../../infrastructure/facts/facts.js';
import { pace } from '../../infrastructure/pace.js';
import { streamName } from '../../infrastructure/stream-name.js';
import { readEach } from '../../infrastructure/turns.js';
import { type Bound, fitting, type ListPage, PAGE_BYTES, startingWith } from '../../infrastructure/views/views.js';
import { allProjections, type Documents } from '../../projections/all.js';
import { attachedIn, institutions, withPresentNames } from '../../projections/institutions.js';
import { nameIn, namesOf, type ReadNames, users } from '../../projections/users.js';
import type { Service } from '../../service.js';
import { Problem } from '../problems/problems.js';
import { RequestErrors } from '../problems/request-errors.js';
import { type CollectionName, documentsIn, Read, type TypedReads, typed } from './documents.js';
import type { LoadOpaque } from './opaque.js';
import { cursorText, type Page, type PageQuery, pageResult, paging } from './paging.js';
import type { ReadOptions, RouteResult } from './route.js';
import { type Reads, sharedReads } from './turn.js';

/** How long a request waits for its views to catch up. */
const TIMEOUT_MS = 2_000;

/** The aggregates of a kind, or the parts of these aggregates that a route shows. */
export interface Resource<S, V = unknown> {
  /** The name of the projection, of its documents, and of the first path segment of the resources. */
  readonly name: CollectionName;
  readonly decider: Foldable<S>;
  /** Returns the part of the state that the route shows. Throws a `DomainError` if that part does not exist. */
  readonly show: (state: S, load: LoadInstitution) => V | Promise<V>;
  /** Returns the same from the views; undefined if the views do not have it. */
  readonly fromViews: (views: TypedReads, id: string) => Promise<Read<V> | undefined>;
  /** Whether the documents are users. Their responses have the present names of institutions and unities. */
  readonly showsUsers?: boolean;
}

/** Returns the name of a resource whose documents are what a route shows, and how to read them. */
export const documentsOf = <N extends CollectionName>(name: N) => ({
  name,
  fromViews: (views: TypedReads, id: string) => views.get(name, id),
});

/** A list, and the page of it that a request selects. */
export interface List<N extends CollectionName = CollectionName> {
  /** The projection that stores the items. */
  readonly projection: string;
  /** The collection of the items. Default: the name of the projection. */
  readonly collection?: N;
  /** The values that all items must have, whether the path, the query or the route asks for them; undefined for any. */
  readonly where?: Readonly<Record<string, string | undefined>>;
  /** The bounds of the period of each item, for a list as of a past time. */
  readonly period?: readonly Bound[];
  /** The parameters of the request: its page and its filters. `name`: the prefix of the names of items. */
  readonly query: PageQuery & { readonly name?: string | undefined };
  readonly showsUsers?: boolean;
  /** Returns the items of a page for its documents. Default: the items are the documents. */
  readonly items?: (documents: readonly Documents[N][]) => Promise<readonly unknown[]>;
}

interface Sources extends Pick<Service, 'views' | 'streams' | 'progress' | 'facts'> {
  readonly opaque: LoadOpaque;
}

/** Reads resources and lists. */
export class Reader {
  readonly #from: Sources;
  readonly #views: Reads;
  readonly #typed: TypedReads;
  // Equal reads of a turn share a page, so that its text, digest and cursor are made once.
  readonly #pages = new WeakMap<ListPage, { readonly list: string; readonly page: Promise<RouteResult> }>();

  constructor(sources: Sources) {
    this.#from = sources;
    this.#views = sharedReads(sources.views);
    this.#typed = typed(this.#views);
  }

  /**
   * Returns a resource as of a past time, or at least as recent as a token, or as recent as the writes of this process.
   */
  async read<S, V>(resource: Resource<S, V>, id: string, options: ReadOptions): Promise<Read<V>> {
    const { asOf, consistency, walker } = options;
    const { streams } = this.#from;
    const { name, decider, fromViews } = resource;
    if (asOf !== undefined) {
      await this.mustBeInLog(consistency);
      const load: LoadInstitution = (each) => streams.asOf(institution, each, asOf, walker);
      return shownIn(resource, await streams.asOf(decider, id, asOf, walker), load);
    }
    const since = soon(consistency);
    if (await this.#isRecent(name, since, streamName(decider.aggregate, id))) {
      const found = await fromViews(this.#typed, id);
      const named = resource.showsUsers && found ? await this.#named(found, since) : found;
      if (named !== undefined) return named;
    }
    const loaded = await streams.fresh(decider, id);
    // The log may be ahead of the views that the client reads next.
    return shownIn(resource, loaded, (each) => this.#foldable(institution, each), loaded.position);
  }

  /** Returns a user with the present names; undefined if their view is behind. */
  async #named<V>(found: Read<V>, since: Since): Promise<Read<V> | undefined> {
    const ids = attachedIn(found.body);
    if (ids.length === 0) return found;
    const streams = ids.map((id) => streamName(institution.aggregate, id));
    if (!(await this.#isRecent(institutions.name, since, ...streams))) return undefined;
    return new Read(await withPresentNames(this.#views, found.body, ids), found.revision, true);
  }

  /**
   * Returns a page of a list from the view. With a consistency token, waits until the view has reached its position. As
   * of a past time, waits until the view contains everything that was recorded before the request. Rejects with
   * `view-behind` if the view takes too long.
   */
  async list<N extends CollectionName>(list: List<N>, options: ReadOptions): Promise<RouteResult> {
    const { projection, collection = projection, where = {}, period = [], query, items } = list;
    const named = query.name === undefined ? [] : startingWith('name', comparableName(query.name));
    const selection = { collection, where: present(where), bounds: [...named, ...period] };
    if (query.total === 'true') mustBeCountable(query, period);
    const since = soon(period.length > 0 ? await this.head(options.consistency) : options.consistency);
    await this.#caughtUp(projection, since);
    const order = query.sort === 'createdAt' ? 'oldest-first' : 'newest-first';
    const selected = { order, after: query.cursor, limit: query.limit } as const;
    const stored = await this.#views.list({ ...selection, ...selected });
    const found = list.showsUsers ? await this.#namedPage(stored, since) : stored;
    const total = query.total === 'true' ? { total: await this.#from.views.count(selection) } : undefined;
    if (items !== undefined) {
      return this.#pageOf(await this.#cut(found, await items(documentsIn<N>(found.json))), options, total);
    }
    return total === undefined ? this.#sharedPageOf(found, options) : this.#pageOf(found, options, total);
  }

  /** Returns a page of users with the present names. Names that are longer than before may end the page earlier. */
  async #namedPage(page: ListPage, since: Since): Promise<ListPage> {
    const ids = attachedIn(page.json);
    if (ids.length === 0) return page;
    await this.#caughtUp(institutions.name, since);
    const json = await withPresentNames(this.#views, page.json, ids);
    const isLong = Buffer.byteLength(json) > PAGE_BYTES;
    return { ...page, json, ...(isLong && (await this.#cut(page, documentsIn<'users'>(json)))) };
  }

  /** Returns the cursor of a place in the list of a request. */
  async cursorOf(place: string | undefined, { list }: ReadOptions): Promise<string | undefined> {
    return place === undefined ? undefined : (await this.#from.opaque()).seal('cursor', cursorText(place, list()));
  }

  #sharedPageOf(found: ListPage, options: ReadOptions): Promise<RouteResult> {
    // A last page has no cursor, so its text is the same in every list.
    const list = found.next === undefined ? '' : options.list();
    const shared = this.#pages.get(found);
    if (shared !== undefined && shared.list === list) return shared.page;
    const page = this.#pageOf(found, options);
    this.#pages.set(found, { list, page });
    return page;
  }

  async #pageOf(
    { json, next }: Pick<ListPage, 'json' | 'next'>,
    options: ReadOptions,
    members?: Page['members'],
  ): Promise<RouteResult> {
    return pageResult({ items: json, nextCursor: await this.cursorOf(next, options), ...(members && { members }) });
  }

  /** Returns the items that fit on a page. Large pages are made at the pace of the process. */
  async #cut(found: ListPage, items: readonly unknown[]) {
    await pace.goOn();
    return cut(found, items);
  }

  /**
   * Returns the function that reads the present names of users: from their view if it reaches a position in time, else
   * from those of their streams that can be folded.
   */
  async namesSince(consistency: Position | undefined): Promise<ReadNames> {
    const fromView: ReadNames = (ids) => namesOf(this.#views, ids);
    if (await this.#isRecent(users.name, soon(consistency))) return fromView;
    return async (ids) => {
      const loaded = await readEach([...new Set(ids)], (id) => this.#foldable(user, id));
      const names = loaded.flatMap(({ state }) => (state.status === 'unknown' ? [] : nameIn(state.fields)));
      return new Map([...(await fromView(ids)), ...names.map((name) => [name.id, name] as const)]);
    };
  }

  /** Returns an aggregate that only gives its name; without a state if its stream has an event that cannot be folded. */
  async #foldable<S>(decider: Foldable<S>, id: string): Promise<Loaded<S>> {
    try {
      return await this.#from.streams.fresh(decider, id);
    } catch (error) {
      // The event has stopped the view, and the worker has reported it. The last known name is then shown.
      if (error instanceof StoreUnavailable) throw error;
      return emptyOf(decider);
    }
  }

  /** Waits until a view has reached a position. Rejects with `view-behind` if the view takes too long, or is stopped. */
  async caughtUp(projection: string, consistency: Position | undefined): Promise<void> {
    return this.#caughtUp(projection, soon(consistency));
  }

  async #caughtUp(projection: string, since: Since): Promise<void> {
    if (await this.#isRecent(projection, since)) return;
    const lag = { seconds: await this.#secondsBehind(projection) };
    throw new Problem('view-behind', { headers: { 'Retry-After': '2' }, extensions: { projection, lag } });
  }

  /**
   * Returns whether a view contains what a reader needs, and the last writes of this process to some streams. Waits for the
   * view, unless the view is stopped.
   */
  async #isRecent(projection: string, since: Since, ...streams: readonly string[]): Promise<boolean> {
    const { progress, streams: known } = this.#from;
    const { consistency, until } = since;
    let position = consistency;
    for (const stream of streams) {
      const written = known.ownWrites.of(stream);
      if (written !== undefined && written > (position ?? '')) position = written;
    }
    if (position === undefined || (await progress.reached(projection, position, 0))) return true;
    await this.mustBeInLog(consistency);
    return progress.reached(projection, position, until - performance.now());
  }

  /** Returns how many seconds the next event of a projection has waited to be folded. */
  async #secondsBehind(projection: string): Promise<number> {
    const { facts, progress } = this.#from;
    // Reads only the projection's own aggregates: readers may not learn when other events were recorded.
    const { aggregates } = allProjections.find(({ name }) => name === projection) ?? { aggregates: [] };
    const { events } = await facts.readLog({ aggregates, after: progress.known(projection) }, 1);
    const [waiting] = events;
    return waiting === undefined ? 0 : Math.max(0, Math.floor((Date.now() - Date.parse(waiting.metadata.at)) / 1_000));
  }

  /** Rejects with a `Problem` if a token is beyond the end of the log. */
  async mustBeInLog(consistency: Position | undefined): Promise<void> {
    if (consistency !== undefined) await this.head(consistency);
  }

  /** Returns the end of the log. Rejects with a `Problem` if a token is beyond it. */
  async head(consistency: Position | undefined): Promise<Position | undefined> {
    // The client sent the token before this read, so the log already contains the write of every genuine token.
    const head = await this.#from.facts.head();
    if (consistency === undefined || (head !== undefined && consistency <= head)) return head;
    const refused = new RequestErrors();
    refused.inParameter('consistency-token', 'unknown-token', 'must be a token that this service gave');
    throw new Problem('fields-refused', refused);
  }
}

/** What a view must contain at a time of `performance.now()`. */
interface Since {
  readonly consistency: Position | undefined;
  readonly until: number;
}

const soon = (consistency: Position | undefined): Since => ({ consistency, until: performance.now() + TIMEOUT_MS });

/** Returns the items of a page that fit on it. Items may be larger than the documents that they are made from. */
const cut = ({ next, places }: ListPage, items: readonly unknown[]): Pick<ListPage, 'json' | 'next'> => {
  const texts = items.map((item) => JSON.stringify(item));
  const count = fitting(texts.map((text) => Buffer.byteLength(text)));
  return { json: `[${texts.slice(0, count).join(',')}]`, next: count < texts.length ? places[count - 1] : next };
};

/** Returns what a route shows of a state. */
const shownIn = async <S, V>(
  { show, showsUsers = false }: Resource<S, V>,
  { state, revision }: Pick<Loaded<S>, 'state' | 'revision'>,
  load: LoadInstitution,
  position?: Position,
): Promise<Read<V>> => {
  const body = JSON.stringify(await show(state, load));
  return new Read(body, revision, showsUsers && attachedIn(body).length > 0, position);
};

/** Throws a `Problem` if no single index can count the list. Only the parameters of the request are filters. */
const mustBeCountable = (query: List['query'], period: readonly Bound[]): void => {
  const filters = Object.entries(query).filter(([name, value]) => value !== undefined && !Object.hasOwn(paging, name));
  if (period.length === 0 && filters.length <= 1) return;
  const refused = new RequestErrors();
  refused.inParameter('total', 'not-countable', 'cannot be combined with asOf or with more than one filter');
  throw new Problem('fields-refused', refused);
};
