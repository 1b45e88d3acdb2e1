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
    const fields = fieldsOf(schema).map(({ description: _, ...field }) => field);
    if (before !== undefined) golden[current] ??= { data: upcastPayload(upcasters, upcasters.length, before.data) };
    if (golden[current] === undefined)
      throw new Error(`${file} is missing: write {"v1": {"data": …}} with an example of a payload`);
    // A payload may have gained optional fields: the example of v1 with them is v1.1.
    const lines = Object.entries(golden).map(
      ([version, example]) => `"${version}": ${JSON.stringify({ fields, ...example })}`,
    );
    writeFileSync(pathOf(file), `{\n${lines.join(',\n')}\n}\n`);
  }
}
writeFileSync(pathOf('docs/events.md'), eventsDocument());
