// Makes docs/events.md from the event schemas. `npm run golden` writes the page.
import { allDeciders } from '../src/domain/all.js';
import { type Schemas, schemaVersionOf } from '../src/domain/decider.js';
import { type PersonalPath, personalPathsOf } from '../src/domain/personal.js';
import { ENUMERATION, type Field, fieldsOf } from './event-fields.js';

const head = `# Events

Generated from the event schemas in \`src/domain\` by \`npm run golden\`. A test fails if this page is out of date.

Each stream is named \`<aggregate>-<uuid>\`. A \`Revised\` event carries the complete content after the revision, so each event can be
read alone.

## Fields of every event

| field | meaning |
|---|---|
| \`id\` | UUID v7 |
| \`type\` | what happened, in the past tense |
| \`at\` | ISO 8601 instant; never decreases within a stream |
| \`clock\` | the time of the process's clock, if it was more than a minute behind \`at\` (in \`metadata\`) |
| \`actor\` | \`{id, roles}\`; the id is \`anonymous\` without a token, and \`operator\` for the operator's tool |
| \`origin\` | the \`origin\` header of the request, if it is a web origin or a short name |
| \`sessionId\` | on decisions about a profile: the session of the actor, as in \`SignedIn\` |
| \`address\` | on decisions about a profile: the client's address, sealed with the key of the actor (\`sealedAddress\` in exported bundles); null after the actor is erased |
| \`correlationId\` | the trace id of \`traceparent\`, else one that the service generates |
| \`causationId\` | the id of the request, as in \`X-Request-Id\` |
| \`schemaVersion\` | the version of the payload's schema. Readers get older events in the current version, exported bundles the recorded one |

The log adds the place of each event: \`stream\`, \`revision\` (from 0 in each stream) and \`position\` (opaque, ordered across all streams).

## Personal fields

The log holds a field that is marked **personal: sealed** only encrypted, with a key of the person whose stream it is, in the member
\`sealed\` of the payload; the field itself is null. Readers get the value while the key exists, and null after the person is erased.
[decisions.md](decisions.md#personal-data) describes the encryption.
`;

/** Returns the text of docs/events.md. */
export const eventsDocument = (): string => {
  const shapes = new Map<string, string>();
  return [head, ...allDeciders.map((decider) => aggregateSection(decider, shapes))].join('\n');
};

/** `shapes` has where each shape of an inner object is described, so that the page describes it once. */
const aggregateSection = (decider: (typeof allDeciders)[number], shapes: Map<string, string>): string => {
  const events: Schemas = decider.events;
  const personal = personalPathsOf(events);
  const texts = new Map<string, string>();
  const sections = Object.entries(events).map(([type, schema]) => {
    const sealed = new Set((personal.get(type) ?? []).map(nameOf));
    const lines = fieldsOf(schema).map((field) => ({ name: field.name, line: lineOf(field, sealed) }));
    const text = described(type, lines, shapes);
    const same = texts.get(text);
    texts.set(text, type);
    const shown = same === undefined || lines.length < 3 ? text : `The fields of \`${same}\`.`;
    return `### ${headingOf(type, schemaVersionOf(decider, type))}\n\n${shown}\n`;
  });
  return [`## \`${decider.aggregate}-<id>\`\n`, ...sections].join('\n');
};

const headingOf = (type: string, version: number): string =>
  version === 1 ? type : `${type}\n\nSchema version ${version}.`;

interface Line {
  readonly name: string;
  readonly line: string;
}

/** Returns the lines of a payload. The members of a shape that the page has already described are left out. */
const described = (type: string, lines: readonly Line[], shapes: Map<string, string>): string => {
  const leftOut = new Set<Line>();
  const shown = lines.flatMap((line) => {
    if (leftOut.has(line)) return [];
    const members = lines.filter(({ name }) => name.startsWith(`${line.name}.`) || name.startsWith(`${line.name}[].`));
    const shape = shapeOf(line, members);
    const place = shapes.get(shape);
    if (members.length === 0) return [line.line];
    if (place === undefined) {
      shapes.set(shape, `\`${type}.${line.name}\``);
      return [line.line];
    }
    for (const member of members) leftOut.add(member);
    return [`${line.line}, as in ${place}`];
  });
  return shown.length === 0 ? 'No fields.' : shown.join('\n');
};

/** Returns the same text for an object as for a list of such objects. */
const shapeOf = ({ name }: Line, members: readonly Line[]): string =>
  members.map(({ line }) => line.replace(name, '').replace('`[].', '`.')).join('\n');

/** Returns a path in the notation of the lists: `list[].member`. */
const nameOf = (path: PersonalPath): string => path.join('.').replaceAll('.*', '[]');

const lineOf = ({ name, type, values, isOptional, description }: Field, sealed: ReadonlySet<string>): string => {
  const inWords = `${type.replace(ENUMERATION, values.join(', '))}${isOptional ? ' (optional)' : ''}`;
  const notes = [inWords, description, sealed.has(name) ? 'personal: sealed' : ''].filter((note) => note !== '');
  return `- \`${name}\`: ${notes.join('; ')}`;
};
