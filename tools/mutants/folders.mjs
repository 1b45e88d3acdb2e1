// The folders of src that are mutated: those with tests that need neither a build nor another process.

/**
 * Maps each folder to what is unusual about it: its files (`pattern`) and the `tests` that prove it. Most have all files
 * within, and are proved by the unit tests of the same folder of test.
 */
export const folders = {
  audit: {},
  auth: { pattern: '*.ts', tests: ['test/auth/*.test.ts'] },
  'auth/codes': {},
  'auth/decisions': {},
  'auth/passwords': {},
  'auth/sessions': {},
  'auth/tokens': {},
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

/** Groups paths (`domain`, `src/domain/rules.ts`) by their folder, as the patterns of the files to mutate. */
export const targetsOf = (paths) => {
  const targets = new Map();
  for (const path of paths.map((given) => given.replace(/^src\//, '').replace(/\/$/, ''))) {
    for (const [folder, pattern] of foldersOf(path)) targets.set(folder, [...(targets.get(folder) ?? []), pattern]);
  }
  return targets;
};

/** Returns the folder of a path, or the folders within it, each with the pattern of the files that the path names. */
const foldersOf = (path) => {
  const within = Object.keys(folders).filter((name) => `${name}/`.startsWith(`${path}/`));
  if (within.length > 0) return within.map((folder) => [folder, filesOf(folder)]);
  // `auth/codes` comes after `auth`.
  const folder = Object.keys(folders).findLast((name) => path.startsWith(`${name}/`));
  if (folder === undefined) throw new Error(`${path} is in no folder of tools/mutants/folders.mjs`);
  return [[folder, path.endsWith('.ts') ? `src/${path}` : `src/${path}/**/*.ts`]];
};
