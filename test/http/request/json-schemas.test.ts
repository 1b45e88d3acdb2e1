// The OpenAPI document has each named schema once, and no two schemas share a name.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Components } from '../../../src/http/openapi/components.js';
import { jsonSchemaOf } from '../../../src/http/request/json-schemas.js';

const Option = z.object({ text: z.string() }).meta({ id: 'TestOption' });
const Question = z.object({ options: z.array(Option), asked: z.iso.date().default('2026-01-31') });

describe('a named schema', () => {
  it('is a reference wherever it is used', () => {
    const components = new Components();
    expect(components.schemaOf(Question, 'input', 'AskRequest')).toEqual({ $ref: '#/components/schemas/AskRequest' });
    expect(components.schemaOf(z.array(Option), 'input')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/TestOption' },
    });
    expect(Object.keys(components.schemas).toSorted()).toEqual(['AskRequest', 'TestOption']);
    expect(components.schemas['AskRequest']).toMatchObject({
      properties: { options: { items: { $ref: '#/components/schemas/TestOption' } } },
    });
  });

  it('shares its name with no other schema', () => {
    const components = new Components();
    components.add('schemas', 'Name', { type: 'string' });
    components.add('schemas', 'Name', { type: 'string' });
    expect(() => components.add('schemas', 'Name', { type: 'number' })).toThrow('two schemas are named Name');
  });

  it('states a format without its pattern', () => {
    const components = new Components();
    const date = { type: 'string', format: 'date', default: '2026-01-31' };
    expect(components.schemaOf(Question.shape.asked, 'input')).toEqual(date);
  });
});

describe('the schema of a whole document', () => {
  it('has the named schemas in its definitions, and a format with its pattern', () => {
    expect(jsonSchemaOf(Question, { io: 'input' })).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: {
        options: { items: { $ref: '#/$defs/TestOption' } },
        asked: { format: 'date', pattern: expect.any(String) },
      },
      $defs: { TestOption: { properties: { text: { type: 'string' } } } },
    });
  });
});

it.each([
  ['may be empty', z.string().min(2).meta({ mayBeEmpty: true }), { anyOf: [{ const: '' }] }],
  [
    'may be empty or one of several',
    z.union([z.literal('a'), z.literal('b')]).meta({ mayBeEmpty: true }),
    { anyOf: [{ const: 'a' }, { const: 'b' }, { const: '' }] },
  ],
  ['has a default', z.string().default('a'), { default: 'a' }],
])('a field that %s says so', (_, schema, shown) => {
  const found = jsonSchemaOf(schema, { io: 'input' });
  expect(found).toMatchObject(shown);
  expect(found).not.toHaveProperty('mayBeEmpty');
});

it('a field without a default shows none', () =>
  expect(jsonSchemaOf(z.string(), { io: 'input' })).not.toHaveProperty('default'));

it.each([
  ['input', z.email(), 'email'],
  ['output', z.email(), undefined],
  ['output', z.iso.date(), 'date'],
] as const)('a field of an %s has the format that clients may rely on', (io, schema, format) =>
  expect(jsonSchemaOf(schema, { io })['format']).toBe(format),
);
