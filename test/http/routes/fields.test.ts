// Each field of each body: the values that a route refuses, with their pointer and code, and the limits that it accepts.
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { allRoutes, nameOf } from '../../../scripts/routes-doc.js';
import { RequestErrors } from '../../../src/http/problems/request-errors.js';
import { checkBody } from '../../../src/http/request/checking.js';
import { jsonSchemaOf } from '../../../src/http/request/json-schemas.js';
import { withField } from '../support/texts.js';
import { refusedFields } from './support/field-rows.js';
import type { Row } from './support/rows.js';

// The web client's union of bodies; web-client.e2e.test.ts tests both.
const UNION = 'POST /api/update-token';
const bodies = allRoutes.flatMap((route) =>
  route.body === undefined || nameOf(route) === UNION
    ? []
    : [{ name: nameOf(route), schema: route.body, example: route.example }],
);
type Body = (typeof bodies)[number];

/** Returns the refused fields of a body, each with its code. */
const faultsOf = (schema: z.ZodType, value: unknown): readonly string[] => {
  const refused = new RequestErrors();
  checkBody(schema, { value }, refused);
  return refused.errors.map(({ code, ...at }) => `${'pointer' in at ? at.pointer.slice(1) : at.parameter} ${code}`);
};

type Json = Record<string, unknown>;
/** Returns the longest text or the bound of a number that a row with `too-big` or `too-small` leaves valid. */
const nearestValid = ([, value, code]: Row): unknown => {
  const step = code === 'too-big' ? -1 : 1;
  if (typeof value === 'number') return value + step;
  if (code === 'too-small') return typeof value === 'string' ? `${value}x` : undefined;
  return typeof value === 'string' || Array.isArray(value) ? value.slice(1) : undefined;
};

/** Returns the pointers to the fields of a JSON Schema, whose named parts are in `$defs`. */
const fieldsOf = (whole: Json): readonly string[] => {
  const named = (whole['$defs'] ?? {}) as Json;
  const below = (schema: unknown, at: string): readonly string[] => {
    const { $ref, properties = {}, items, anyOf = [], allOf = [] } = schema as z.core.JSONSchema.JSONSchema;
    return [
      ...Object.entries(properties).flatMap(([key, field]) => [`${at}${key}`, ...below(field, `${at}${key}/`)]),
      ...(items === undefined ? [] : below(items, `${at}0/`)),
      ...[...anyOf, ...allOf].flatMap((each) => below(each, at)),
      ...($ref === undefined ? [] : below(named[$ref.replace('#/$defs/', '')], at)),
    ];
  };
  return below(whole, '');
};

const rowsOf = ({ name }: Body) => refusedFields[name] ?? [];
const titled = (row: Row) => [row[0], JSON.stringify(row[1])?.slice(0, 40), row[2], row] as const;
/** The fields that the service ignores, so that clients may send a response back. */
const IGNORED = ['PUT /users/{id} createdAt', 'PUT /users/{id} updatedAt'];

describe.each(bodies)('the body of $name', (body) => {
  const { name, schema, example } = body;

  it.each(rowsOf(body).map(titled))('refuses %s that is %s: %s', (...[, , , [field, value, code]]) => {
    expect(faultsOf(schema, withField(example, field.split('/'), value))).toContain(`${field} ${code}`);
  });

  it('accepts the longest and the smallest values of its fields', () => {
    for (const row of rowsOf(body).filter(([, , code]) => /^too-/.test(code))) {
      const [field, , code] = row;
      const valid = nearestValid(row);
      if (valid !== undefined)
        expect(faultsOf(schema, withField(example, field.split('/'), valid))).not.toContain(`${field} ${code}`);
    }
  });

  it('requires exactly the fields that have a row for it', () => {
    const required = rowsOf(body).filter(([field, , code]) => code === 'required' && !field.includes('/'));
    const oneOf = rowsOf(body).filter(([, value, code]) => value === undefined && code === 'one-of');
    const expected = [...required, ...oneOf].map(([field, , code]) => `${field} ${code}`);
    expect(faultsOf(schema, {}).toSorted()).toEqual(expected.toSorted());
  });

  it('has a row for each field', () => {
    const fields = fieldsOf(jsonSchemaOf(schema, { io: 'input' })).filter(
      (field) => !IGNORED.includes(`${name} ${field}`),
    );
    const tested = rowsOf(body).map(([field]) => field);
    expect([...new Set(fields)].filter((field) => !tested.includes(field))).toEqual([]);
  });
});
