// The schemas that the OpenAPI document shows, as JSON Schema, made from those that requests and answers are parsed by.
import { z } from 'zod';
import { errorLimits } from './faults.js';
import { problemKinds } from './problem-kinds.js';
import type { Route } from './route.js';

type SchemaJson = Readonly<Record<string, unknown>>;

/** The name by which a schema is shown; undefined where it is shown in its place. */
export const nameOf = (schema: z.ZodType): string | undefined => schema.meta()?.['id'] as string | undefined;
/** What stands in the document for a schema that has a name. */
export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const options = (io: 'input' | 'output') =>
  ({
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Record<string, unknown> }) => {
      const shown = z.globalRegistry.get(zodSchema)?.['openapi'];
      if (shown === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, shown);
    },
  }) as const;

/** The named schemas of what routes answer, by name. */
export const schemasOf = (routes: readonly Route[]): SchemaJson => {
  const registry = z.registry<{ id: string }>();
  const add = (schema: z.ZodType): void => {
    const id = nameOf(schema);
    if (id === undefined || registry.has(schema)) return;
    registry.add(schema, { id });
    for (const part of partsOf(schema)) add(part);
  };
  for (const { answers } of routes) for (const schema of Object.values(answers)) add(schema);
  const { schemas } = z.toJSONSchema(registry, { ...options('output'), uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));
};

// The named schemas inside a schema: what an object's fields or an array's items are.
const partsOf = (schema: z.ZodType): readonly z.ZodType[] => {
  if (schema instanceof z.ZodObject)
    return Object.values(schema.shape as Record<string, z.ZodType>).flatMap(selfAndInner);
  if (schema instanceof z.ZodUnion) return (schema.options as readonly z.ZodType[]).flatMap(selfAndInner);
  return schema instanceof z.ZodArray || schema instanceof z.ZodNullable ? selfAndInner(innerOf(schema)) : [];
};
const innerOf = (schema: z.ZodArray | z.ZodNullable) =>
  (schema instanceof z.ZodArray ? schema.element : schema.unwrap()) as z.ZodType;
const selfAndInner = (schema: z.ZodType): readonly z.ZodType[] =>
  nameOf(schema) === undefined ? partsOf(schema) : [schema];

const bare = ({ $schema: _, $id: __, ...schema }: SchemaJson): SchemaJson => schema;
/** A schema in its place, as it is sent or as it is answered. */
export const inline = (schema: z.ZodType, io: 'input' | 'output'): SchemaJson =>
  bare(z.toJSONSchema(schema, options(io)) as SchemaJson);

/** The schema of problems. */
export const problemSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What to do next.' },
    instance: { type: 'string', description: 'The id of the request, as in X-Request-Id and in the log.' },
    code: { type: 'string', enum: Object.keys(problemKinds) },
    limit: {
      type: 'integer',
      description: 'The limit that the request would exceed; of a 413, the bytes of a body of this route, unpacked.',
    },
    bytes: { type: 'integer', description: 'Of `form-too-large`: how many bytes the form would have.' },
    lag: {
      type: 'object',
      description: 'Of `view-behind`: for how many seconds the next event of the read model has waited to be folded.',
      required: ['seconds'],
      properties: { seconds: { type: 'integer', minimum: 0 } },
    },
    knownParameters: {
      type: 'array',
      description: 'The query parameters that the address takes, if the request has others.',
      items: { type: 'string' },
    },
    errors: {
      type: 'array',
      description:
        'Everything that is wrong with the request, one item for each place; `errorsTruncated` says if more is.',
      maxItems: errorLimits.errors,
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          pointer: {
            type: 'string',
            maxLength: errorLimits.pointer,
            description: 'A JSON pointer into the body (RFC 6901). A longer one is cut and ends with an ellipsis (…).',
          },
          parameter: { type: 'string', description: 'The name of a path, query or header parameter.' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
    errorsTruncated: {
      const: true,
      description: 'More is wrong than `errors` says: the list ends at 100 items, or at 64 KiB.',
    },
  },
};
