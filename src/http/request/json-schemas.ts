// Generates the JSON Schemas (2020-12) of requests and responses from their Zod schemas.
import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;
/** Whether a schema describes requests or responses. A default makes a member optional only in requests. */
export type Io = 'input' | 'output';

/** Returns the name of a schema; undefined if the schema is shown inline. */
export const schemaIdOf = (schema: z.ZodType): string | undefined => schema.meta()?.['id'] as string | undefined;

/** How to make a JSON Schema. `formatsAlone`: whether to omit the pattern of a schema that has a format. */
interface Making {
  readonly io: Io;
  readonly formatsAlone?: boolean;
}

/** Returns the JSON Schema of a schema. The named schemas in it are in `$defs`. */
export const jsonSchemaOf = (schema: z.ZodType, making: Making): Json =>
  z.toJSONSchema(schema, {
    io: making.io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      relax(jsonSchema, making);
      completeEmpty(jsonSchema, zodSchema);
      const shown = z.globalRegistry.get(zodSchema)?.['openapi'];
      if (shown === undefined) return;
      for (const key of Object.keys(jsonSchema))
        if (key !== 'description') delete jsonSchema[key as keyof typeof jsonSchema];
      Object.assign(jsonSchema, shown);
    },
  }) as Json;

const relax = (schema: z.core.JSONSchema.BaseSchema, { io, formatsAlone }: Making): void => {
  // Zod means that programs must not change the value. JSON Schema would mean that requests must not contain it.
  delete schema.readOnly;
  if (formatsAlone && schema.format !== undefined) delete schema.pattern;
  // Some validators refuse addresses that Zod accepts, so responses promise only texts.
  if (io === 'output' && schema.format === 'email') delete schema.format;
};

/** Adds the empty text to a field that may be empty, and its default, which Zod leaves out. */
const completeEmpty = (schema: z.core.JSONSchema.BaseSchema, { _zod: { def } }: z.core.$ZodTypes): void => {
  if (schema['mayBeEmpty']) schema.anyOf = [...(schema.anyOf ?? []), { const: '' }];
  delete schema['mayBeEmpty'];
  if (def.type === 'default') schema.default = def.defaultValue;
};
