// npm run golden: writes docs/events.md, and adds the current version of every event type to the golden fixtures in
// test/domain/golden. Never changes a version that a fixture already has, because a release may have recorded it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allDeciders } from '../src/domain/all.js';
import { upcastersOf } from '../src/domain/decider.js';
import { upcastPayload } from '../src/infrastructure/facts/upcast.js';
import { fieldsOf } from './event-fields.js';
import { eventsDocument } from './events-doc.js';

type Golden = Record<string, { readonly fields?: readonly unknown[]; readonly data: unknown }>;

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));

for (const decider of allDeciders) {
  for (const [type, schema] of Object.entries(decider.events)) {
    const file = `test/domain/golden/${type}.json`;
    const golden = existsSync(pathOf(file)) ? (JSON.parse(readFileSync(pathOf(file), 'utf8')) as Golden) : {};
    const upcasters = upcastersOf(decider, type);
    const current = `v${upcasters.length + 1}`;
    const before = golden[`v${upcasters.length}`];
    const made = before && { fields: undefined, data: upcastPayload(upcasters, upcasters.length, before.data) };
    const example = golden[current] ?? made;
    if (example === undefined)
      throw new Error(`${file} is missing: write {"v1": {"data": …}} with an example of a payload`);
    const fields = example.fields ?? fieldsOf(schema).map(({ description: _, ...field }) => field);
    golden[current] = { fields, data: example.data };
    const lines = Object.entries(golden).map(([version, content]) => `"${version}": ${JSON.stringify(content)}`);
    writeFileSync(pathOf(file), `{\n${lines.join(',\n')}\n}\n`);
  }
}
writeFileSync(pathOf('docs/events.md'), eventsDocument());
