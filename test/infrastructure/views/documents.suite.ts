// The guarantees that every engine of the views gives for documents and checkpoints.
import { describe, expect, it } from 'vitest';
import { startingWith, type Views } from '../../../src/infrastructure/views/views.js';
import { numbers } from '../../support/items.js';
import type { Projected, Store } from './support/harness.js';
import { at, firstOf, worker } from './support/harness.js';

/** Declares the tests of writing documents and checkpoints, and of reading them one by one. */
export const documentsSuite = (store: Store): void => {
  documents(store);
  checkpoints(store);
};

const documents = (store: Store) =>
  describe('a document', () => {
    const load = ({ lease, things }: Projected, ids: readonly string[], views = store.views) =>
      views.load(lease, things, ids);

    it('is read as it was written, also by other processes', async () => {
      const projected = await store.projection();
      const body = '{ "a.b": [null, {"$x": "naïve 🩺 \\"quoted\\"\\n"}],  "n": -0.10, "\\u0000": 1e21 }';
      await projected.commit(7, projected.thing('one', 7, { body, revision: 3 }));
      const document = { id: 'one', body, revision: 3, position: at(7) };
      expect(await store.views.get(projected.things, 'one')).toStrictEqual(document);
      expect(await store.beside.get(projected.things, 'one')).toStrictEqual(document);
      const loaded = await load(projected, ['one'], store.beside);
      expect(loaded).toStrictEqual([{ ...document, created: at(7) }]);
    });

    it('is identified by its collection and its exact id', async () => {
      const projected = await store.projection();
      const ids = ['one', 'One', 'one ', 'o.n/e', '$one', 'naïve', 'nai\u0308ve', "'", '%', '_'];
      const other = { collection: projected.others, index: {} };
      const writes = ids.flatMap((id) => [
        projected.thing(id, 1),
        projected.thing(id, 1, { ...other, body: '"other"' }),
      ]);
      await projected.commit(1, ...writes);
      for (const id of ids) {
        expect(await projected.body(id)).toBe(`"${id} 1"`);
        expect((await store.views.get(projected.others, id))?.body).toBe('"other"');
      }
      expect(await projected.body('ONE')).toBeUndefined();
    });

    it('is loaded with many others, and unknown ids are left out', async () => {
      const projected = await store.projection();
      const ids = numbers(1, 1_500).map(String);
      await projected.commit(1, ...ids.map((id) => projected.thing(id, 1)));
      const loaded = await load(projected, [...ids, 'unknown']);
      expect(loaded.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      expect(await load(projected, [])).toEqual([]);
    });

    it('is read as the last commit wrote it, also by other processes, however often it was read before', async () => {
      const projected = await store.projection();
      const one = { collection: projected.things, id: 'one' };
      const query = { collection: projected.things, where: { owner: 'nobody' } };
      const page = { ...query, order: 'oldest-first', after: undefined, limit: 10 } as const;
      const seenBy = async (views: Views) => ({
        document: (await views.get(one.collection, one.id))?.body,
        many: (await views.getAll(one.collection, [one.id])).map(({ body }) => body),
        listed: JSON.parse((await views.list(page)).json),
        count: await views.count(query),
      });
      for (const n of numbers(2, 5)) {
        await projected.commit(
          n,
          projected.thing('one', n, { created: at(2) }),
          projected.thing('nobody', n, { id: `${n}` }),
        );
        const body = `"one ${n}"`;
        const others = numbers(2, n).map((each) => `nobody ${each}`);
        const expected = {
          document: body,
          many: [body],
          listed: expect.arrayContaining([`one ${n}`, ...others]),
          count: n,
        };
        for (const views of [store.views, store.beside, store.views, store.beside]) {
          expect(await seenBy(views)).toEqual(expected);
        }
      }
    });

    it('is read with others of the live generation, and unknown ids are left out', async () => {
      const projected = await (await store.projection()).withThings({}, {}, {});
      const building = await projected.startRebuild();
      await building.commit(1, building.thing('thing 1', 1, { body: '"building"' }));
      const read = await store.beside.getAll(projected.things, ['thing 3', 'thing 1', 'unknown']);
      expect(read.map(({ body }) => body).toSorted()).toEqual(['"thing 1 1"', '"thing 3 3"']);
      expect(await store.beside.getAll(projected.things, [])).toEqual([]);
    });

    it('is visited once by a walk over all documents, in ascending order of ids', async () => {
      const projected = await store.projection();
      const ids = numbers(1, 25).map((n) => `id ${n}`);
      await projected.commit(1, ...ids.map((id) => projected.thing(id, 1, { revision: 4 })));
      const visited: { readonly id: string }[] = [];
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const page = await store.beside.walk(projected.things, after);
        visited.push(...page);
        after = page.length < 10 ? undefined : page.at(-1)?.id;
      }
      expect(visited.map(({ id }) => id)).toEqual(ids.toSorted());
      expect(visited[0]).toStrictEqual({ id: 'id 1', body: '"id 1 1"', revision: 4, position: at(1) });
      expect(await store.views.walk(projected.others, undefined)).toEqual([]);
    });

    it('may be large', async () => {
      const projected = await store.projection();
      const body = JSON.stringify('é'.repeat(2_000_000));
      await projected.commit(1, projected.thing('large', 1, { body }));
      expect(await projected.body('large')).toBe(body);
    });

    it('is replaced by a later version, and keeps the position of its creation', async () => {
      const projected = await store.projection();
      await projected.withThings({}, {});
      const index = { owner: 'someone', version: '2', name: 'renamed' };
      await projected.commit(3, projected.thing('thing 1', 3, { revision: 8, index }));
      expect(await store.views.get(projected.things, 'thing 1')).toMatchObject({ revision: 8, position: at(3) });
      expect(await load(projected, ['thing 1'])).toMatchObject([
        { body: '"thing 1 3"', position: at(3), created: at(1) },
      ]);
      expect(await projected.listed()).toEqual(['thing 1 3', 'thing 2 2']);
      expect(await projected.listed({ where: { owner: 'someone' }, bounds: startingWith('name', 'ren') })).toEqual([
        'thing 1 3',
      ]);
      expect(await projected.listed({ where: { owner: 'nobody' } })).toEqual(['thing 2 2']);
    });

    it.each([
      { what: 'an older', n: 4 },
      { what: 'the same', n: 5 },
    ])('is not replaced by a version of $what position', async ({ n }) => {
      const projected = await store.projection();
      await projected.commit(5, projected.thing('one', 5));
      const late = projected.thing('one', n, {
        body: '"late"',
        revision: 99,
        index: { owner: 'x', version: 'x', name: 'x' },
      });
      expect(await projected.commit(6, late, projected.thing('two', 6))).toBe(true);
      expect(await store.views.get(projected.things, 'one')).toMatchObject({ body: '"one 5"', revision: 5 });
      expect(await projected.listed({ where: { owner: 'nobody' } })).toEqual(['one 5', 'two 6']);
    });

    it('is unchanged when its batch is committed twice', async () => {
      const projected = await store.projection();
      const batch = numbers(1, 50).map((n) => projected.thing(`thing ${n}`, n));
      for (let time = 1; time <= 2; time += 1) expect(await projected.commit(50, ...batch)).toBe(true);
      expect(await projected.listed()).toEqual(numbers(1, 50).map((n) => `thing ${n} ${n}`));
      expect(await projected.position()).toBe(at(50));
    });
  });

