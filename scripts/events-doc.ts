// Writes docs/events.md from the event schemas. A test fails if the file is out of date.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allDeciders } from '../src/domain/all.js';
import { type Schemas, schemaVersionOf } from '../src/domain/decider.js';
import { type PersonalPath, personalPathsOf } from '../src/domain/personal.js';
import { ENUMERATION, type Field, fieldsOf } from './event-fields.js';

const head = `# Events

Generated from the event schemas in \`src/domain\` by \`npm run docs:events\`. A test fails if this page is out of date.

Each stream is named \`<aggregate>-<uuid>\`. The type of an event says in the past tense what happened. A \`Revised\` event
carries the complete content after the revision, so each event can be read alone. A released event type never changes its
meaning: a new shape is a new schema version with an upcaster.

## Fields of every event

| field | meaning |
|---|---|
| \`id\` | UUID v7, created once for the command; a retry appends the same ids, so the service recognises it |
| \`type\` | the event type, the name of a section below |
| \`at\` | ISO 8601 instant; never decreases within a stream |
| \`actor\` | \`{id, roles}\`; \`anonymous\` in open mode |
| \`origin\` | the \`origin\` header of the request, if the client sent one |
| \`sessionId\` | on decisions about a profile: the session of the actor, as in \`SignedIn\` |
| \`address\` | on decisions about a profile: the client's address, sealed with the key of the actor (\`sealedAddress\` in exported bundles); null after the actor is erased |
| \`correlationId\` | the trace id of \`traceparent\`, else one that the service generates |
| \`causationId\` | the id of the request, as in \`X-Request-Id\` |
| \`schemaVersion\` | the version of the payload's schema, as listed below. Readers receive older events upcast to the current version; exported bundles hold the recorded version |

The log adds the place of each event: \`stream\`, \`revision\` (from 0 in each stream) and \`position\` (opaque, ordered across all streams).

## Personal fields

The log holds a field that is marked **personal: sealed** only encrypted, with a key of the person whose stream it is. In the
log the field itself is null. Two more members of the payload hold the encrypted values (\`sealed\`) and their salted digests
(\`digests\`). Readers get the value while the key exists, and null after the person is erased. Null can also mean that no
value was given. [decisions.md](decisions.md#personal-data) describes the encryption, [auditing.md](auditing.md) what
auditors see.
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

/** Returns a path in the notation of the tables: `list[].member`. */
const nameOf = (path: PersonalPath): string => path.join('.').replaceAll('.*', '[]');

const rowOf = ({ name, type, values, isOptional, description }: Field, sealed: ReadonlySet<string>): string => {
  const notes = [description, sealed.has(name) ? 'personal: sealed' : ''].filter((note) => note !== '');
  const inWords = type.replace(ENUMERATION, values.join(', '));
  return `| \`${name}\` | ${inWords}${isOptional ? ' (optional)' : ''} | ${notes.join('; ')} |`;
};

const file = fileURLToPath(new URL('../docs/events.md', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, eventsDocument());
