// Generates the JSON Schemas (2020-12) of requests and responses from their Zod schemas.
import { z } from 'zod';

type SchemaJson = Readonly<Record<string, unknown>>;
/** Whether a schema describes requests or responses. A default makes a member optional only in requests. */
export type Io = 'input' | 'output';

/** Returns the name of a schema; undefined if the schema is shown inline. */
export const nameOf = (schema: z.ZodType): string | undefined => schema.meta()?.['id'] as string | undefined;

/** Returns a reference to the definition of a named schema. */
export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The options of generating a JSON Schema. */
interface Making {
  readonly io: Io;
  readonly metadata: z.core.$ZodRegistry<z.core.GlobalMeta>;
  /** Whether to omit the pattern of a schema that has a format. */
  readonly formatsAlone: boolean;
}

/** Collects the named schemas of the OpenAPI document. */
export class NamedSchemas {
  readonly #schemas = new Map<string, SchemaJson>();

  /** The schemas by name. */
  get all(): Readonly<Record<string, SchemaJson>> {
    return Object.fromEntries(this.#schemas);
  }

  /** Returns the JSON Schema of a schema, or a reference if the schema has a `name`. Collects the named schemas. */
  shown(schema: z.ZodType, io: Io, name?: string): SchemaJson {
    const shownAs = (schema.meta()?.['shownAs'] as z.ZodType | undefined) ?? schema;
    const { $defs = {}, ...json } = toJson(shownAs, { io, metadata: z.globalRegistry, formatsAlone: true });
    for (const [id, definition] of Object.entries($defs as Record<string, SchemaJson>)) this.add(id, definition);
    if (name === undefined) return inComponents(json);
    this.add(name, json);
    return reference(name);
  }

  /** Adds a schema. Throws if a different schema has the same name. */
  add(name: string, schema: SchemaJson): void {
    const added = inComponents(schema);
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(added)) {
      throw new Error(`two schemas are named ${name}: give one of them another id`);
    }
    this.#schemas.set(name, added);
  }
}

const inComponents = (schema: SchemaJson): SchemaJson =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));

const toJson = (schema: z.ZodType, { io, metadata, formatsAlone }: Making): SchemaJson => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    metadata,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // In OpenAPI it would mean that a request must not send the member.
      delete jsonSchema.readOnly;
      if (formatsAlone && jsonSchema.format !== undefined) delete jsonSchema.pattern;
      const shown = z.globalRegistry.get(zodSchema)?.['openapi'];
      if (shown === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      Object.assign(jsonSchema, shown);
    },
  });
  return json as SchemaJson;
};

/** The metadata of schemas, without their names. */
class WithoutNames extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get(schema: z.core.$ZodType) {
    const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {};
    return metadata;
  }
}

/** Returns the JSON Schema of a schema, with all nested schemas inline. */
export const inline = (schema: z.ZodType, io: Io): SchemaJson =>
  toJson(schema, { io, metadata: new WithoutNames(), formatsAlone: false });