const checkpoints = (store: Store) =>
  describe('a checkpoint', () => {
    it('is written with each batch, even an empty one, and never goes back', async () => {
      const projected = await store.projection();
      const positions = [];
      for (const n of [5, 9, 7, 9, 10]) {
        expect(await projected.commit(n)).toBe(true);
        positions.push(await projected.position());
      }
      expect(positions).toEqual([at(5), at(9), at(9), at(9), at(10)]);
    });

    it('says what stopped the projection until that is cleared, also to other processes', async () => {
      const projected = await store.projection();
      await projected.commit(4);
      const stopped = { position: at(5), reason: 'TypeError: "it" is\nundefined' };
      await store.views.setStopped(projected.lease, stopped);
      const checkpoint = { ...firstOf(projected.shape), heldBy: worker, position: at(4), stopped };
      expect(await projected.checkpoints(store.beside)).toEqual([checkpoint]);
      expect(await projected.checkpoints()).toEqual([checkpoint]);
      await store.beside.setStopped(projected.lease, undefined);
      expect(await projected.checkpoints()).toEqual([{ ...checkpoint, stopped: undefined }]);
    });

    it('is stopped without stopping others', async () => {
      const [stopped, other] = [await store.projection(), await store.projection()];
      const building = await stopped.startRebuild();
      await store.views.setStopped(stopped.lease, { position: at(1), reason: 'it' });
      expect(await stopped.checkpoints()).toMatchObject([{ stopped: { reason: 'it' } }, { stopped: undefined }]);
      expect(await other.checkpoints()).toMatchObject([{ stopped: undefined }]);
      expect([await building.commit(1), await other.commit(1)]).toEqual([true, true]);
    });
  });
