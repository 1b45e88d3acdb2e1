// The parts of the OpenAPI document that operations share, collected while the operations are described.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type Io, type Json, jsonSchemaOf, schemaIdOf } from '../request/json-schemas.js';
import { responseHeaders } from '../response/response-headers.js';

export type HeaderName = keyof typeof responseHeaders;

export class Components {
  readonly schemas: Record<string, Json> = {};
  readonly parameters: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};
  readonly headers = responseHeaders;

  /** Adds a part and returns a reference to it. Throws if a different part of this kind has the same name. */
  add(kind: 'schemas' | 'parameters' | 'responses', name: string, part: Json): Json {
    const known = this[kind][name];
    if (known !== undefined && !isDeepStrictEqual(known, part)) {
      throw new Error(`two ${kind} are named ${name}: give one of them another name`);
    }
    this[kind][name] = part;
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** Returns the JSON Schema of a schema, or a reference to it if it has a name. `name`: the name if it has none. */
  schemaOf(schema: z.ZodType, io: Io, name?: string): Json {
    const shown = (schema.meta()?.['shownAs'] as z.ZodType | undefined) ?? schema;
    const { $schema: _, $defs = {}, ...json } = inComponents(jsonSchemaOf(shown, { io, formatsAlone: true }));
    for (const [id, definition] of Object.entries($defs)) this.add('schemas', id, definition);
    return name === undefined || schemaIdOf(schema) !== undefined ? json : this.add('schemas', name, json);
  }
}

export const headersNamed = (names: readonly HeaderName[]): Json =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };

const inComponents = (schema: Json): Json & { readonly $defs?: Readonly<Record<string, Json>> } =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
