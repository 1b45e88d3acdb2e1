// The list of the forms of all protocols: what a page joins, filters and examines, and where the next page begins.
import { describe, expect, it } from 'vitest';
import type { ListQuery } from '../../src/infrastructure/views/views.js';
import { formPage } from '../../src/projections/listed-forms.js';
import { at } from '../infrastructure/views/support/harness.js';
import { numbers } from '../support/items.js';
import { uuidOf } from '../support/specification.js';

interface Stored {
  readonly name?: string;
  readonly institutionId?: string;
  readonly archived?: true;
  /** The protocol of the form, if it is not its own one. */
  readonly of?: number;
}

/** Returns views with one form of each protocol, and what was read from them. */
const viewsWith = (protocols: readonly (Stored | undefined)[], size = Number.POSITIVE_INFINITY) => {
  const reads: Pick<ListQuery, 'limit' | 'where'>[] = [];
  const looks: (readonly [collection: string, ids: readonly string[]])[] = [];
  const list = async ({ after, limit, where }: ListQuery) => {
    const from = after === undefined ? 0 : Number(after);
    const to = Math.min(from + limit, from + size, protocols.length);
    const places = numbers(from + 1, to).map(at);
    const forms = numbers(from + 1, to).map((n) => ({
      id: uuidOf(n),
      protocolId: `${protocols[n - 1]?.of ?? n}`,
      version: 1,
      status: 'DRAFT',
    }));
    reads.push({ limit, where });
    return { json: JSON.stringify(forms), places, next: to < protocols.length ? places.at(-1) : undefined };
  };
  const getAll = async (collection: string, ids: readonly string[]) => {
    looks.push([collection, ids]);
    return ids.flatMap((id) => {
      const stored = protocols[Number(id) - 1];
      if (stored === undefined) return [];
      const fields = { id, name: 'Pain', institutionId: uuidOf(1), prompt: null, ...stored };
      return [{ id, body: JSON.stringify(fields), revision: 0, position: at(1) }];
    });
  };
  return { views: { list, getAll }, reads, looks };
};

const versionsIn = ({ items }: { readonly items: readonly { readonly protocol: { readonly id: string } }[] }) =>
  items.map(({ protocol }) => Number(protocol.id));
const start = { after: undefined, limit: 50 };

describe('a page of forms', () => {
  it('shows each form with the id, the name and the institution of its protocol', async () => {
    const { views } = viewsWith([{ name: 'Falls' }]);
    const { items } = await formPage(views, {}, start);
    expect(items).toMatchObject([{ id: uuidOf(1), version: 1, protocol: { id: '1' } }]);
    expect(items[0]?.protocol).toEqual({ id: '1', name: 'Falls', institutionId: uuidOf(1) });
  });

  it('omits the forms of archived protocols, and those whose protocol is not stored yet', async () => {
    const { views } = viewsWith([{}, { archived: true }, undefined, {}]);
    expect(versionsIn(await formPage(views, {}, start))).toEqual([1, 4]);
  });

  it('has the forms of an institution, and of protocols whose names begin alike', async () => {
    const { views } = viewsWith([{ name: 'Émotion' }, { name: 'Em', institutionId: uuidOf(2) }, { name: 'Pain' }]);
    expect(versionsIn(await formPage(views, { institutionId: uuidOf(2) }, start))).toEqual([2]);
    expect(versionsIn(await formPage(views, { name: 'EM' }, start))).toEqual([1, 2]);
    expect(versionsIn(await formPage(views, { name: 'em', institutionId: uuidOf(1) }, start))).toEqual([1]);
  });

  it('is of the forms with a status, and reads as many as it shows', async () => {
    const { views, reads } = viewsWith([{}, {}]);
    await formPage(views, { status: 'DRAFT' }, { after: undefined, limit: 1 });
    await formPage(views, { status: 'DRAFT', institutionId: uuidOf(1) }, { after: undefined, limit: 1 });
    const where = { status: 'DRAFT' };
    expect(reads).toEqual([1, 256].map((limit) => ({ limit, where })));
  });

  it('reads each protocol once', async () => {
    const { views, looks } = viewsWith(
      numbers(1, 3).map((n) => ({ of: Math.min(n, 2) })),
      1,
    );
    expect(versionsIn(await formPage(views, {}, start))).toEqual([1, 2, 2]);
    expect(looks).toEqual([1, 2].map((n) => ['protocolNames', [`${n}`]]));
  });

  it('continues behind its last form, in the middle of what was read', async () => {
    const { views } = viewsWith(numbers(1, 300).map((n) => (n % 3 === 0 ? { name: 'Third' } : {})));
    const seen: number[] = [];
    let after: string | undefined;
    do {
      const page = await formPage(views, { name: 'third' }, { after, limit: 7 });
      seen.push(...versionsIn(page));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(numbers(1, 100).map((n) => 3 * n));
  });

  it('reads only as many forms as it shows, unless protocols are filtered or archived', async () => {
    const { views, reads } = viewsWith(numbers(1, 500).map((n) => (n === 2 ? { archived: true } : {})));
    expect(versionsIn(await formPage(views, {}, { after: at(10), limit: 5 }))).toEqual(numbers(11, 15));
    expect(reads.map(({ limit }) => limit)).toEqual([5]);
    expect(versionsIn(await formPage(views, {}, { after: undefined, limit: 5 }))).toEqual([1, 3, 4, 5, 6]);
    expect(reads.map(({ limit }) => limit)).toEqual([5, 5, 256]);
  });

  it('examines at most 10,000 forms, and then has fewer items and a cursor', async () => {
    const { views, reads } = viewsWith([...numbers(1, 12_000).map((): Stored => ({ archived: true })), {}]);
    const page = await formPage(views, { name: 'p' }, start);
    expect([page.items, page.next]).toEqual([[], at(39 * 256)]);
    expect(reads.length * 256).toBeLessThanOrEqual(10_000);
    expect(versionsIn(await formPage(views, { name: 'p' }, { ...start, after: page.next }))).toEqual([12_001]);
  });

  it('ends without a cursor at the end of the list, also if its last form fills it', async () => {
    const { views } = viewsWith([{}, {}], 1);
    expect(await formPage(views, {}, { after: undefined, limit: 2 })).toMatchObject({ next: undefined });
    expect((await formPage(views, {}, { after: undefined, limit: 1 })).next).toBe(at(1));
  });
});
