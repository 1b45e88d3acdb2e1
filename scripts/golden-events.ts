// npm run golden: writes the current version of every event type to the golden fixtures in test/domain/golden. Never
// changes a version that a fixture already has, because a release may have recorded it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allDeciders } from '../src/domain/all.js';
import { upcastersOf } from '../src/domain/decider.js';
import { upcastPayload } from '../src/infrastructure/facts/upcast.js';
import { fieldsOf } from './event-fields.js';

type Golden = Record<string, { readonly fields: readonly unknown[]; readonly data: unknown }>;

// An example of each event type that has no fixture yet. Remove it when the fixture is committed.
const EXAMPLES: Readonly<Record<string, unknown>> = {};

for (const decider of allDeciders) {
  for (const [type, schema] of Object.entries(decider.events)) {
    const file = fileURLToPath(new URL(`../test/domain/golden/${type}.json`, import.meta.url));
    const golden = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Golden) : {};
    const upcasters = upcastersOf(decider, type);
    const current = upcasters.length + 1;
    const before = golden[`v${upcasters.length}`];
    const fields = fieldsOf(schema).map(({ description: _, ...field }) => field);
    const ofVersion = Object.entries(golden).filter(([name]) => name.split('.')[0] === `v${current}`);
    const isNew = ofVersion.at(-1)?.[1].fields.length !== fields.length;
    const isFirst = ofVersion.length === 0 && before !== undefined;
    const data = isFirst ? upcastPayload(upcasters, upcasters.length, before.data) : EXAMPLES[type];
    if (isNew && data === undefined) throw new Error(`EXAMPLES has no ${type}`);
    // A version that gains optional fields has a further fixture: v1, v1.1, v1.2.
    if (isNew) golden[`v${current}${ofVersion.length === 0 ? '' : `.${ofVersion.length}`}`] = { fields, data };
    const lines = Object.entries(golden).map(([version, content]) => `"${version}": ${JSON.stringify(content)}`);
    writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
  }
}
