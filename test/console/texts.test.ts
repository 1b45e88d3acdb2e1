// The words of refusals: each code that the routes of the console can give has words in each language, and no other.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { pt } from '../../console/src/texts/pt.js';
import { FieldErrorCode } from '../../src/domain/errors.js';
import { refusalsOf } from '../../src/http/openapi/refusals.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { groupsOf } from '../../src/http/routes.js';

const root = new URL('../../console/src/', import.meta.url).pathname;
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && file !== 'api/schema.ts',
);

const CALL = /\bapi\.(GET|POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g;
// The calls of the session itself (api/session.ts).
const OF_SESSION = /\b(post)\('([^']+)'/g;

const callsIn = (file: string, pattern: RegExp): string[] =>
  [...readFileSync(root + file, 'utf8').matchAll(pattern)].map(
    ([, method = '', path]) => `${method.toLowerCase()} ${path}`,
  );

const calls = new Set([...sources.flatMap((file) => callsIn(file, CALL)), ...callsIn('api/session.ts', OF_SESSION)]);
const routes = groupsOf({} as RouteContext).flatMap((group) => group.routes);
const routeOf = (call: string) => routes.find(({ method, path }) => `${method} ${path}` === call);
const given = new Set<string>(
  [...calls]
    .map(routeOf)
    .filter((route) => route !== undefined)
    .flatMap((route) => [...refusalsOf(route, 'open'), ...refusalsOf(route, 'required')]),
);

describe('the calls of the console', () => {
  it('are found in its sources', () => {
    expect(calls).toContain('post /api/update-token');
    expect(calls).toContain('put /users/{id}');
    expect(calls.size).toBeGreaterThan(20);
  });

  it('lead to routes', () => expect([...calls].filter((call) => routeOf(call) === undefined)).toEqual([]));
});

describe.each(Object.entries({ en, pt }))('the words of %s', (_, { problems, faults }) => {
  it('name each problem that a route of the console can give, and no other', () =>
    expect(Object.keys(problems).sort()).toEqual(['unreachable', ...given].sort()));

  it('name each fault of a field, and no other', () =>
    expect(Object.keys(faults).sort()).toEqual([...FieldErrorCode.options].sort()));
});
