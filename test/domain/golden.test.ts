// Checks that every version of every released event keeps its shape. `npm run golden` adds a version.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Field, fieldsOf } from '../../scripts/event-fields.js';
import { allDeciders } from '../../src/domain/all.js';
import { upcastersOf } from '../../src/domain/decider.js';
import { upcastPayload } from '../../src/infrastructure/facts/upcast.js';
import { FORMAT } from '../../src/infrastructure/vault/store-format.js';

interface Golden {
  readonly fields: readonly Omit<Field, 'description'>[];
  readonly data: unknown;
}

const directory = fileURLToPath(new URL('golden', import.meta.url));
const goldenOf = (type: string) =>
  JSON.parse(readFileSync(`${directory}/${type}.json`, 'utf8')) as Readonly<Record<string, Golden>>;

const events = allDeciders.flatMap((decider) =>
  Object.entries(decider.events).map(([type, schema]) => ({ type, schema, upcasters: upcastersOf(decider, type) })),
);

/** Returns the version of a fixture: 1 of v1, and of v1.1, whose payload has gained optional fields. */
const versionOf = (fixture: string) => Number.parseInt(fixture.slice(1), 10);

const shapeOf = ({ name, type, isOptional }: Omit<Field, 'description'>) => ({ name, type, isOptional });

const EXAMPLE = 'write an example to test/domain/golden/<Event>.json, as CONTRIBUTING.md says, and run npm run golden';

describe('the released events', () => {
  it('are the events of the domain', () =>
    expect(readdirSync(directory).toSorted(), EXAMPLE).toEqual(events.map(({ type }) => `${type}.json`).toSorted()));

  it('have a format of the stores for each change of their types and versions', () => {
    const versions = events.reduce((count, { upcasters }) => count + 1 + upcasters.length, 0);
    const advice = 'raise FORMAT in src/infrastructure/vault/store-format.ts, and write both numbers here';
    expect({ format: FORMAT, versions }, advice).toEqual({ format: 11, versions: 50 });
  });

  it.each(events)('$type has a fixture for every version', ({ type, upcasters }) =>
    expect([...new Set(Object.keys(goldenOf(type)).map(versionOf))]).toEqual(
      [...upcasters, 'current'].map((_, index) => index + 1),
    ),
  );

  it.each(events)('$type keeps its shape within a version', ({ type, schema }) => {
    const { fields = [] } = Object.values(goldenOf(type)).at(-1) ?? {};
    const now = fieldsOf(schema);
    expect(now.map(shapeOf)).toEqual(fields.map(shapeOf));
    // An enumeration may grow within a version.
    for (const [index, { values }] of fields.entries())
      expect(now[index]?.values).toEqual(expect.arrayContaining([...values]));
  });

  it.each(events)('$type gains only optional fields within a version', ({ type }) => {
    const fixtures = Object.entries(goldenOf(type));
    for (const [index, [name, { fields }]] of fixtures.entries()) {
      const [next, grown] = fixtures[index + 1] ?? ['', undefined];
      if (grown === undefined || versionOf(next) !== versionOf(name)) continue;
      const known = new Set(fields.map((field) => field.name));
      expect(grown.fields.filter((field) => known.has(field.name)).map(shapeOf)).toEqual(fields.map(shapeOf));
      const gained = grown.fields.filter((field) => !known.has(field.name) && !field.name.includes('.'));
      expect(gained.map(shapeOf)).toEqual(gained.map((field) => ({ ...shapeOf(field), isOptional: true })));
    }
  });

  it.each(events)('$type of every version is read in its current shape', ({ type, schema, upcasters }) => {
    for (const [name, { data }] of Object.entries(goldenOf(type))) {
      const current = upcastPayload(upcasters, versionOf(name), data);
      expect(schema.parse(current)).toEqual(current);
    }
  });
});
