// Lists the test files of the last run that kill no mutant alone, compared with the files that remain, the longest file
// first: `node tools/mutants/redundant.mjs`, after `ALL_KILLERS=1 npm run mutants`. A file on the list may still state a
// rule of its own, so read it before you remove it.
import { readdirSync, readFileSync } from 'node:fs';

const reports = new URL('../../.mutants/reports/', import.meta.url);

/** The files of tests that kill a mutant, for each mutant that a test kills. */
const killers = [];
const files = new Map();

for (const name of readdirSync(reports)) {
  const { files: mutated, testFiles } = JSON.parse(readFileSync(new URL(name, reports), 'utf8'));
  const fileOf = new Map();
  for (const [path, { tests }] of Object.entries(testFiles)) {
    files.set(path, readFileSync(path, 'utf8').split('\n').length - 1);
    for (const { id } of tests) fileOf.set(id, path);
  }
  // A mutant with which a test file does not load, or never ends, would be found by any file.
  const killed = Object.values(mutated).flatMap(({ mutants }) => mutants.filter(({ status }) => status === 'Killed'));
  for (const { killedBy = [] } of killed) killers.push(new Set(killedBy.map((id) => fileOf.get(id))));
}

const remaining = new Set(files.keys());
const aloneIn = (path) =>
  killers.filter((by) => by.has(path) && [...by].every((other) => other === path || !remaining.has(other))).length;

let lines = 0;
for (const [path, length] of [...files].toSorted(([, a], [, b]) => b - a)) {
  const alone = aloneIn(path);
  if (alone === 0) {
    remaining.delete(path);
    lines += length;
  }
  console.log(`${alone === 0 ? 'kills none alone' : `kills ${alone} alone`}: ${path} (${length} lines)`);
}
console.log(`${files.size - remaining.size} of ${files.size} files kill no mutant alone: ${lines} lines`);
