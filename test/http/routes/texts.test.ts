// Each text of each request is refused for its length before anything else reads it.
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { allRoutes, nameOf } from '../../../scripts/routes-doc.js';
import { instantParameter } from '../../../src/http/route/query.js';
import { RequestHeaders } from '../../../src/http/route/requests.js';
import { type TextPlace, textsOf, withField } from '../support/texts.js';

const LONG = 'x'.repeat(1_000_000);

interface Row extends TextPlace {
  readonly name: string;
  readonly root: z.ZodType;
}

const rowsOf = (name: string, root: z.ZodType | undefined): readonly Row[] =>
  root === undefined ? [] : textsOf(root).map((place) => ({ ...place, name: `${name} ${place.path.join('/')}`, root }));

const rows = [
  ...allRoutes.flatMap((route) => [
    ...rowsOf(`${nameOf(route)}:`, route.body),
    ...rowsOf(`${nameOf(route)}?`, route.query),
  ]),
  ...rowsOf('the query', z.object({ asOf: instantParameter })),
  ...rowsOf('the header', RequestHeaders),
];

/** The texts that are never refused, and so have no longest length. What reads them stops after a few characters. */
const UNBOUNDED = ['the header origin'];
const bounded = rows.filter(({ name }) => !UNBOUNDED.includes(name));

// Zod reports a failed union without aborting. What reads the bounds of a question reads at most 40 characters.
const inUnion = ({ name }: Row) => /metadata\/(min|max)Value$/.test(name);

const checksOf = ({ def: { checks = [] } }: z.ZodType) =>
  checks as readonly unknown[] as readonly z.core.$ZodCheck<string>[];

describe('a text that is too long', () => {
  it('is found in every request that has texts', () => {
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'POST /auth-service/signup: auth/password',
        'PUT /users/{id}: lastName',
        'POST /api/update-token: data/refresh_token',
        'POST /protocols/questionnaires: questions/0/options/0/optionText',
        'GET /users? email',
        ...UNBOUNDED,
      ]),
    );
  });

  it.each(bounded)('is refused by the first check: $name', ({ schema }) => {
    // A schema of a format would check the format first.
    expect(schema.def).not.toHaveProperty('format');
    const [first, ...others] = checksOf(schema);
    const spies = others.map((check) => vi.spyOn(check._zod, 'check'));
    const payload: z.core.ParsePayload<string> = { value: LONG, issues: [] };
    first?._zod.check(payload);
    expect(payload.issues).toMatchObject([{ continue: false }]);
    expect(schema.safeParse(LONG).error?.issues).toHaveLength(1);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it.each(bounded.filter((row) => !inUnion(row)))(
    'is not read by a rule of what contains it: $name',
    ({ root, within, path }) => {
      const rules = within.flatMap(checksOf).filter((check) => check._zod.def.check === 'custom');
      const spies = rules.map((check) => vi.spyOn(check._zod, 'check'));
      root.safeParse(withField({}, path, LONG));
      for (const spy of spies) expect(spy).not.toHaveBeenCalled();
      vi.restoreAllMocks();
    },
  );
});
