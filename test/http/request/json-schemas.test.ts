// The OpenAPI document has each named schema once, and no two schemas share a name.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inline, NamedSchemas } from '../../../src/http/request/json-schemas.js';

const Option = z.object({ text: z.string() }).meta({ id: 'TestOption' });
const Question = z.object({ options: z.array(Option), asked: z.iso.date().default('2026-01-31') });

describe('a named schema', () => {
  it('is a reference wherever it is used', () => {
    const schemas = new NamedSchemas();
    expect(schemas.shown(Question, 'input', 'AskRequest')).toEqual({ $ref: '#/components/schemas/AskRequest' });
    expect(schemas.shown(z.array(Option), 'input')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/TestOption' },
    });
    expect(Object.keys(schemas.all).toSorted()).toEqual(['AskRequest', 'TestOption']);
    expect(schemas.all['AskRequest']).toMatchObject({
      properties: { options: { items: { $ref: '#/components/schemas/TestOption' } } },
    });
  });

  it('shares its name with no other schema', () => {
    const schemas = new NamedSchemas();
    schemas.add('Name', { type: 'string' });
    schemas.add('Name', { type: 'string' });
    expect(() => schemas.add('Name', { type: 'number' })).toThrow('two schemas are named Name');
  });

  it('states a format without its pattern', () => {
    const schemas = new NamedSchemas();
    const date = { type: 'string', format: 'date', default: '2026-01-31' };
    expect(schemas.shown(Question.shape.asked, 'input')).toEqual(date);
  });
});

describe('an inline schema', () => {
  it('contains the named schemas in place of references', () => {
    expect(inline(Question, 'input')).toMatchObject({
      properties: { options: { items: { properties: { text: { type: 'string' } } } } },
    });
  });
});
