import { describe, expect, it } from 'vitest';
import { decisionPage, decisionPages, decisionTable, type ListedDecision } from '../../src/audit/decisions.js';
import type { Decision } from '../../src/projections/decisions.js';
import { at } from '../infrastructure/views/support/harness.js';
import { uuidOf } from '../support/specification.js';

const [HERE, ELSEWHERE] = ['here', 'elsewhere'];

const decisionOf = (n: number): Decision => ({
  ...{ at: '2026-01-05T08:00:00.000Z', type: 'UserProfileApproved', decidedBy: 'operator', userId: uuidOf(n) },
  ...{ profileId: uuidOf(0xb00 + n), profileType: 'NURSE', before: 'ANALYSING', after: 'APPROVED' },
  ...{ revision: 2, position: at(n) },
});

/** A read model with decisions of this many users, of whom every `nth` is attached to the institution HERE. */
const sourcesOf = (count: number, nth: number) => {
  const all = Array.from({ length: count }, (_, index) => decisionOf(count - index));
  const here = new Set(all.filter((_, index) => index % nth === nth - 1).map(({ userId }) => userId));
  let reads = 0;
  const views = {
    list: async ({ after, limit }: { readonly after: string | undefined; readonly limit: number }) => {
      reads += 1;
      const rest = all.filter(({ position }) => after === undefined || position < after);
      const page = rest.slice(0, limit);
      const places = page.map(({ position }) => position);
      return { json: JSON.stringify(page), next: page.length < limit ? undefined : places.at(-1), places };
    },
    getAll: async (_: string, ids: readonly string[]) =>
      ids.map((id) => {
        const institutionIds = [here.has(id) ? HERE : ELSEWHERE];
        const body = JSON.stringify({ id, firstName: 'Ana', lastName: null, institutionIds });
        return { id, body, revision: 0, position: at(1) };
      }),
  };
  return { views, facts: { readStream: async function* () {} }, reads: () => reads };
};

describe('the list of decisions of an institution', () => {
  const filter = { institutionId: HERE };
  const idsOf = (items: readonly ListedDecision[]) => items.map(({ user }) => user.id);

  it('has every decision once, whatever the limit of a page', async () => {
    const sources = sourcesOf(1_000, 7);
    const expected = Array.from({ length: 142 }, (_, n) => uuidOf(1_000 - (7 * n + 6)));
    for (const limit of [1, 40, 142, 200]) {
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await decisionPage(sources, filter, { after, limit });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...idsOf(page.items));
        after = page.next;
      } while (after !== undefined);
      expect(found).toEqual(expected);
    }
    const streamed: string[] = [];
    for await (const items of decisionPages(sources, filter, { after: undefined, limit: 100 })) {
      streamed.push(...idsOf(items));
    }
    expect(streamed).toEqual(expected.slice(0, 100));
  });

  it('ends a page early rather than read everything', async () => {
    const sources = sourcesOf(12_000, 20_000);
    const page = await decisionPage(sources, filter, { after: undefined, limit: 1 });
    expect([page.items, page.next, sources.reads()]).toEqual([[], at(2_001), 50]);
  });
});

describe('a cell of CSV', () => {
  const rowOf = async (reason: string | null) => {
    const { position: _, userId, decidedBy, ...rest } = decisionOf(1);
    const item = { ...rest, reason, decidedBy: { id: decidedBy, name: null }, user: { id: userId, name: '-Ana' } };
    const lines: string[] = [];
    for await (const text of decisionTable(
      (async function* () {
        yield [item];
      })(),
    ))
      lines.push(text);
    return lines.join('').split('\r\n').slice(1).join('\r\n');
  };
  const row = (reason: string) =>
    `2026-01-05T08:00:00.000Z,UserProfileApproved,${reason},operator,,${uuidOf(1)},'-Ana,${uuidOf(0xb01)},NURSE,ANALYSING,APPROVED,2\r\n`;

  it.each([
    [null, ''],
    ['Checked.', 'Checked.'],
    ['a, b', '"a, b"'],
    ['a "b"', '"a ""b"""'],
    ['a\r\nb', '"a\r\nb"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['@SUM(A1,A2)', '"\'@SUM(A1,A2)"'],
    ['a=1', 'a=1'],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
    [' \u200B-1', "' \u200B-1"],
    ['\uFF1D1', "'\uFF1D1"],
    ['a;b', '"a;b"'],
    ['a\tb', '"a\tb"'],
  ])('of %j is %j', async (reason, cell) => expect(await rowOf(reason)).toBe(row(cell)));
});
