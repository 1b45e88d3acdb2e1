// The control records of the projections on MongoDB: one document for each projection, replaced by compare-and-set.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { ReadModelOutdated } from '../../errors.js';
import type { CallLimits, MongoDatabase } from '../../mongodb/connection.js';
import { DUPLICATE_KEY, mongoCodeOf } from '../../mongodb/failures.js';
import { type ArgumentOf, type ChangeName, type Control, changed } from '../control.js';

/** For how many milliseconds a process that missed a switch may read the previous generation. */
export const REMEMBERED_MS = 1_000;

// Increase the format if the shape of records or of documents changes. Records of another format count as missing, so
// all read models are built again. No process of another format may run meanwhile.
const FORMAT = 2;

export interface StoredControl {
  readonly _id: string;
  readonly format: number;
  /** Differs after every change, even if a server lost its disk and repeats its history differently. */
  readonly token: string;
  readonly control: Control;
}

type Read = StoredControl & { readonly now: Date };

export class MongoControls {
  readonly #database: MongoDatabase;
  /** The records as this process last saw them, and when. */
  readonly #known = new Map<string, { readonly record: StoredControl; readonly at: number }>();

  constructor(database: MongoDatabase) {
    this.#database = database;
  }

  all(): Promise<readonly Read[]> {
    return this.#read({});
  }

  async find(projection: string): Promise<Read | undefined> {
    const [found] = await this.#read({ _id: projection });
    return found;
  }

  /** Returns the number of the live generation, perhaps slightly outdated. */
  async live(projection: string): Promise<number | undefined> {
    const known = this.#known.get(projection);
    return known !== undefined && performance.now() - known.at < REMEMBERED_MS
      ? known.record.control.live
      : (await this.find(projection))?.control.live;
  }

  /** Tries again if another change came in between. Returns the record before and after; undefined if it is refused. */
  async change<Name extends ChangeName>(projection: string, name: Name, argument: ArgumentOf<Name>) {
    for (let attempt = 1; ; attempt += 1) {
      const record = await this.find(projection);
      const before = record?.control;
      const after = changed(name, before, argument, record?.now.getTime() ?? 0);
      if (after === undefined) return undefined;
      if (await this.#replace(projection, record, after)) return { before, after };
      await pause(Math.random() * 5 * attempt);
    }
  }

  /** Tries the record that this process knows first, which saves a read: the change needs no time of the server. */
  async advance(projection: string, argument: ArgumentOf<'advance'>): Promise<boolean> {
    const known = this.#known.get(projection)?.record;
    const next = changed('advance', known?.control, argument, 0);
    if (next !== undefined && (await this.#replace(projection, known, next))) return true;
    return (await this.change(projection, 'advance', argument)) !== undefined;
  }

  async #replace(_id: string, record: StoredControl | undefined, control: Control): Promise<boolean> {
    const next = { _id, format: FORMAT, token: randomUUID(), control };
    // A record of another format is replaced like a missing one.
    const expected = record === undefined ? { format: { $ne: FORMAT } } : { format: FORMAT, token: record.token };
    try {
      const { matchedCount, upsertedCount } = await this.#run((records, limits) =>
        records.replaceOne({ _id, ...expected }, next, {
          ...limits,
          upsert: record === undefined,
          ignoreUndefined: true,
        }),
      );
      if (matchedCount + upsertedCount === 0) return false;
    } catch (error) {
      // Another process was first.
      if (mongoCodeOf(error) === DUPLICATE_KEY) return false;
      throw error;
    }
    this.#remember(next, performance.now());
    return true;
  }

  async #read(match: { readonly _id?: string }): Promise<readonly Read[]> {
    const at = performance.now();
    const pipeline = [
      { $match: { ...match, format: FORMAT } },
      { $sort: { _id: 1 } },
      { $addFields: { now: '$$NOW' } },
    ];
    const found = await this.#run((records, limits) => records.aggregate<Read>(pipeline, limits).toArray());
    for (const record of found) this.#remember(record, at);
    return found;
  }

  /** Remembers a record, unless the result of a later query arrived before. */
  #remember(record: StoredControl, at: number): void {
    if (at >= (this.#known.get(record._id)?.at ?? 0)) this.#known.set(record._id, { record, at });
  }

  #run<T>(call: (records: ReturnType<typeof recordsIn>, limits: CallLimits) => Promise<T>): Promise<T> {
    return this.#database.run((db, limits) => call(recordsIn(db), limits));
  }
}

const recordsIn = (db: Db) => db.collection<StoredControl>('projections');

/** Throws `ReadModelOutdated` if the live generation has no such collection, or no index of one of these fields. */
export const mustHave = ({ _id, control }: StoredControl, collection: string, fields: readonly string[]): void => {
  const stored = control.generations[control.live]?.collections.find(({ name }) => name === collection);
  const missing = stored === undefined ? collection : fields.find((field) => !Object.hasOwn(stored.indexes, field));
  if (missing === undefined) return;
  throw new ReadModelOutdated(_id, missing);
};
