// The guarantees that every engine of the views gives for fields with periods, which lists of the past read.
import { describe, expect, it } from 'vitest';
import type { DocumentWrite, ListQuery, Period } from '../../src/infrastructure/views/views.js';
import { numbers, type Projected, type Store } from './views-harness.js';

/** Declares the tests of lists of the past. */
export const periodsSuite = (store: Store): void => {
  const period = (value: string, since: string, until: string): Period => ({ value, since, until });
  const withStatus = (status: readonly Period[], shift: readonly Period[] = []): Partial<DocumentWrite> => ({
    index: { owner: 'nobody', version: '1', name: 'a name', status, shift },
  });
  const listed = (projected: Projected, instant: string, status?: string) =>
    projected.listed({ during: { instant, values: { status } } });

  const inPages = async (projected: Projected, order: ListQuery['order'], status: string | undefined) => {
    const options = { order, during: { instant: '10', values: { status } }, limit: 4 };
    const listed: unknown[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await projected.list({ ...options, after });
      listed.push(...JSON.parse(page.json));
      after = page.next;
    }
    return listed;
  };

  describe('a list by the value of a field at an instant', () => {
    it('has the documents that had the value then, from the beginning of a period until before its end', async () => {
      const projected = await (await store.projection()).withThings(
        withStatus([period('new', '10', '20'), period('done', '20', '~')]),
        withStatus([period('new', '15', '~')]),
      );
      const found = await Promise.all(['09', '10', '15', '19', '20'].map((at) => listed(projected, at, 'new')));
      expect(found).toEqual([[], ['thing 1 1'], ['thing 1 1', 'thing 2 2'], ['thing 1 1', 'thing 2 2'], ['thing 2 2']]);
      expect(await listed(projected, '20', 'done')).toEqual(['thing 1 1']);
      expect(await listed(projected, '20', 'other')).toEqual([]);
    });

    it('has the documents that existed then if it asks for no value', async () => {
      const projected = await (await store.projection()).withThings(
        withStatus([period('new', '10', '20'), period('done', '20', '~')]),
        withStatus([period('new', '15', '~')]),
        withStatus([]),
        {},
      );
      expect(await listed(projected, '09')).toEqual([]);
      expect(await listed(projected, '14')).toEqual(['thing 1 1']);
      expect(await listed(projected, '20')).toEqual(['thing 1 1', 'thing 2 2']);
    });

    it('has a document once, even if it had the value more than once', async () => {
      const again = [period('new', '10', '20'), period('done', '20', '30'), period('new', '30', '~')];
      const projected = await (await store.projection()).withThings(withStatus(again));
      expect(await listed(projected, '35', 'new')).toEqual(['thing 1 1']);
      expect(await listed(projected, '25', 'new')).toEqual([]);
    });

    it('matches several fields at the same instant, and the other conditions', async () => {
      const projected = await (await store.projection()).withThings(
        withStatus([period('new', '10', '~')], [period('day', '10', '20'), period('night', '20', '~')]),
        withStatus([period('new', '10', '20')], [period('night', '10', '~')]),
      );
      const at = (instant: string) =>
        projected.listed({
          during: { instant, values: { status: 'new', shift: 'night' } },
          where: { owner: 'nobody' },
        });
      expect(await at('15')).toEqual(['thing 2 2']);
      expect(await at('25')).toEqual(['thing 1 1']);
      const other = { during: { instant: '15', values: { status: 'new' } }, where: { owner: 'somebody' } };
      expect(await projected.listed(other)).toEqual([]);
    });

    it('uses the periods that the document has now', async () => {
      const projected = await (await store.projection()).withThings(withStatus([period('new', '10', '~')]));
      const ended = withStatus([period('new', '10', '20'), period('done', '20', '~')]);
      await projected.commit(2, projected.thing('thing 1', 2, ended));
      expect(await listed(projected, '15', 'new')).toEqual(['thing 1 2']);
      expect(await listed(projected, '25', 'new')).toEqual([]);
    });

    it.each(['oldest-first', 'newest-first'] as const)('comes in pages in order of creation, %s', async (order) => {
      const projected = await store.projection();
      const writes = numbers(1, 9).map((n) =>
        projected.thing(`thing ${10 - n}`, n, withStatus([period(n % 3 ? 'new' : 'done', '10', '~')])),
      );
      await projected.commit(9, ...writes);
      const expected = (ns: readonly number[]) => {
        const created = ns.map((n) => `thing ${10 - n} ${n}`);
        return order === 'oldest-first' ? created : created.toReversed();
      };
      expect(await inPages(projected, order, 'new')).toEqual(expected([1, 2, 4, 5, 7, 8]));
      expect(await inPages(projected, order, undefined)).toEqual(expected(numbers(1, 9)));
    });

    it('reads the live generation', async () => {
      const projected = await (await store.projection()).withThings(withStatus([period('new', '10', '~')]));
      const building = await projected.startRebuild();
      await building.commit(1, building.thing('thing 1', 1, withStatus([period('done', '10', '~')])));
      expect(await listed(projected, '15', 'new')).toEqual(['thing 1 1']);
      expect(await store.views.promote(building.lease)).toBe(true);
      expect(await listed(projected, '15', 'new')).toEqual([]);
      expect(await listed(projected, '15', 'done')).toEqual(['thing 1 1']);
    });
  });
};
