import { describe, expect, it } from 'vitest';
import {
  type DecisionFilter,
  decisionLines,
  decisionPage,
  decisionPages,
  decisionTable,
  type ListedDecision,
} from '../../src/audit/decisions.js';
import type { StreamRange } from '../../src/infrastructure/facts/facts.js';
import type { Document } from '../../src/infrastructure/views/views.js';
import type { Decision } from '../../src/projections/decisions.js';
import { at } from '../infrastructure/views/support/harness.js';
import { uuidOf } from '../support/specification.js';

const [HERE, ELSEWHERE] = ['here', 'elsewhere'];

const decisionOf = (n: number): Decision => ({
  ...{ at: '2026-01-05T08:00:00.000Z', type: 'UserProfileApproved', decidedBy: 'operator', userId: uuidOf(n) },
  ...{ profileId: uuidOf(0xb00 + n), profileType: 'NURSE', before: 'ANALYSING', after: 'APPROVED' },
  ...{ revision: 2, position: at(n) },
});

/** Returns the read of the documents of users' names. */
const namesOf =
  (nameOf: (id: string) => object | undefined) =>
  async (_: string, ids: readonly string[]): Promise<readonly Document[]> =>
    ids.flatMap((id) => {
      const name = nameOf(id);
      return name === undefined ? [] : [{ id, body: JSON.stringify({ id, ...name }), revision: 0, position: at(0) }];
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
    getAll: namesOf((id) => ({ firstName: 'Ana', lastName: null, institutionIds: [here.has(id) ? HERE : ELSEWHERE] })),
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
    expect([page.items, page.next, sources.reads()]).toEqual([[], at(1_761), 40]);
  });
});

describe('a listed decision', () => {
  const names = [
    { id: uuidOf(1), firstName: 'Ana', lastName: 'Souza', institutionIds: [ELSEWHERE] },
    { id: 'decided-5', firstName: '', lastName: 'Lima', institutionIds: [] },
  ];

  /** Returns the page of decisions on Ana at these revisions, each by another user, and the revisions that were read. */
  const listed = async (revisions: readonly number[], filter: DecisionFilter, known: typeof names) => {
    const read: (number | undefined)[] = [];
    const recorded = (revision: number) => ({
      revision,
      position: at(revision),
      data: { reason: `reason ${revision}` },
    });
    const found = revisions.map((revision) => ({
      ...decisionOf(1),
      ...{ revision, position: at(revision), decidedBy: `decided-${revision}` },
    }));
    const sources = {
      views: {
        list: async () => ({ json: JSON.stringify(found), next: undefined, places: [] }),
        getAll: namesOf((wanted) => known.find(({ id }) => id === wanted)),
      },
      facts: {
        readStream: async function* (stream: string, { from = 0, to = 0 }: StreamRange) {
          expect(stream).toBe(`user-${uuidOf(1)}`);
          for (let revision = from; revision <= to; revision += 1) {
            read.push(revision);
            yield { ...recorded(revision), metadata: { at: '2026-01-05T08:00:00.000Z' } };
          }
        },
      },
    };
    const { items } = await decisionPage(sources as never, filter, { after: undefined, limit: 10 });
    return { items, read };
  };

  it('has its reason, and the names that its persons have now, and costs one read of what lies between', async () => {
    const { items, read } = await listed([6, 5, 3], {}, names);
    expect(items.map(({ reason, decidedBy }) => [reason, decidedBy])).toEqual([
      ['reason 6', { id: 'decided-6', name: null }],
      ['reason 5', { id: 'decided-5', name: 'Lima' }],
      ['reason 3', { id: 'decided-3', name: null }],
    ]);
    expect(items.map(({ user }) => user)).toEqual(items.map(() => ({ id: uuidOf(1), name: 'Ana Souza' })));
    expect(read).toEqual([3, 4, 5, 6]);
  });

  it('costs no read of what lies between if that is more than a page', async () => {
    const { items, read } = await listed([1_259, 1_003, 1_001, 4], {}, names);
    expect(items.map(({ reason }) => reason)).toEqual(['reason 1259', 'reason 1003', 'reason 1001', 'reason 4']);
    expect([read.length, read.slice(0, 4)]).toEqual([260, [4, 1_001, 1_002, 1_003]]);
  });

  it.each([
    [ELSEWHERE, names, 1],
    [HERE, names, 0],
    [ELSEWHERE, [], 0],
  ])('is of the institution %s if its user is known there', async (institutionId, known, count) =>
    expect((await listed([2], { institutionId }, known)).items).toHaveLength(count),
  );

  it('is a line of JSON, and a row of a table that may begin with a byte order mark', async () => {
    const { items } = await listed([6, 5], {}, names);
    const pages = async function* () {
      yield* [items, []];
    };
    const texts = async (parts: AsyncIterable<string>) => {
      const found: string[] = [];
      for await (const part of parts) found.push(part);
      return found;
    };
    const lines = await texts(decisionLines(pages()));
    expect(lines.flatMap((text) => text.split('\n').slice(0, -1)).map((line) => JSON.parse(line))).toEqual(items);
    const head =
      'at,type,reason,decidedById,decidedByName,userId,userName,profileId,profileType,before,after,revision\r\n';
    expect((await texts(decisionTable(pages())))[0]).toBe(head);
    expect((await texts(decisionTable(pages(), true)))[0]).toBe(`\uFEFF${head}`);
  });
});

