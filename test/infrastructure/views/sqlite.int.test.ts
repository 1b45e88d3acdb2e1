import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import { temporaryDirectory } from '../../support/directory.js';
import { numbers } from '../../support/items.js';
import { at, firstOf, newProjection } from './support/harness.js';
import { viewsSuite } from './views.suite.js';

viewsSuite('SQLite', () => {
  const directory = temporaryDirectory();
  return () => new SqliteViews(directory);
});

describe('the lists of values of a document', () => {
  /** How many bytes each of several commits of one document writes ahead. */
  const bytesOf = async (...groups: readonly (readonly string[])[]) => {
    const directory = temporaryDirectory();
    const views = new SqliteViews(directory);
    const projected = await newProjection(views);
    const size = () => statSync(join(directory, 'views.sqlite-wal')).size;
    const sizes: number[] = [];
    for (const [n, values] of groups.entries()) {
      const before = size();
      const index = { owner: 'nobody', version: '1', name: 'one', groups: values };
      await projected.commit(n + 1, projected.thing('one', n + 1, { index }));
      sizes.push(size() - before);
    }
    await views.close();
    return sizes;
  };
  // They fill several pages.
  const many = numbers(1, 300).map((n) => `group ${n}`.padEnd(40, '.'));

  it('are not written again with a document that leaves them as they were', async () => {
    const [, withMany = 0] = await bytesOf(many, many.toReversed());
    const [, withNone = 0] = await bytesOf([], []);
    expect(withNone).toBeGreaterThan(0);
    expect(withMany).toBe(withNone);
  });
});

describe('a generation that is dropped', () => {
  it('leaves no table, is not overwritten, and is gone after `forget`', async () => {
    const directory = temporaryDirectory();
    const views = new SqliteViews(directory);
    const projected = await newProjection(views);
    const documents = numbers(1, 100).map((n) => projected.thing(`${n}`, 1, { body: `"canary${'x'.repeat(50_000)}"` }));
    expect(await projected.commit(1, ...documents)).toBe(true);
    const db = new Database(join(directory, 'views.sqlite'));
    const tables = () =>
      db
        .prepareValue<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'projections'")
        .all();
    const before = tables();
    const { lease } = await projected.startRebuild();
    expect(await views.commit({ lease, writes: [], position: at(1) })).toBe(true);
    expect(tables()).toHaveLength(2 * before.length);
    await views.flush();
    expect(await views.promote(lease)).toBe(true);
    expect(tables().toSorted()).toEqual(before.map((name) => name.replace(/_1(?=_|$)/, '_2')).toSorted());
    expect(statSync(join(directory, 'views.sqlite-wal')).size).toBeLessThan(500_000);
    db.close();
    await views.forget();
    await views.close();
    expect(readFileSync(join(directory, 'views.sqlite')).includes('canary')).toBe(false);
  });
});

describe('the file of the views of an older version', () => {
  it('is emptied, and built again from the first event', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'views.sqlite');
    const db = new Database(file);
    db.exec(`
      CREATE TABLE generations (
        projection TEXT NOT NULL, number INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL, position TEXT,
        PRIMARY KEY (projection, number, part)
      ) STRICT;
      INSERT INTO generations VALUES ('old', 1, 0, 2, '0007'), ('old', 1, 1, 2, '0008');
      CREATE TABLE "olds_1" (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
      CREATE INDEX "olds_1_body" ON "olds_1" (body);
      INSERT INTO "olds_1" VALUES ('one', 'canary');
      PRAGMA user_version = 3;`);
    db.close();
    expect(readFileSync(file).includes('canary')).toBe(true);
    const [views, beside] = [new SqliteViews(directory), new SqliteViews(directory)];
    expect(await views.checkpoints()).toEqual([]);
    const shape = { name: 'old', version: 1, collections: [{ name: 'olds', indexes: [] }] };
    for (const engine of [views, beside]) await engine.prepare(shape);
    expect(await beside.checkpoints()).toEqual([firstOf(shape)]);
    expect(await beside.get('olds', 'one')).toBeUndefined();
    for (const engine of [beside, views]) await engine.close();
    expect(readFileSync(file).includes('canary')).toBe(false);
  });
});

describe('a file of views after `forget`', () => {
  it('holds no overwritten value, not even in the free space of its pages', async () => {
    const directory = temporaryDirectory();
    const views = new SqliteViews(directory);
    const projected = await newProjection(views);
    const ids = numbers(1, 1_500);
    const canary = (n: number) => `canary-${String(n).padStart(5, '0')}`;
    const write = (changed: readonly number[], round: number, text: (n: number) => string) => {
      const documents = changed.map((n) => {
        const index = { owner: text(n).slice(0, 20), version: '', name: '' };
        return projected.thing(`${(n * 7_919) % 1_500}`, round, { body: text(n), index });
      });
      return projected.commit(round, ...documents);
    };
    for (let round = 1; round <= 8; round += 1) {
      await write(ids, round, (n) => `${canary(n)}${'x'.repeat((n * round * 37) % (n % 20 === 0 ? 9_000 : 700))}`);
    }
    const gone = ids.filter((n) => n % 3 === 0);
    await write(gone, 9, () => 'gone');
    await views.forget();
    const held = () => Buffer.concat(readdirSync(directory).map((name) => readFileSync(join(directory, name))));
    const bytes = held();
    expect(gone.filter((n) => bytes.includes(canary(n)))).toEqual([]);
    expect(ids.filter((n) => n % 3 !== 0 && !bytes.includes(canary(n)))).toEqual([]);
    await views.close();
  });
});
