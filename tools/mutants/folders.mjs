// The folders of src that are mutated: those with tests that need neither a build nor another process.
import { readdirSync } from 'node:fs';

const SOURCE = new URL('../../src/', import.meta.url);
const foldersWithin = (folder) =>
  readdirSync(new URL(folder, SOURCE), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);

/**
 * Maps each folder to what is unusual about it: `pattern` (which of its files), `tests` (what proves it), and
 * `everySurvivorIsListed`. Of most folders all files are mutated, and the unit tests of the same folder of `test` prove
 * them.
 */
export const folders = {
  audit: {},
  auth: { pattern: '*.ts', tests: ['test/auth/*.test.ts'] },
  ...Object.fromEntries(foldersWithin('auth').map((name) => [name, {}])),
  'auth/tokens': { tests: ['test/auth/tokens/**/*.test.ts', 'test/auth/sessions/**/*.test.ts'] },
  commands: {},
  domain: { everySurvivorIsListed: true },
  'http/problems': {},
  'http/request': {},
  'http/route': {},
  'http/server': {},
  'infrastructure/facts': {},
  operations: {},
  projections: {},
  settings: {},
  transparency: { tests: ['test/transparency/**/*.test.ts', 'test/verifier/**/*.test.ts'] },
};

/**
 * Returns the patterns of the test files that prove a folder. A mutant runs few tests that way, and a survivor shows
 * that the tests beside the code lack a rule.
 */
export const testsOf = (folder) => folders[folder].tests ?? [`test/${folder}/**/*.test.ts`];

/** Returns the pattern of all files of a folder that are mutated with it. */
export const filesOf = (folder) => `src/${folder}/${folders[folder].pattern ?? '**/*.ts'}`;

/** Groups paths (`domain`, `src/domain/rules.ts`) by their folder, as a set of patterns of the files to mutate. */
export const targetsOf = (paths) => {
  const targets = new Map();
  for (const path of paths.map((given) => given.replace(/^src\//, '').replace(/\/$/, ''))) {
    for (const [folder, pattern] of foldersOf(path))
      targets.set(folder, (targets.get(folder) ?? new Set()).add(pattern));
  }
  return targets;
};

/** Returns the folder of a path, or the folders within it, each with the pattern of the files that the path names. */
const foldersOf = (path) => {
  const within = Object.keys(folders).filter((name) => `${name}/`.startsWith(`${path}/`));
  if (within.length > 0) return within.map((folder) => [folder, filesOf(folder)]);
  const folder = Object.keys(folders).find((name) => isIn(name, path));
  if (folder === undefined) throw new Error(`src/${path} is in no folder of tools/mutants/folders.mjs`);
  return [[folder, path.endsWith('.ts') ? `src/${path}` : `src/${path}/**/*.ts`]];
};

/** Returns whether a path is in a folder. A folder with a pattern has only the files beside each other. */
const isIn = (folder, path) =>
  path.startsWith(`${folder}/`) &&
  (folders[folder].pattern === undefined || /^[^/]+\.ts$/.test(path.slice(folder.length + 1)));
