// Generates the JSON Schemas (2020-12) of requests and responses from their Zod schemas.
import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;
/** Whether a schema describes requests or responses. A default makes a member optional only in requests. */
export type Io = 'input' | 'output';

/** Returns the name of a schema; undefined if the schema is shown inline. */
export const nameOf = (schema: z.ZodType): string | undefined => schema.meta()?.['id'] as string | undefined;

/**
 * Returns the JSON Schema of a schema. The named schemas in it are in `$defs`. `formatsAlone`: whether to omit the
 * pattern of a schema that has a format.
 */
export const jsonSchemaOf = (
  schema: z.ZodType,
  { io, formatsAlone = false }: { readonly io: Io; readonly formatsAlone?: boolean },
): Json =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Zod means that programs must not change the value. JSON Schema would mean that requests must not contain it.
      delete jsonSchema.readOnly;
      if (formatsAlone && jsonSchema.format !== undefined) delete jsonSchema.pattern;
      const shown = z.globalRegistry.get(zodSchema)?.['openapi'];
      if (shown === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      Object.assign(jsonSchema, shown);
    },
  }) as Json;
