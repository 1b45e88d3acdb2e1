import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';
import { readOnlyDirectory } from '../support/read-only-directory.js';
import { viewsSuite } from './views.suite.js';
import { everyoneLives, HOUR_MS, newProjection, worker } from './views-harness.js';

viewsSuite('SQLite', async () => {
  const directory = temporaryDirectory();
  const views = new SqliteViews(directory);
  return {
    views,
    beside: async () => new SqliteViews(directory),
    reopen: async () => {
      await views.close();
      return new SqliteViews(directory);
    },
  };
});

describe('the file of the views', () => {
  it("is its owner's alone", async () => {
    const directory = temporaryDirectory();
    await new SqliteViews(directory).close();
    expect(statSync(join(directory, 'views.sqlite')).mode & 0o777).toBe(0o600);
  });

  it('that was lost is made anew', async () => {
    const views = new SqliteViews(temporaryDirectory());
    const { shape } = await newProjection(views);
    await views.close();
    const fresh = new SqliteViews(temporaryDirectory());
    await fresh.prepare(shape);
    expect(await fresh.checkpoints()).toMatchObject([{ projection: shape.name, number: 1, position: undefined }]);
    await fresh.close();
  });
});

describe('views on SQLite that cannot answer', () => {
  it('say so when they are opened in a directory that is not there', () => {
    expect(() => new SqliteViews(join(temporaryDirectory(), 'missing'))).toThrow(/missing\/views\.sqlite/);
  });

  it('say so when they are opened in a directory that they may not write', () => {
    readOnlyDirectory((directory) => {
      expect(() => new SqliteViews(directory)).toThrow(/EACCES.*views\.sqlite/);
    });
  });

  it('say so when the file is no database', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'views.sqlite'), 'something else altogether, longer than a header'.repeat(100));
    expect(() => new SqliteViews(directory)).toThrow(StoreUnavailable);
  });

  it('say so when a collection is asked for that no prepared projection has', async () => {
    const views = new SqliteViews(temporaryDirectory());
    await expect(views.get('unheardOf', 'one')).rejects.toThrow(/unheardOf/);
    await views.close();
  });

  it('reject every call once they are closed', async () => {
    const views = new SqliteViews(temporaryDirectory());
    const { shape, lease, things } = await newProjection(views);
    await views.close();
    const list = {
      collection: things,
      where: {},
      prefix: {},
      order: 'oldest-first',
      after: undefined,
      limit: 1,
    } as const;
    const calls = [
      views.prepare(shape),
      views.get(things, 'one'),
      views.list(list),
      views.load(lease, things, ['one']),
      views.checkpoints(),
      views.acquire(lease, worker, HOUR_MS, everyoneLives),
      views.renew(lease, HOUR_MS),
      views.release(lease),
      views.commit({ lease, writes: [], position: '1' }),
      views.setStopped(lease, undefined),
      views.startGeneration(shape),
      views.promote(lease),
    ];
    const unavailable = { status: 'rejected', reason: expect.any(StoreUnavailable) };
    expect(await Promise.allSettled(calls)).toEqual(calls.map(() => unavailable));
  });
});
