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
    const data = before === undefined ? EXAMPLES[type] : upcastPayload(upcasters, upcasters.length, before.data);
    if (golden[`v${current}`] === undefined && data === undefined) throw new Error(`EXAMPLES has no ${type}`);
    golden[`v${current}`] ??= { fields: fieldsOf(schema).map(({ description: _, ...field }) => field), data };
    const lines = Object.entries(golden).map(([version, content]) => `"${version}": ${JSON.stringify(content)}`);
    writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
  }
}
