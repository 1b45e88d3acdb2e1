// The query plans of SQLite for the lists of the routes, with every combination of parameters. No statement scans a
// table or sorts a number of rows that grows with the table, and every index has a use.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { nameOf } from '../../scripts/routes-doc.js';
import { type DecisionFilter, decisionPage } from '../../src/audit/decisions.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { Read, typed } from '../../src/http/route/documents.js';
import { type List, Reader, type Resource } from '../../src/http/route/reading.js';
import type { Call, ReadOptions, Route } from '../../src/http/route/route.js';
import { routesOf, signInRoutesOf } from '../../src/http/routes.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { MAX_SORTED } from '../../src/infrastructure/views/sqlite/lists.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { DocumentWrite, Index, Indexed, ListQuery, Views } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { formPage } from '../../src/projections/listed-forms.js';
import { unreadableUsers } from '../../src/projections/unreadable-users.js';
import { at, leased } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { numbers } from '../support/items.js';

const ID = '01890000-0000-7000-8000-000000000000';
const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-02T00:00:00.000Z';

/** Returns values that the parameter accepts; undefined stands for a request without the parameter. */
const valuesOf = (name: string, parameter: z.ZodType): readonly (string | undefined)[] => {
  const inner =
    parameter instanceof z.ZodOptional || parameter instanceof z.ZodDefault ? parameter.unwrap() : parameter;
  if (inner instanceof z.ZodEnum) return [undefined, ...inner.options.map(String)];
  const candidates = ['name', ID, 'a@b.example', '1', at(1)];
  const taken = candidates.find((candidate) => parameter.safeParse(candidate).success);
  if (taken === undefined) throw new Error(`the test knows no value of the parameter ${name}`);
  return name === 'limit' ? ['1'] : [undefined, taken];
};

/** Returns every combination of the query parameters of a route. */
const queriesOf = ({ query }: Route): readonly unknown[] => {
  if (!(query instanceof z.ZodObject)) return [{}];
  let queries: readonly Readonly<Record<string, string | undefined>>[] = [{}];
  for (const [name, parameter] of Object.entries(query.shape)) {
    const values = valuesOf(name, parameter as z.ZodType);
    queries = queries.flatMap((each) => values.map((value) => ({ ...each, [name]: value })));
  }
  return queries.map((each) => query.parse(each));
};

/** Returns an app whose resources all exist and whose lists come from these views. */
const appWith = (views: Views): RouteContext => {
  const reader = new Reader({ views, opaque: async () => ({ seal: () => 'sealed' }) } as never);
  const read = async (resource: Resource<unknown>) =>
    (await resource.fromViews(typed(views), ID)) ?? new Read('{"enabled":true}', 0);
  const list = ({ items: _, period, ...list }: List, options: ReadOptions) =>
    period === undefined ? reader.list(list, options) : listAsOf(views, { ...list, period });
  return { views, reader: { read, list, caughtUp: async () => undefined } } as unknown as RouteContext;
};

// Reads the views directly, because the reader would wait for the log.
const listAsOf = async (views: Views, { projection, collection: own, where = {}, period, query }: List) => {
  const collection = own ?? projection;
  const given = Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined));
  const order = query.sort === 'createdAt' ? 'oldest-first' : 'newest-first';
  const page = { order, after: query.cursor, limit: query.limit } as const;
  const asked = { collection, where: given as Record<string, string>, ...page };
  return views.list({ ...asked, ...(period && { bounds: period }) });
};

/** Returns the calls of a route with every query, from callers who may see everything and from others. */
const callsOf = (route: Route): readonly Call<never, never, never>[] => {
  const instants = route.travelsInTime ? [undefined, '2026-01-01T00:00:00.000Z'] : [undefined];
  return queriesOf(route).flatMap((query) =>
    instants.flatMap((asOf) =>
      [true, false].map((seesAll) => {
        const readOptions = { asOf, consistency: undefined, list: () => '' };
        return { params: { id: ID }, query, readOptions, seesAll } as unknown as Call<never, never, never>;
      }),
    ),
  );
};

/** Makes every call of every list. Returns the names of the routes. */
const readAll = async (views: Views): Promise<readonly string[]> => {
  const app = appWith(views);
  const lists = [...routesOf(app), ...signInRoutesOf(app)].filter(isList);
  // A total with several filters is refused.
  const refused = (error: { readonly code?: string }) => expect(error.code).toBe('fields-refused');
  for (const route of lists) for (const call of callsOf(route)) await route.handle(call).catch(refused);
  await unreadableUsers(views)();
  const named = { list: (query: ListQuery) => views.list(query), getAll: async () => [] };
  await readDecisions(named);
  for (const status of [undefined, 'DRAFT'] as const)
    for (const after of [undefined, at(1)]) await formPage(named, { status }, { after, limit: 1 });
  return lists.map(nameOf);
};

/** Reads the list of decisions with every combination of filters. */
const readDecisions = async (views: Pick<Views, 'list' | 'getAll'>): Promise<void> => {
  const facts = { readStream: async function* () {} };
  const values = { decidedBy: ID, profileType: 'NURSE', approvalStatus: 'APPROVED', from: AT, to: LATER };
  let filters: readonly DecisionFilter[] = [{}];
  for (const each of Object.entries(values)) {
    filters = filters.flatMap((filter) => [filter, { ...filter, ...Object.fromEntries([each]) }]);
  }
  for (const filter of filters)
    for (const after of [undefined, at(1)]) await decisionPage({ views, facts }, filter, { after, limit: 1 });
};