/** Returns the table of decisions on Ana with these reasons. The name of the person who decided is the reason, too. */
const tableOf = async (reasons: readonly (string | null)[]): Promise<string> => {
  const { position: _, userId, decidedBy, ...rest } = decisionOf(1);
  const items = reasons.map((reason) => {
    const by = { id: decidedBy, name: reason };
    return { ...rest, reason, decidedBy: by, user: { id: userId, name: '-Ana' } };
  });
  const pages = (async function* () {
    yield items;
  })();
  const texts: string[] = [];
  for await (const text of decisionTable(pages)) texts.push(text);
  return texts.join('');
};

describe('a cell of CSV', () => {
  const row = (cell: string) =>
    `2026-01-05T08:00:00.000Z,UserProfileApproved,${cell},operator,${cell},${uuidOf(1)},'-Ana,${uuidOf(0xb01)},NURSE,ANALYSING,APPROVED,2\r\n`;

  it.each([
    [null, ''],
    ['Checked.', 'Checked.'],
    ['a, b', '"a, b"'],
    ['a "b"', '"a ""b"""'],
    ['a\r\nb', 'a b'],
    ['a\n\nb', 'a  b'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['@SUM(A1,A2)', '"\'@SUM(A1,A2)"'],
    ['a=1', 'a=1'],
    ['\t=1', "' =1"],
    ['\r=1', "' =1"],
    [' \u200B-1', "' \u200B-1"],
    ['\uFF1D1', "'\uFF1D1"],
    ['a;b', 'a b'],
    ['a\tb', 'a b'],
  ])('of %j is %j', async (reason, cell) => {
    const [, ...rows] = (await tableOf([reason])).split(/(?<=\r\n)/);
    expect(rows).toEqual([row(cell)]);
  });
});

/** Returns the cells of a table as a spreadsheet sees them. It sees quotes only at the beginning of a cell. */
const cellsOf = (table: string, separator: string, quote = '"'): readonly string[][] => {
  const rows: string[][] = [];
  const cell = new RegExp(`(?:${quote}((?:[^"]|"")*)"|)([^${separator}\r\n]*)(${separator}|\r\n|[\r\n]|$)`, 'y');
  for (let row: string[] = []; cell.lastIndex < table.length; ) {
    const [, quoted = '', rest = '', end] = cell.exec(table) ?? [];
    row.push(quoted.replaceAll('""', '"') + rest);
    if (end === separator) continue;
    rows.push(row);
    row = [];
  }
  return rows;
};

describe('the table of decisions', () => {
  const HOSTILE = [
    'Souza;=1+1;@SUM(1)',
    'a\r\n=1+1',
    'a\n2026-01-05T08:00:00.000Z;UserProfileApproved;=1+1',
    'a\r+1',
    'a\t-1\t@x',
    'a;"=1+1',
    'a;',
    '";=1+1;"',
    '";\n=1+1',
    '""";=1+1',
    '"\r\n"=1+1',
    'a"\n\n;+1;"b',
    'a,b;=1,@x;"',
    'a;\u200B=1',
    'a;\uFF1D1',
    '\u00AD\uFF0B1',
    '\u3164=1',
    '\u2060\t\u2800@x',
    '\uFE0F\uFE63 1',
    'a\u2028=1',
    'a\u0085;-1',
    '\u22121',
  ];
  const FORMULA = /^[\s\p{C}\p{DI}\u2800]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE63\u2212]/u;

  it.each([
    [',', 'with', '"', 12],
    [';', 'with', '"', 1],
    [';', 'without', '(?!)', 1],
    ['\t', 'with', '"', 1],
    ['\t', 'without', '(?!)', 1],
  ])('has no formula and no other row if it is read with %j and %s quotes', async (separator, _, quote, count) => {
    const rows = cellsOf(await tableOf(HOSTILE), separator, quote);
    expect(rows.flat().filter((cell) => FORMULA.test(cell))).toEqual([]);
    expect(rows.map((row) => row.length)).toEqual(Array.from({ length: HOSTILE.length + 1 }, () => count));
  });
});
