// What the views engine does on its writing connection, in the writer thread.
import type { Database } from '../sqlite/database.js';
import type { Checkpoint, Collection, Generation, Lease, ProjectionShape } from './views.js';

/** The table that holds a collection's documents in one generation. */
export const tableOf = (collection: string, generation: number): string => `"${collection}_${generation}"`;

/** A batch as it crosses to the writer thread: the columns of its collections, and rows in their order. */
export interface CommitArgument {
  readonly lease: Lease;
  readonly position: string;
  readonly tables: readonly {
    readonly collection: string;
    readonly indexed: readonly string[];
    /** id, body, revision, position, created, then one value for each indexed column. */
    readonly rows: readonly (string | number | null)[][];
  }[];
}

export interface AcquireArgument extends Generation {
  readonly owner: string;
  readonly ttlMs: number;
  /** The owner that is known to have died: its lease is free before its time. */
  readonly dead: string | undefined;
}

interface GenerationRow {
  readonly number: number;
  readonly version: number;
  readonly state: 'building' | 'live';
  readonly position: string | null;
  readonly collections: string;
}

const createTable = ({ name, indexes }: Collection, generation: number) => {
  const table = tableOf(name, generation);
  const columns = Object.keys(indexes);
  const index = (on: string, by: string) => `CREATE INDEX "${name}_${generation}_${on}" ON ${table} (${by});`;
  return `
    CREATE TABLE ${table} (
      id TEXT PRIMARY KEY, body TEXT NOT NULL, revision INTEGER NOT NULL, position TEXT NOT NULL, created TEXT NOT NULL
      ${columns.map((column) => `, "x_${column}" TEXT NOT NULL`).join('')}
    ) STRICT;
    ${index('created', 'created')}
    ${columns.map((column) => index(column, `"x_${column}", created`)).join('\n')}`;
};

/** The operations of the views engine. */
export const operationsOf = (db: Database) => {
  const generations = db.prepare<[string], GenerationRow>(
    'SELECT number, version, state, position, collections FROM generations WHERE projection = ? ORDER BY number',
  );
  const insertGeneration = db.prepare(
    'INSERT INTO generations (projection, number, version, state, collections) VALUES (?, ?, ?, ?, ?)',
  );
  const leased = db
    .prepare<[string, number, string, number], number>(
      'SELECT 1 FROM generations WHERE projection = ? AND number = ? AND owner = ? AND epoch = ?',
    )
    .pluck();
  const advance = db.prepare(
    `UPDATE generations SET position = @position
     WHERE projection = @projection AND number = @number AND (position IS NULL OR position < @position)`,
  );
  const take = db
    .prepare<[object], number>(
      `UPDATE generations SET owner = @owner, epoch = epoch + 1, lease_until = @until
       WHERE projection = @projection AND number = @number
         AND (lease_until < @now OR owner IS NULL OR owner = @owner OR owner = @dead)
       RETURNING epoch`,
    )
    .pluck();
  const prolong = db.prepare(
    'UPDATE generations SET lease_until = @until WHERE projection = @projection AND number = @number AND owner = @owner AND epoch = @epoch',
  );
  const letGo = db.prepare(
    'UPDATE generations SET owner = NULL, lease_until = 0 WHERE projection = @projection AND number = @number AND owner = @owner AND epoch = @epoch',
  );
  const stop = db.prepare(
    'UPDATE generations SET stopped_position = ?, stopped_reason = ? WHERE projection = ? AND number = ?',
  );
  const setState = db.prepare('UPDATE generations SET state = ? WHERE projection = ? AND number = ?');
  const forget = db.prepare('DELETE FROM generations WHERE projection = ? AND number = ?');
  const upserts = new Map<string, ReturnType<typeof prepareUpsert>>();

  const prepareUpsert = (table: string, indexed: readonly string[]) => {
    const columns = ['body', 'revision', 'position', ...indexed.map((column) => `"x_${column}"`)];
    const all = ['id', 'body', 'revision', 'position', 'created', ...columns.slice(3)];
    return db.prepare(
      `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
       WHERE excluded.position > ${table}.position`,
    );
  };

  const upsertInto = (table: string, indexed: readonly string[]) => {
    const statement = upserts.get(table) ?? prepareUpsert(table, indexed);
    upserts.set(table, statement);
    return statement;
  };

  const holds = ({ projection, number, owner, epoch }: Lease) =>
    leased.get(projection, number, owner, epoch) !== undefined;

  const addGeneration = ({ name, version, collections }: ProjectionShape, number: number, state: string) => {
    insertGeneration.run(name, number, version, state, JSON.stringify(collections));
    for (const collection of collections) db.exec(createTable(collection, number));
    return number;
  };

  const startGeneration = (shape: ProjectionShape): number => {
    const known = generations.all(shape.name);
    const building = known.find(({ state, version }) => state === 'building' && version === shape.version);
    return building?.number ?? addGeneration(shape, (known.at(-1)?.number ?? 0) + 1, 'building');
  };

  const prepare = (shape: ProjectionShape): void => {
    const known = generations.all(shape.name);
    const newest = Math.max(0, ...known.map(({ version }) => version));
    if (known.length === 0) addGeneration(shape, 1, 'live');
    else if (newest < shape.version) startGeneration(shape);
  };

  const drop = (projection: string, { number, collections }: GenerationRow) => {
    for (const { name } of JSON.parse(collections) as Collection[]) {
      upserts.delete(tableOf(name, number));
      db.exec(`DROP TABLE ${tableOf(name, number)}`);
    }
    forget.run(projection, number);
  };

  const commit = ({ lease, position, tables }: CommitArgument): boolean => {
    if (!holds(lease)) return false;
    for (const { collection, indexed, rows } of tables) {
      const upsert = upsertInto(tableOf(collection, lease.number), indexed);
      for (const row of rows) upsert.run(...row);
    }
    advance.run({ projection: lease.projection, number: lease.number, position });
    return true;
  };

  const acquire = ({ ttlMs, ...rest }: AcquireArgument): number | undefined => {
    const now = Date.now();
    return take.get({ ...rest, dead: rest.dead ?? null, now, until: now + ttlMs });
  };

  const promote = (lease: Lease): boolean => {
    const known = generations.all(lease.projection);
    const live = known.find(({ state }) => state === 'live');
    const mine = known.find(({ number }) => number === lease.number);
    if (mine?.state === 'live') return true;
    if (mine === undefined || !holds(lease) || (live?.position ?? '') > (mine.position ?? '')) return false;
    for (const old of known.filter(({ number }) => number !== mine.number)) drop(lease.projection, old);
    setState.run('live', lease.projection, mine.number);
    return true;
  };

  return {
    prepare,
    startGeneration,
    commit,
    acquire,
    promote,
    renew: ({ lease, ttlMs }: { lease: Lease; ttlMs: number }): boolean =>
      prolong.run({ ...lease, until: Date.now() + ttlMs }).changes === 1,
    release: (lease: Lease): void => void letGo.run(lease),
    setStopped: ({ projection, number, stopped }: Pick<Checkpoint, 'projection' | 'number' | 'stopped'>): void =>
      void stop.run(stopped?.position ?? null, stopped?.reason ?? null, projection, number),
  };
};
