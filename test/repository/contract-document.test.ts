// Tests the table of docs/contract.md against the routes and the OpenAPI document.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allRoutes, callersOf, nameOf } from '../../scripts/routes-doc.js';
import { openApiOf } from '../../src/http/openapi/document.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { successStatuses } from '../../src/http/route/route.js';
import { groupsOf } from '../../src/http/routes.js';
import { found, type OpenApiDocument, withReferencesResolved } from '../support/contract.js';

interface Row {
  readonly number: number;
  readonly endpoint: string;
  readonly status: string;
  readonly role: string;
  readonly nulls: string;
}

const text = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8');
const rows: readonly Row[] = [...text.matchAll(/^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \| .+ \|$/gm)].map(
  ([, number, endpoint = '', status = '', role = '', nulls = '']) => ({
    ...{ number: Number(number), endpoint: endpoint.replaceAll('`', ''), status, role, nulls },
  }),
);

const quoted = (part: string): readonly string[] => [...part.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

/** Returns the names in the sentences of section "User" that say what may be null. */
const nullOf = (start: string, end: string): readonly string[] => {
  const [, after = ''] = text.split(start);
  return quoted(after.split(end)[0] ?? '').filter((name) => name !== 'auth');
};
const profile = nullOf('- UserProfile: ', 'may be null');
const user = [...new Set([...nullOf('## User\n', '- UserProfile'), ...profile])];
const SHAPES: Readonly<Record<string, readonly string[]>> = { '[User](#user)': user, '[UserProfile](#user)': profile };

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

// Only the declarations are read. No handler runs, so the routes need no app.
const document = openApiOf(groupsOf({} as RouteContext), 'required');
const { paths } = withReferencesResolved(document) as unknown as OpenApiDocument;

const mayBeNull = ({ type, anyOf = [] }: Schema): boolean => [type].flat().includes('null') || anyOf.some(mayBeNull);

/** Returns the names of the members of a response that may be null. Those of `metadata` are the client's own. */
const nullsIn = ({ $ref, properties = {}, items, anyOf = [] }: Schema): readonly string[] => [
  ...($ref === undefined ? [] : nullsIn(found(document, $ref) as Schema)),
  ...Object.entries(properties).flatMap(([name, member]) => [
    ...(mayBeNull(member) ? [name] : []),
    ...(name === 'metadata' ? [] : nullsIn(member)),
  ]),
  ...(items === undefined ? [] : nullsIn(items)),
  ...anyOf.flatMap(nullsIn),
];

it('docs/contract.md has one row for each of the 27 endpoints', () =>
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 27 }, (_, index) => index + 1)));

describe.each(rows)('endpoint $number of docs/contract.md, $endpoint', ({ endpoint, status, role, nulls }) => {
  const route = allRoutes.find((each) => nameOf(each) === endpoint);
  const [method = '', path = ''] = endpoint.split(' ');
  const responses = Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {});
  const successes = responses.filter(([code]) => /^2|301/.test(code));

  it('has the statuses of the route and of the OpenAPI document', () => {
    expect(status).toBe(route && successStatuses(route).join(', '));
    expect(status.split(', ').toSorted()).toEqual(successes.map(([code]) => code).toSorted());
  });

  it('has the callers of the route', () => expect(role).toBe(route && callersOf(route)));

  it('names the members that may be null', () => {
    const schemas = successes.flatMap(([, { content = {} }]) => content['application/json']?.schema ?? []);
    const named = SHAPES[nulls] ?? quoted(nulls);
    expect(named.toSorted()).toEqual([...new Set(schemas.flatMap(nullsIn))].toSorted());
  });
});
