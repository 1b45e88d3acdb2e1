// Tests that docs/operations.md has one table row for each variable.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { variables } from '../../src/config.js';

const rows = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\| `[A-Z_]+`(, `[A-Z_]+`)* \|/.test(line))
  .map((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
// Rows with several names point to a separate table.
const own = rows.filter((names) => names.length === 1).flat();
const named = rows.flat();

it.each(variables)('has %s', (variable) => expect(named).toContain(variable));

it('has no other variables in its tables, and describes no variable twice', () => {
  for (const name of named) expect(variables).toContain(name);
  expect(new Set(own).size).toBe(own.length);
});