const isList = ({ query, kind, path }: Route): boolean =>
  kind === 'view' &&
  (/\/(questionnaire|current)$/.test(path) || (query instanceof z.ZodObject && 'sort' in query.shape));

const sampleOf = ({ field, kind }: Index): Indexed =>
  ({ equal: ID, prefix: 'name', contains: [ID], ordered: field === 'until' ? LATER : AT })[kind];

/** Writes `count` documents into each collection. */
const fill = async (views: Views, count: number): Promise<void> => {
  for (const projection of allProjections) {
    const lease = await leased(views, { projection: projection.name, number: 1 });
    const writes = projection.collections.flatMap(({ name, indexes }) =>
      numbers(1, count).map((n): DocumentWrite => {
        const index = Object.fromEntries(indexes.map((each) => [each.field, sampleOf(each)]));
        const placed = { collection: name, id: n === 1 ? ID : `${n}`, position: at(n), created: at(n), revision: 0 };
        return { ...placed, body: '{"enabled":true}', index };
      }),
    );
    await views.commit({ lease, writes, position: at(count) });
  }
};

interface Plan {
  readonly sql: string;
  readonly steps: readonly string[];
}

/** Returns the statements that read all lists from collections of `count` documents, with their plans. */
const plansWith = async (count: number) => {
  const directory = temporaryDirectory();
  const views = new SqliteViews(directory);
  for (const projection of allProjections) await views.prepare(projection);
  await fill(views, count);
  const prepared = vi.spyOn(Database.prototype, 'prepare');
  const routes = await readAll(views);
  const statements = [...new Set(prepared.mock.calls.map(([sql]) => sql))];
  prepared.mockRestore();
  await views.close();
  const db = new Database(join(directory, 'views.sqlite'), { readOnly: true });
  const indexes = db
    .prepareValue<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all();
  const plans = statements.map((sql): Plan => {
    const rows = db.prepare<string[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    return { sql, steps: rows.all(...[...sql.matchAll(/\?/g)].map(() => '')).map(({ detail }) => detail) };
  });
  db.close();
  return { routes, plans, indexes };
};

const textOf = ({ sql, steps }: Plan) => [sql, ...steps].join('\n');
const sorts = ({ steps }: Plan) => steps.some((step) => step.includes('TEMP B-TREE'));
// A scan of an index in the order of the list ends when the page is full.
const IN_ORDER = /^SCAN documents USING (COVERING )?INDEX \w+_created$/;
const scans = ({ steps }: Plan) =>
  steps.some((step) => step.startsWith('SCAN ') && !/^SCAN \(subquery-\d+\)$/.test(step) && !IN_ORDER.test(step));
const isCountOf = (sql: string) => sql.startsWith('SELECT count(*) AS found ');
const isCountOfAll = ({ sql }: Plan) => /^SELECT count\(\*\) AS found FROM "\w+" AS documents$/.test(sql);

describe('the lists of the routes on SQLite', () => {
  let few: Awaited<ReturnType<typeof plansWith>>;
  let many: Awaited<ReturnType<typeof plansWith>>;
  beforeAll(async () => {
    few = await plansWith(2);
    many = await plansWith(MAX_SORTED + 1);
  });
  afterAll(() => vi.restoreAllMocks());

  it('include those that this test expects', () => {
    expect(few.routes).toContain('GET /profiles');
    expect(few.plans.length).toBeGreaterThan(50);
    expect(many.plans.length).toBeGreaterThan(50);
  });

  it('never scan a table', () => {
    const plans = [...few.plans, ...many.plans].filter((plan) => !isCountOfAll(plan));
    expect(plans.filter(scans).map(textOf)).toEqual([]);
  });

  it('sort only the few documents that match a prefix or bounds', () => {
    expect(many.plans.filter(sorts).map(textOf)).toEqual([]);
    const sorted = few.plans.filter(sorts);
    const followed = few.plans.filter(({ sql }) => / documents\."x_(name|at|since)" /.test(sql) && !isCountOf(sql));
    expect(sorted.length).toBeGreaterThan(0);
    expect(followed.filter((plan) => !sorts(plan)).map(textOf)).toEqual([]);
    for (const { steps } of sorted)
      expect(steps).toContainEqual(
        expect.stringMatching(/^SEARCH documents USING (COVERING )?INDEX \w+_(name|at|since) \(/),
      );
  });

  it('use every index', () => {
    const steps = [...few.plans, ...many.plans].flatMap((plan) => plan.steps).join('\n');
    const unused = few.indexes.filter(
      (index) => !steps.includes(` INDEX ${index} `) && !steps.includes(` INDEX ${index}\n`),
    );
    // Every list of these documents has a filter, and a list of unities has the few unities of one institution.
    expect(unused).toEqual([
      'unities_1_created',
      'unities_1_name',
      'forms_1_created',
      'protocols_1_created',
      'unreadableUsers_1_created',
    ]);
  });
});
