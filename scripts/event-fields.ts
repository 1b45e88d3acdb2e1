// Lists the fields of an event's payload, for docs/events.md and for the golden fixtures.
import type { z } from 'zod';
import { jsonSchemaOf } from '../src/http/request/json-schemas.js';

/** A field by its path in the payload: `list[].member`. */
export interface Field {
  readonly name: string;
  /** The type in words, with `enumeration` in place of the values of an enumeration. */
  readonly type: string;
  /** The values of an enumeration; empty for every other type. */
  readonly values: readonly string[];
  readonly isOptional: boolean;
  readonly description: string;
}

/** The word that replaces the values of an enumeration in a type. */
export const ENUMERATION = 'enumeration';

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

/** Returns the fields of a payload. The fields of an inner object follow the object. */
export const fieldsOf = (schema: z.ZodType): readonly Field[] => {
  const json = jsonSchemaOf(schema, { io: 'output' });
  const named = Object.entries(json['$defs'] ?? {}).map(([name, definition]) => [`#/$defs/${name}`, definition]);
  const definitions = new Map(named as [string, Schema][]);
  const inline = (_: string, value: { readonly $ref?: string }) => definitions.get(value?.$ref ?? '') ?? value;
  return fieldsIn(JSON.parse(JSON.stringify(json), inline) as Schema, '');
};

const fieldsIn = (schema: Schema, prefix: string): readonly Field[] =>
  Object.entries(schema.properties ?? {}).flatMap(([member, field]) => {
    const name = `${prefix}${member}`;
    const isOptional = !schema.required?.includes(member);
    const inner =
      field.items === undefined
        ? [field, ...(field.anyOf ?? [])].flatMap((each) => fieldsIn(each, `${name}.`))
        : fieldsIn(field.items, `${name}[].`);
    return [
      { name, type: typeOf(field), values: valuesOf(field), isOptional, description: field.description ?? '' },
      ...inner,
    ];
  });

const typeOf = ({ type, format, enum: values, anyOf, items }: Schema): string => {
  if (values !== undefined) return ENUMERATION;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return format === 'uuid' ? 'uuid' : [type ?? 'any'].flat().join(' or ');
};

const valuesOf = ({ enum: values, anyOf, items }: Schema): readonly string[] =>
  values ?? anyOf?.flatMap(valuesOf) ?? (items === undefined ? [] : valuesOf(items));
