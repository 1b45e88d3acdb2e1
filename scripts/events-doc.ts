// Makes docs/events.md from the event schemas. A test holds the file against what this makes.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { allDeciders } from '../src/domain/all.js';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly minimum?: number;
}

const head = `# Events

Made from the event schemas in \`src/domain\` by \`npm run docs:events\`; a test fails where it is stale.

Each stream is named \`<aggregate>-<uuid>\`. An event says what happened, in the past tense; a \`Revised\` event carries the
content as it stands after it, so each event can be read alone. Once released, an event type never changes meaning: a new
shape is a new schema version with an upcaster.

## What comes with every event

| field | meaning |
|---|---|
| \`id\` | UUID v7, made once for the command: a retry appends the same ids and is recognised |
| \`type\` | the name below |
| \`at\` | ISO 8601 instant; within a stream it never goes back |
| \`actor\` | \`{id, roles}\`; \`anonymous\` where the service runs open |
| \`origin\` | the \`origin\` header of the request, where one was sent |
| \`correlationId\` | the trace: the trace id of \`traceparent\`, else the request's own |
| \`causationId\` | the id of the request, as in \`X-Request-Id\` |
| \`schemaVersion\` | the version of the payload's schema; 1 for every event below |

Its place is told by the log: \`stream\`, \`revision\` (from 0 in each stream) and \`position\` (opaque, ordered over all streams).
`;

/** The text of docs/events.md. */
export const eventsDocument = (): string =>
  [head, ...allDeciders.map(({ aggregate, events }) => aggregateSection(aggregate, events))].join('\n');

const aggregateSection = (aggregate: string, events: Readonly<Record<string, z.ZodType>>): string =>
  [`## \`${aggregate}-<id>\`\n`, ...Object.entries(events).map(([type, schema]) => eventSection(type, schema))].join(
    '\n',
  );

const eventSection = (type: string, schema: z.ZodType): string => {
  const rows = rowsOf(z.toJSONSchema(schema, { io: 'output' }) as Schema, '');
  return `### ${type}\n\n| field | type | |\n|---|---|---|\n${rows.join('\n')}\n`;
};

const rowsOf = (schema: Schema, prefix: string): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : ' (optional)';
    const row = `| \`${prefix}${name}\` | ${typeOf(field)}${optional} | ${field.description ?? ''} |`;
    return [
      row,
      ...rowsOf(field.items ?? field, field.items === undefined ? `${prefix}${name}.` : `${prefix}${name}[].`),
    ];
  });

const typeOf = ({ type, format, enum: values, anyOf, items }: Schema): string => {
  if (values !== undefined) return values.join(', ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return format === 'uuid' ? 'uuid' : (type ?? 'any');
};

const file = fileURLToPath(new URL('../docs/events.md', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, eventsDocument());
