// Writes docs/events.md from the event schemas. A test compares the file with the result.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allDeciders } from '../src/domain/all.js';
import { type Schemas, schemaVersionOf } from '../src/domain/decider.js';
import { type PersonalPath, personalPathsOf } from '../src/domain/personal.js';
import { ENUMERATION, type Field, fieldsOf } from './event-fields.js';

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
| \`sessionId\` | on decisions about a profile: the session of the actor, as in \`SignedIn\` |
| \`address\` | on decisions about a profile: where the request came from, sealed under the key of the actor (\`sealedAddress\` in exported bundles); null once the actor was erased |
| \`correlationId\` | the trace: the trace id of \`traceparent\`, else the request's own |
| \`causationId\` | the id of the request, as in \`X-Request-Id\` |
| \`schemaVersion\` | the version of the payload's schema, as each event below names it. Readers get older versions in the current shape, with the current version; exported bundles hold what was recorded |

The log adds the place of each event: \`stream\`, \`revision\` (from 0 in each stream) and \`position\` (opaque, ordered over all streams).

## Personal fields

What is marked **personal: sealed** is in the log only encrypted with a key of the person whose stream it is: the field is
null there, and two more members of the payload have its value sealed (\`sealed\`) and its salted digest (\`digests\`). It is
read as its value while the key is there, and as null once the person was erased; null is also what was never said.
[decisions.md](decisions.md#personal-data) says how it is sealed, [auditing.md](auditing.md) what an
auditor sees of it.
`;

/** Returns the text of docs/events.md. */
export const eventsDocument = (): string => [head, ...allDeciders.map(aggregateSection)].join('\n');

const aggregateSection = (decider: (typeof allDeciders)[number]): string => {
  const { aggregate } = decider;
  const events: Schemas = decider.events;
  const personal = personalPathsOf(events);
  const sections = Object.entries(events).map(([type, schema]) => {
    const sealed = new Set((personal.get(type) ?? []).map(nameOf));
    return eventSection(
      headingOf(type, schemaVersionOf(decider, type)),
      fieldsOf(schema).map((field) => rowOf(field, sealed)),
    );
  });
  return [`## \`${aggregate}-<id>\`\n`, ...sections].join('\n');
};

const headingOf = (type: string, version: number): string =>
  version === 1 ? type : `${type}\n\nSchema version ${version}.`;

const eventSection = (heading: string, rows: readonly string[]): string =>
  `### ${heading}\n\n| field | type | |\n|---|---|---|\n${rows.join('\n')}\n`;

/** Returns a path as the rows name it: `list[].member`. */
const nameOf = (path: PersonalPath): string => path.join('.').replaceAll('.*', '[]');

const rowOf = ({ name, type, values, isOptional, description }: Field, sealed: ReadonlySet<string>): string => {
  const notes = [description, sealed.has(name) ? 'personal: sealed' : ''].filter((note) => note !== '');
  const inWords = type.replace(ENUMERATION, values.join(', '));
  return `| \`${name}\` | ${inWords}${isOptional ? ' (optional)' : ''} | ${notes.join('; ')} |`;
};

const file = fileURLToPath(new URL('../docs/events.md', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, eventsDocument());
