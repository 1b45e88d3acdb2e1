// What every engine of the views promises of lists whose documents each have a period.
import { describe, expect, it } from 'vitest';
import { type DocumentWrite, type ListQuery, startingWith } from '../../../src/infrastructure/views/views.js';
import { numbers } from '../../support/items.js';
import { at, type Projected, type Store } from './support/harness.js';

/** What an index has of a document that had a status for a time. */
const during = (status: string, since: string, until: string, owner = 'nobody'): DocumentWrite['index'] => ({
  owner,
  version: '1',
  name: 'a name',
  status,
  since,
  until,
});

const inPeriod = (instant: string, status?: string): Pick<ListQuery, 'where' | 'bounds'> => ({
  where: status === undefined ? {} : { status },
  bounds: [
    { field: 'since', is: 'atMost', value: instant },
    { field: 'until', is: 'above', value: instant },
  ],
});

/** Declares the tests of lists of the past. */
export const periodsSuite = (store: Store): void => {
  /** Several things, each with the periods of its life; the documents of a thing count as created with the thing. */
  const withLives = async (...lives: readonly (readonly DocumentWrite['index'][])[]): Promise<Projected> => {
    const projected = await store.projection();
    const writes = lives.flatMap((life, n) =>
      life.map((index) =>
        projected.thing(`${n + 1}/${index['since']}`, n + 1, { body: `"thing ${n + 1} ${index['status']}"`, index }),
      ),
    );
    expect(await projected.commit(lives.length, ...writes)).toBe(true);
    return projected;
  };
  const listed = (projected: Projected, instant: string, status?: string) =>
    projected.listed(inPeriod(instant, status));

  const inPages = async (projected: Projected, order: ListQuery['order'], status: string | undefined) => {
    const found: unknown[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await projected.list({ ...inPeriod('20', status), order, limit: 4, after });
      found.push(...JSON.parse(page.json));
      after = page.next;
    }
    return found;
  };

  describe('a list of the documents whose period an instant is in', () => {
    it('has a document from the beginning of its period until before the end', async () => {
      const projected = await withLives(
        [during('new', '10', '20'), during('done', '20', '~')],
        [during('new', '15', '~')],
      );
      const found = await Promise.all(
        ['09', '10', '15', '19', '20'].map((instant) => listed(projected, instant, 'new')),
      );
      const [one, both] = [['thing 1 new'], ['thing 1 new', 'thing 2 new']];
      expect(found).toEqual([[], one, both, both, ['thing 2 new']]);
      expect(await listed(projected, '20', 'done')).toEqual(['thing 1 done']);
      expect(await listed(projected, '20', 'other')).toEqual([]);
      expect(await listed(projected, '14')).toEqual(['thing 1 new']);
      expect(await listed(projected, '20')).toEqual(['thing 1 done', 'thing 2 new']);
    });

    it('has one document of a thing that had the status more than once', async () => {
      const again = [during('new', '10', '20'), during('done', '20', '30'), during('new', '30', '~')];
      const projected = await withLives(again);
      expect(await listed(projected, '35', 'new')).toEqual(['thing 1 new']);
      expect(await listed(projected, '25', 'new')).toEqual([]);
    });

    it('matches the other conditions', async () => {
      const projected = await withLives([during('new', '10', '~')], [during('new', '10', '~', 'somebody')]);
      const { where, ...period } = inPeriod('15', 'new');
      expect(await projected.listed({ ...period, where: { ...where, owner: 'somebody' } })).toEqual(['thing 2 new']);
      const bounds = [...(period.bounds ?? []), ...startingWith('name', 'another')];
      expect(await projected.listed({ ...period, where, bounds })).toEqual([]);
    });

    it('follows the end of a period', async () => {
      const projected = await withLives([during('new', '10', '~')]);
      expect(await listed(projected, '25', 'new')).toEqual(['thing 1 new']);
      const ended = projected.thing('1/10', 2, { created: at(1), index: during('new', '10', '20') });
      await projected.commit(2, ended);
      expect(await listed(projected, '15', 'new')).toEqual(['1/10 2']);
      expect(await listed(projected, '25', 'new')).toEqual([]);
    });

    it.each(['oldest-first', 'newest-first'] as const)('comes in pages in order of creation, %s', async (order) => {
      const life = (n: number) => [
        ...numbers(10, 19).map((since) => during('old', `${since}`, `${since + 1}`)),
        during(n % 3 ? 'new' : 'done', '20', '30'),
        ...numbers(30, 39).map((since) => during('new', `${since}`, `${since + 1}`)),
      ];
      const projected = await withLives(...numbers(1, 9).map(life));
      const expected = (ns: readonly number[]) => {
        const created = ns.map((n) => `thing ${n} ${n % 3 ? 'new' : 'done'}`);
        return order === 'oldest-first' ? created : created.toReversed();
      };
      expect(await inPages(projected, order, 'new')).toEqual(expected([1, 2, 4, 5, 7, 8]));
      expect(await inPages(projected, order, undefined)).toEqual(expected(numbers(1, 9)));
    });
  });
};
