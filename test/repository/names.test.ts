// A name has one meaning: no two files of the source export the same name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const EXPORT =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum)\s+(\w+)|^export (?:type )?\{([^}]*)\}/gm;

// Each module of a writer thread exports this name, by which the thread finds the operations of a store.
const PERMITTED = ['operationsOf'];

const exportsOf = (path: string): readonly string[] =>
  [...readFileSync(join(src, path), 'utf8').matchAll(EXPORT)].flatMap(([, name, list = '']) =>
    name === undefined ? [...list.matchAll(/(\w+)\s*(?:,|$)/g)].map(([, listed = '']) => listed) : [name],
  );

it('is exported by one file', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const exporting = new Map<string, Set<string>>();
  for (const path of files) {
    for (const name of exportsOf(path)) exporting.set(name, (exporting.get(name) ?? new Set()).add(path));
  }
  expect(exporting.size).toBeGreaterThan(1_000);
  const shared = [...exporting].filter(([, paths]) => paths.size > 1);
  expect(Object.fromEntries(shared.filter(([name]) => !PERMITTED.includes(name)))).toEqual({});
  expect(shared.map(([name]) => name)).toEqual(expect.arrayContaining(PERMITTED));
});
