// Makes docs/events.md from the event schemas. A test holds the file against what this makes.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { allDeciders } from '../src/domain/all.js';
import type { Schemas } from '../src/domain/decider.js';
import { type PersonalPath, personalPathsOf } from '../src/domain/personal.js';

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

## Personal fields

What is marked **personal: sealed** is in the log only encrypted with a key of the person whose stream it is: the field is
null there, and its value in one more member of the payload, \`sealed\`. It is read as its value while the key is there,
and as null once the person was erased; null is also what was never said.
[architecture.md](architecture.md#decisions-worth-knowing) says how it is sealed, [auditing.md](auditing.md) what an
auditor sees of it.
`;

/** The text of docs/events.md. */
export const eventsDocument = (): string =>
  [head, ...allDeciders.map(({ aggregate, events }) => aggregateSection(aggregate, events))].join('\n');

const aggregateSection = (aggregate: string, events: Schemas): string => {
  const personal = personalPathsOf(events);
  const sections = Object.entries(events).map(([type, schema]) => {
    const sealed = new Set((personal.get(type) ?? []).map(nameOf));
    return eventSection(type, rowsOf(z.toJSONSchema(schema, { io: 'output' }) as Schema, '', sealed));
  });
  return [`## \`${aggregate}-<id>\`\n`, ...sections].join('\n');
};

const eventSection = (type: string, rows: readonly string[]): string =>
  `### ${type}\n\n| field | type | |\n|---|---|---|\n${rows.join('\n')}\n`;

/** A path as the rows name it: `list[].member`. */
const nameOf = (path: PersonalPath): string => path.join('.').replaceAll('.*', '[]');

const rowsOf = (schema: Schema, prefix: string, sealed: ReadonlySet<string>): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([member, field]) => {
    const name = `${prefix}${member}`;
    const optional = schema.required?.includes(member) ? '' : ' (optional)';
    const notes = [field.description ?? '', sealed.has(name) ? 'personal: sealed' : ''].filter((note) => note !== '');
    const row = `| \`${name}\` | ${typeOf(field)}${optional} | ${notes.join('; ')} |`;
    const isList = field.items !== undefined;
    return [row, ...rowsOf(field.items ?? field, isList ? `${name}[].` : `${name}.`, sealed)];
  });

const typeOf = ({ type, format, enum: values, anyOf, items }: Schema): string => {
  if (values !== undefined) return values.join(', ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return format === 'uuid' ? 'uuid' : (type ?? 'any');
};

const file = fileURLToPath(new URL('../docs/events.md', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, eventsDocument());
