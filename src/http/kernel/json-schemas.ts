// JSON Schemas (2020-12) of what is sent and answered, made from the schemas that parse and describe it.
import { z } from 'zod';

type SchemaJson = Readonly<Record<string, unknown>>;
/** Whether a schema is shown as it is sent or as it is answered: a default makes a member optional only where it is sent. */
export type Io = 'input' | 'output';

/** Returns the name by which a schema is shown; undefined if the schema is shown in its place. */
export const nameOf = (schema: z.ZodType): string | undefined => schema.meta()?.['id'] as string | undefined;

/** Returns a reference to the definition of a named schema. */
export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** How schemas are made. */
interface Making {
  readonly io: Io;
  readonly metadata: z.core.$ZodRegistry<z.core.GlobalMeta>;
  /** Whether a format stands for the pattern that spells it out. */
  readonly formatsAlone: boolean;
}

/** Collects the schemas that the OpenAPI document shows by their names. */
export class NamedSchemas {
  readonly #schemas = new Map<string, SchemaJson>();

  /** The schemas by name. */
  get all(): Readonly<Record<string, SchemaJson>> {
    return Object.fromEntries(this.#schemas);
  }

  /** Returns what stands for a schema, which is collected if it has a name, as are the named schemas inside. */
  shown(schema: z.ZodType, io: Io, name?: string): SchemaJson {
    const shownAs = (schema.meta()?.['shownAs'] as z.ZodType | undefined) ?? schema;
    const { $defs = {}, ...json } = toJson(shownAs, { io, metadata: z.globalRegistry, formatsAlone: true });
    for (const [id, definition] of Object.entries($defs as Record<string, SchemaJson>)) this.add(id, definition);
    if (name === undefined) return inComponents(json);
    this.add(name, json);
    return reference(name);
  }

  /** Adds a schema. Throws if another schema has its name: a client could not tell the two apart. */
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
      if (formatsAlone && jsonSchema.format !== undefined) delete jsonSchema.pattern;
      const shown = z.globalRegistry.get(zodSchema)?.['openapi'];
      if (shown === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      Object.assign(jsonSchema, shown);
    },
  });
  return json as SchemaJson;
};

/** What is said about schemas, but their names. */
class WithoutNames extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get(schema: z.core.$ZodType) {
    const { id: _, ...said } = z.globalRegistry.get(schema) ?? {};
    return said;
  }
}

/** Returns a schema with every schema inside in its place. */
export const inline = (schema: z.ZodType, io: Io): SchemaJson =>
  toJson(schema, { io, metadata: new WithoutNames(), formatsAlone: false });
