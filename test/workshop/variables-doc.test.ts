// docs/operations.md has every variable that is read, each in one row of a table.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { variables } from '../../src/config.js';

const rows = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\| `[A-Z_]+`(, `[A-Z_]+`)* \|/.test(line))
  .map((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
// Rows that point to a table of their own.
const own = rows.filter((names) => names.length === 1).flat();
const named = rows.flat();

it.each(variables)('has %s', (variable) => expect(named).toContain(variable));

it('has no other in its tables, and describes none of them twice', () => {
  for (const name of named) expect(variables).toContain(name);
  expect(new Set(own).size).toBe(own.length);
});
