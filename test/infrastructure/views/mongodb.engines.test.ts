import { type BulkWriteResult, Collection, type Db, MongoBulkWriteError, MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../../src/infrastructure/vault/mongodb.js';
import { MongoViews } from '../../../src/infrastructure/views/mongodb/views.js';
import type { Views } from '../../../src/infrastructure/views/views.js';
import { eventually } from '../../support/eventually.js';
import { numbers } from '../../support/items.js';
import { startMongoServer, withMongo } from '../../support/mongodb.js';
import { at, checkpointsOf, firstOf, HOUR_MS, leased, newProjection, newShape, takenOver } from './support/harness.js';
import { viewsSuite } from './views.suite.js';

const INDEXED = ['groups', 'name', 'owner', 'places', 'version'];
const viewsAt = (url: string) => new MongoViews(new MongoConnection(url));

/** Opens two engines on one store, as two processes do, and its database. They are closed with the test. */
const openBoth = (url: string): { views: Views; beside: Views; db: Db } => {
  const client = new MongoClient(url);
  const [views, beside] = [viewsAt(url), viewsAt(url)];
  onTestFinished(async () => {
    for (const each of [views, beside, client]) await each.close();
  });
  return { views, beside, db: client.db(`${client.db().databaseName}_views`) };
};

const namesIn = async (db: Db): Promise<string[]> => (await db.listCollections().toArray()).map(({ name }) => name);

withMongo('the views on MongoDB', (mongo) => {
  viewsSuite('MongoDB', () => {
    const url = mongo.newUrl();
    return () => viewsAt(url);
  });

  describe('the indexes', () => {
    it('exist once, however many processes create them at the same time', async () => {
      const { views, beside, db } = openBoth(mongo.newUrl());
      const shape = newShape();
      await Promise.all(numbers(1, 10).map((n) => (n % 2 ? views : beside).prepare(shape)));
      const keys = async (name: string) => (await db.collection(name).indexes()).map(({ key }) => JSON.stringify(key));
      const byField = INDEXED.map((field) => `{"x_${field}":1,"created":1,"x_since":1,"x_until":1}`);
      const within = '{"x_version":1,"x_status":1,"created":1,"x_since":1,"x_until":1}';
      const ordered = ['{"x_since":1,"created":1,"x_until":1}', '{"x_until":1,"created":1,"x_since":1}'];
      const always = ['{"_id":1}', '{"created":1,"x_since":1,"x_until":1}'];
      expect((await keys(`${shape.name}Things_1`)).toSorted()).toEqual(
        [...always, ...byField, within, ...ordered].toSorted(),
      );
      expect((await keys(`${shape.name}Others_1`)).toSorted()).toEqual(['{"_id":1}', '{"created":1}']);
    });

    it('exist in a new generation, too', async () => {
      const { views, db } = openBoth(mongo.newUrl());
      const { lease, things } = await (await newProjection(views)).startRebuild();
      expect(await db.collection(`${things}_${lease.number}`).indexes()).toHaveLength(10);
    });
  });

  describe('a batch of many bytes', () => {
    it('is written in parts, each with its own deadline, and is complete in the end', async () => {
      const { views } = openBoth(mongo.newUrl());
      const projected = await newProjection(views);
      const bulkWrite = vi.spyOn(Collection.prototype, 'bulkWrite');
      onTestFinished(() => bulkWrite.mockRestore());
      const body = JSON.stringify('x'.repeat(1_000_000));
      const ids = numbers(1, 30).map(String);
      expect(await projected.commit(30, ...ids.map((id, n) => projected.thing(id, n + 1, { body })))).toBe(true);
      const sizes = bulkWrite.mock.calls.map(([operations]) => operations.length);
      expect(Math.max(...sizes)).toBeLessThan(10);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(30);
      expect(await views.load(projected.lease, projected.things, ids)).toHaveLength(30);
    });
  });

  describe('a worker that was paused', () => {
    /** Returns a projection whose worker lost its lease to another process before it wrote its batch. */
    const lost = async () => {
      const { views, beside } = openBoth(mongo.newUrl());
      const late = await newProjection(views, beside);
      const lease = await takenOver(beside, late.lease);
      const commit = (n: number, ...ids: readonly string[]) =>
        beside.commit({ lease, position: at(n), writes: ids.map((id) => late.thing(id, n)) });
      return { late, beside, commit };
    };

    it('may write a document before its successor, which then writes the same document', async () => {
      const { late, beside, commit } = await lost();
      expect(await late.commit(5, late.thing('one', 5))).toBe(false);
      expect(await late.position()).toBeUndefined();
      expect(await commit(4, 'one', 'two')).toBe(true);
      expect(await late.body('one')).toBe('"one 5"');
      expect(await commit(5, 'one')).toBe(true);
      expect(await commit(6, 'one')).toBe(true);
      expect(await beside.get(late.things, 'one')).toMatchObject({ body: '"one 6"', position: at(6) });
      expect(await late.listed()).toEqual(['two 4', 'one 6']);
      expect(await late.position()).toBe(at(6));
    });

    it('never overwrites its successor when both create the same documents at the same time', async () => {
      const { late, commit } = await lost();
      for (const round of numbers(1, 5)) {
        const ids = numbers(1, 100).map((n) => `${round} ${n}`);
        const lost = late.commit(round * 10, ...ids.map((id) => late.thing(id, round * 10)));
        const won = commit(round * 10 + 1, ...ids);
        expect(await Promise.all([lost, won])).toEqual([false, true]);
        const listed = await late.listed({ limit: 1_000 });
        const expected = ids.map((id) => `${id} ${round * 10 + 1}`);
        expect(listed).toEqual(expect.arrayContaining(expected));
      }
    });

    // On a real server, an upsert that finds no document fails with a duplicate key if another process has just created
    // the `_id`, even with an older document. The stand-in never does, so the test throws the error in its place.
    it('does not win by creating a document while its successor creates it', async () => {
      const { late, commit } = await lost();
      const bulkResult = { getWriteConcernError: () => undefined } as BulkWriteResult;
      const bulkWrite = vi.spyOn(Collection.prototype, 'bulkWrite');
      onTestFinished(() => bulkWrite.mockRestore());
      bulkWrite.mockImplementationOnce(async () => {
        expect(await late.commit(1, late.thing('one', 1))).toBe(false);
        throw new MongoBulkWriteError(
          { code: 11_000, message: '', writeErrors: [{ code: 11_000, index: 1 }] as never },
          bulkResult,
        );
      });
      expect(await commit(2, 'another', 'one')).toBe(true);
      expect(await late.body('one')).toBe('"one 2"');
    });

    it('leaves no collection of a generation that was dropped meanwhile', async () => {
      const { views, db } = openBoth(mongo.newUrl());
      const late = await newProjection(views);
      const building = await late.startRebuild();
      await views.promote(building.lease);
      expect(await late.commit(1, late.thing('one', 1))).toBe(false);
      expect(await namesIn(db)).not.toContain(`${late.things}_1`);
      expect(await namesIn(db)).toContain(`${late.things}_2`);
    });
  });

  describe('a checkpoint', () => {
    it('that the store has lost ends the lease, so that the lost events are folded again', async () => {
      const { views, db } = openBoth(mongo.newUrl());
      const projected = await newProjection(views);
      await projected.commit(5, projected.thing('one', 5));
      await db
        .collection<{ _id: string }>('projections')
        .updateOne(
          { _id: projected.shape.name },
          { $set: { token: 'before', 'control.generations.1.position': at(3) } },
        );
      expect(await views.renew(projected.lease, HOUR_MS)).toBe(false);
      expect(await projected.commit(6)).toBe(false);
      const again = await leased(views, projected.lease);
      expect(await views.commit({ lease: again, writes: [], position: at(4) })).toBe(true);
      expect(await projected.position()).toBe(at(4));
    });
  });

  describe('a lease', () => {
    it('does not depend on the clock of the process that acquires it', async () => {
      const { views, beside } = openBoth(mongo.newUrl());
      const { lease } = await newProjection(views, beside);
      const now = Date.now();
      vi.spyOn(Date, 'now').mockReturnValue(now + 2 * HOUR_MS);
      onTestFinished(() => void vi.restoreAllMocks());
      expect(await beside.acquire(lease, 'host/2/other', HOUR_MS)).toBeUndefined();
    });
  });

  describe('a switch', () => {
    /** Returns a projection whose second generation another process has made live without dropping the first. */
    const switched = async () => {
      const { views, beside, db } = openBoth(mongo.newUrl());
      const projected = await (await newProjection(views, beside)).withThings({});
      const building = await projected.startRebuild();
      await building.commit(1, building.thing('thing 1', 1, { body: '"new"' }));
      expect(await projected.body('thing 1', beside)).toBe('"thing 1 1"');
      await db
        .collection<{ _id: string }>('projections')
        .updateOne(
          { _id: projected.shape.name },
          { $set: { token: 'next', 'control.live': 2 }, $unset: { 'control.generations.1': '' } },
        );
      return { projected, views, beside, db };
    };

    it('is noticed by other processes without a message', async () => {
      const { projected, beside } = await switched();
      await eventually(async () => expect(await projected.body('thing 1', beside)).toBe('"new"'));
    });

    it('is noticed immediately by a process that reads the checkpoints afterwards', async () => {
      const { projected, beside } = await switched();
      expect(await projected.checkpoints(beside)).toMatchObject([{ number: 2, state: 'live' }]);
      expect(await projected.body('thing 1', beside)).toBe('"new"');
    });

    it('that ended before the drop is cleaned up by the next start', async () => {
      const { projected, db } = await switched();
      await db.createCollection('somebodys');
      const other = await newProjection(openViews(mongo.newUrl()));
      expect(await namesIn(db)).toContain(`${projected.things}_1`);
      await projected.views.prepare(projected.shape);
      const names = await namesIn(db);
      expect(names.filter((name) => name.startsWith(projected.shape.name))).toHaveLength(2);
      expect(names).toEqual(expect.arrayContaining([`${projected.things}_2`, `${projected.others}_2`, 'somebodys']));
      expect(await projected.body('thing 1')).toBe('"new"');
      expect(await other.checkpoints()).toHaveLength(1);
    });
  });

  describe('read models of another format', () => {
    it('are dropped and built from the first event, under numbers that no former collection has', async () => {
      const { views, beside, db } = openBoth(mongo.newUrl());
      const shape = newShape();
      const things = `${shape.name}Things`;
      await db.collection<{ _id: string; live: number }>('projections').insertOne({ _id: shape.name, live: 3 });
      await db.collection<{ _id: string }>(`${things}_3`).insertOne({ _id: 'one' });
      expect(await views.checkpoints()).toEqual([]);
      await Promise.all(numbers(1, 10).map((n) => (n % 2 ? views : beside).prepare(shape)));
      const [first, ...others] = await checkpointsOf(beside, shape.name);
      expect([first, others]).toEqual([{ ...firstOf(shape), number: expect.any(Number) }, []]);
      expect(first?.number).toBeGreaterThan(3);
      expect(await namesIn(db)).not.toContain(`${things}_3`);
      expect(await beside.get(things, 'one')).toBeUndefined();
      const lease = await leased(views, { projection: shape.name, number: first?.number ?? 0 });
      expect(await views.commit({ lease, writes: [], position: at(1) })).toBe(true);
    });
  });

  describe('unavailable views on MongoDB', () => {
    it('are opened without the server, reject calls, and work once the server runs', async (context) => {
      const server = await startMongoServer(context);
      await server.end('SIGKILL');
      const views = openViews(server.url);
      const shape = newShape();
      await expect(views.prepare(shape)).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(views.get(`${shape.name}Things`, 'one')).rejects.toBeInstanceOf(StoreUnavailable);
      await server.start();
      await eventually(() => views.prepare(shape));
      expect(await checkpointsOf(views, shape.name)).toEqual([firstOf(shape)]);
    });

    it('reject calls while the server is down, and then have every commit that they acknowledged', async (context) => {
      const server = await startMongoServer(context);
      const { views, beside } = openBoth(server.url);
      const projected = await newProjection(views, beside);
      for (const n of numbers(1, 20)) await projected.commit(n, projected.thing(`thing ${n}`, n));
      await server.end('SIGKILL');
      // The first fails on the broken connection, the next because no connection is available.
      for (const _ of numbers(1, 2)) {
        await expect(projected.commit(21, projected.thing('thing 21', 21))).rejects.toBeInstanceOf(StoreUnavailable);
      }
      await expect(projected.list()).rejects.toBeInstanceOf(StoreUnavailable);
      await server.start();
      await eventually(() => projected.commit(21, projected.thing('thing 21', 21)));
      expect(await projected.listed()).toEqual(numbers(1, 21).map((n) => `thing ${n} ${n}`));
      expect(await projected.body('thing 20', beside)).toBe('"thing 20 20"');
      expect(await projected.position()).toBe(at(21));
    });

    it('reject calls while the server is silent, and recover afterwards', async (context) => {
      const server = await startMongoServer(context);
      const { views } = openBoth(server.url);
      const projected = await newProjection(views);
      await server.signal('SIGSTOP');
      await expect(projected.body('one')).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(views.renew(projected.lease, HOUR_MS)).rejects.toBeInstanceOf(StoreUnavailable);
      await server.signal('SIGCONT');
      await eventually(async () => expect(await views.renew(projected.lease, HOUR_MS)).toBe(true));
      expect(await projected.commit(1, projected.thing('one', 1))).toBe(true);
    });

    it('leave the vault on the same client open when they are closed', async () => {
      const connection = new MongoConnection(mongo.newUrl());
      const [views, vault] = [new MongoViews(connection), new MongoVault(connection)];
      await views.close();
      expect(await vault.insert({ kind: 'claim', key: 'one', value: 1 })).toBe(1);
      await vault.close();
    });
  });
});

const openViews = (url: string): Views => {
  const views = viewsAt(url);
  onTestFinished(() => views.close());
  return views;
};
