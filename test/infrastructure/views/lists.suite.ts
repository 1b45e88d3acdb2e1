// The guarantees that every engine of the views gives for lists.
import { describe, expect, it } from 'vitest';
import { type DocumentWrite, type ListQuery, startingWith } from '../../../src/infrastructure/views/views.js';
import { numbers } from '../../support/items.js';
import type { Projected, Store } from './support/harness.js';

/** Declares the tests of lists. */
export const listsSuite = (store: Store): void => {
  describe('a list', () => {
    const orders = ['oldest-first', 'newest-first'] as const;
    const inOrder = <T>(items: readonly T[], order: ListQuery['order']) =>
      order === 'oldest-first' ? items : items.toReversed();
    const named = (name: string, owner = 'nobody') => ({
      body: JSON.stringify(name),
      index: { owner, version: '1', name },
    });

    /** Returns a projection whose nth document has the nth of these names. */
    const withNames = async (...names: readonly string[]): Promise<Projected> =>
      (await store.projection()).withThings(...names.map((name) => named(name)));

    describe.each(orders)('%s', (order) => {
      it('is sorted by creation, not by id or by the last change', async () => {
        const projected = await store.projection();
        for (const [index, id] of ['z', 'a', 'm'].entries())
          await projected.commit(index + 1, projected.thing(id, index + 1));
        await projected.commit(4, projected.thing('z', 4));
        expect(await projected.listed({ order })).toEqual(inOrder(['z 4', 'a 2', 'm 3'], order));
      });

      it.each([1, 2, 7, 20])('comes in pages of %i, each document once', async (limit) => {
        const names = numbers(1, 20).map(String);
        const projected = await withNames(...names);
        const pages: unknown[][] = [];
        for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
          const page = await projected.list({ order, after, limit });
          pages.push(JSON.parse(page.json));
          after = page.next;
        }
        expect(pages.flat()).toEqual(inOrder(names, order));
        expect(pages).toHaveLength(Math.ceil(names.length / limit));
      });

      it('continues after the end of a page, whatever was added or changed meanwhile', async () => {
        const projected = await withNames('1', '2', '3', '4');
        const { json, next } = await projected.list({ order, limit: 2 });
        await projected.commit(6, projected.thing('new', 5), projected.thing('thing 2', 6, { body: '"2 again"' }));
        const rest = await projected.listed({ order, after: next });
        const expected = { 'oldest-first': ['3', '4', 'new 5'], 'newest-first': ['2 again', '1'] };
        expect(JSON.parse(json)).toHaveLength(2);
        expect(rest).toEqual(expected[order]);
      });

      it('returns pages of the documents that match its filters', async () => {
        const odd = numbers(1, 12).map((n) => named(n % 2 ? `odd ${n}` : `even ${n}`));
        const fields = odd.map((each, n) =>
          n % 3 === 2 ? { ...each, index: { ...each.index, owner: 'someone' } } : each,
        );
        const projected = await (await store.projection()).withThings(...fields);
        const filter = { order, where: { owner: 'nobody' }, bounds: startingWith('name', 'odd'), limit: 2 };
        const first = await projected.list(filter);
        const second = await projected.list({ ...filter, after: first.next });
        const all = [first, second].flatMap(({ json }) => JSON.parse(json));
        expect(all).toEqual(inOrder(['odd 1', 'odd 5', 'odd 7', 'odd 11'], order));
        expect(second.next).toBeUndefined();
      });
    });

    describe('of large documents', () => {
      const KIB = 1_024;
      const sized = (kib: number) => ({ ...named('large'), body: JSON.stringify('x'.repeat(kib * KIB)) });
      /** Reads all pages. Returns the numbers of their documents. */
      const pagesOf = async (projected: Projected, options: Partial<ListQuery>) => {
        const counts: number[] = [];
        for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
          const page = await projected.list({ ...options, after });
          expect(page.places).toHaveLength(JSON.parse(page.json).length);
          expect(page.next ?? page.places.at(-1)).toBe(page.places.at(-1));
          counts.push(page.places.length);
          after = page.next;
        }
        return counts;
      };

      it.each(orders)('ends its pages after 2 MiB (%s)', async (order) => {
        const projected = await (await store.projection()).withThings(...numbers(1, 7).map(() => sized(600)));
        expect(await pagesOf(projected, { order })).toEqual([3, 3, 1]);
        expect(await pagesOf(projected, { order, limit: 2 })).toEqual([2, 2, 2, 1]);
        expect(await pagesOf(projected, { order, bounds: startingWith('name', 'lar') })).toEqual([3, 3, 1]);
      });

      it('has a document that is larger than a page on a page of its own', async () => {
        const projected = await (await store.projection()).withThings(sized(1), sized(3_000), sized(3_000), sized(1));
        expect(await pagesOf(projected, {})).toEqual([1, 1, 1, 1]);
      });

      it('counts bytes, not characters', async () => {
        const wide = { ...named('wide'), body: JSON.stringify('é'.repeat(600 * KIB)) };
        const projected = await (await store.projection()).withThings(wide, wide, wide);
        expect(await pagesOf(projected, {})).toEqual([1, 1, 1]);
      });

      it('has pages whose documents have places in the list', async () => {
        const projected = await withNames('1', '2', '3', '4');
        const { places } = await projected.list({ limit: 3 });
        expect(await projected.listed({ after: places[1] })).toEqual(['3', '4']);
      });
    });

    it('is empty if nothing matches, and beyond its end', async () => {
      const projected = await withNames('one');
      const last = (await store.views.load(projected.lease, projected.things, ['thing 1']))[0]?.created;
      for (const options of [{ where: { owner: 'x' } }, { bounds: startingWith('name', 'x') }, { after: last }]) {
        expect(await projected.list(options)).toEqual({ json: '[]', next: undefined, places: [] });
      }
    });

    it('has no next page if it ends with a full page', async () => {
      const projected = await withNames('one', 'two');
      expect((await projected.list({ limit: 2 })).next).toBeUndefined();
      expect((await projected.list({ limit: 1 })).next).toBeDefined();
    });

    it('compares values exactly', async () => {
      const owners = ['one', 'One', 'one ', 'on', 'o.*', '$one', 'ône', "'", ''];
      const fields = owners.map((owner) => ({ ...named(owner, owner), body: JSON.stringify(owner) }));
      const projected = await (await store.projection()).withThings(...fields);
      for (const owner of owners) expect(await projected.listed({ where: { owner } })).toEqual([owner]);
    });

    it('matches all of several conditions', async () => {
      const index = (owner: string, version: string) => ({ index: { owner, version, name: `${owner} ${version}` } });
      const projected = await (await store.projection()).withThings(index('a', '1'), index('a', '2'), index('b', '2'));
      expect(await projected.listed({ where: { owner: 'a', version: '2' } })).toEqual(['thing 2 2']);
    });

    it.each([
      { prefix: '', matches: ['chest', 'chest pain', 'chests', 'ches', 'a chest', 'Chest'] },
      { prefix: 'chest', matches: ['chest', 'chest pain', 'chests'] },
      { prefix: 'chest ', matches: ['chest pain'] },
      { prefix: 'C', matches: ['Chest'] },
    ])('finds the prefix "$prefix" in the same case', async ({ prefix, matches }) => {
      const projected = await withNames('chest', 'chest pain', 'chests', 'ches', 'a chest', 'Chest');
      expect(await projected.listed({ bounds: startingWith('name', prefix) })).toEqual(matches);
    });

    it.each(['.', '*', '%', '_', '$', '^', '(', '[', '\\', '\\E', '"', "'", '🩺', '\u{FFFD}', 'ß', '漢'])(
      'takes %s literally',
      async (prefix) => {
        const projected = await withNames(
          `${prefix}`,
          `${prefix}${prefix}`,
          `a${prefix}`,
          'a',
          `${prefix} z`,
          '\u{10FFFD}',
        );
        expect(await projected.listed({ bounds: startingWith('name', prefix) })).toEqual([
          prefix,
          `${prefix}${prefix}`,
          `${prefix} z`,
        ]);
      },
    );

    describe('by a field with a list of values', () => {
      const inPlaces = (places: readonly string[], groups: readonly string[] = []): Partial<DocumentWrite> => ({
        index: { owner: 'nobody', version: '1', name: 'a name', places, groups },
      });
      const at = (place: string) => ({ where: { places: place } });

      it('has exactly the documents with the value, each once', async () => {
        const projected = await (await store.projection()).withThings(
          inPlaces(['a', 'b']),
          inPlaces(['b', 'a', 'b']),
          inPlaces([]),
          inPlaces(['ab']),
          {},
        );
        expect(await projected.listed(at('a'))).toEqual(['thing 1 1', 'thing 2 2']);
        expect(await projected.listed(at('b'))).toEqual(['thing 1 1', 'thing 2 2']);
        expect(await projected.listed(at('A'))).toEqual([]);
        expect(await projected.listed(at(''))).toEqual([]);
        expect(await projected.listed()).toHaveLength(5);
      });

      it('matches the other conditions, too', async () => {
        const named = (name: string, places: readonly string[], groups: readonly string[]) => ({
          index: { owner: 'nobody', version: '1', name, places, groups },
        });
        const projected = await (await store.projection()).withThings(
          named('x', ['a', 'b'], ['g']),
          named('x', ['a'], ['h']),
          named('y', ['b', 'a'], ['h', 'g']),
        );
        expect(await projected.listed({ where: { places: 'a', groups: 'g' } })).toEqual(['thing 1 1', 'thing 3 3']);
        const all = { where: { groups: 'g', places: 'a', owner: 'nobody' }, bounds: startingWith('name', 'x') };
        expect(await projected.listed(all)).toEqual(['thing 1 1']);
      });

      it('uses the current values of the document', async () => {
        const projected = await (await store.projection()).withThings(inPlaces(['a', 'b']), inPlaces(['a']));
        await projected.commit(3, projected.thing('thing 1', 3, inPlaces(['b', 'c'])));
        expect(await projected.listed(at('a'))).toEqual(['thing 2 2']);
        expect(await projected.listed(at('c'))).toEqual(['thing 1 3']);
        await projected.commit(4, projected.thing('thing 1', 2, inPlaces(['late'])));
        expect(await projected.listed(at('late'))).toEqual([]);
        expect(await projected.listed(at('b'))).toEqual(['thing 1 3']);
      });

      it.each(orders)('comes in pages in order of creation, %s', async (order) => {
        const projected = await store.projection();
        const writes = numbers(1, 9).map((n) => projected.thing(`thing ${10 - n}`, n, inPlaces(n % 3 ? ['a'] : ['b'])));
        await projected.commit(9, ...writes);
        await projected.commit(10, projected.thing('thing 9', 10, inPlaces(['b', 'a'])));
        const options = { order, ...at('a'), limit: 4 };
        const { json, next } = await projected.list(options);
        const rest = await projected.list({ ...options, after: next });
        const listed = [json, rest.json].flatMap((page) => JSON.parse(page));
        expect(rest.next).toBeUndefined();
        expect(listed).toEqual(
          inOrder(['thing 9 10', 'thing 8 2', 'thing 6 4', 'thing 5 5', 'thing 3 7', 'thing 2 8'], order),
        );
      });

      it('reads the live generation', async () => {
        const projected = await (await store.projection()).withThings(inPlaces(['a']));
        const building = await projected.startRebuild();
        await building.commit(1, building.thing('thing 1', 1, inPlaces(['b'])));
        expect(await projected.listed(at('a'))).toEqual(['thing 1 1']);
        expect(await store.views.promote(building.lease)).toBe(true);
        expect(await projected.listed(at('a'))).toEqual([]);
        expect(await projected.listed(at('b'))).toEqual(['thing 1 1']);
      });
    });

    it('is counted over all of its pages, with its filters', async () => {
      const projected = await (await store.projection()).withThings(
        named('chest', 'a'),
        named('chest pain', 'a'),
        named('head', 'b'),
        { index: { owner: 'b', version: '1', name: 'hand', places: ['x', 'y'] } },
      );
      const counted = (options: Partial<ListQuery> = {}) =>
        store.beside.count({ collection: projected.things, where: {}, ...options });
      expect(await counted()).toBe(4);
      expect(await counted({ where: { owner: 'a' } })).toBe(2);
      expect(await counted({ where: { owner: 'b', places: 'x' } })).toBe(1);
      expect(await counted({ bounds: startingWith('name', 'ches') })).toBe(2);
      expect(await counted({ where: { owner: 'nobody' } })).toBe(0);
    });

    it('has only its collection, and is the same in other processes', async () => {
      const projected = await withNames('one');
      await projected.commit(2, { ...projected.thing('other', 2), collection: projected.others, index: {} });
      const query = { where: {}, order: 'oldest-first', after: undefined, limit: 10 } as const;
      expect((await store.beside.list({ ...query, collection: projected.things })).json).toBe('["one"]');
      expect((await store.beside.list({ ...query, collection: projected.others })).json).toBe('["other 2"]');
    });
  });
};
