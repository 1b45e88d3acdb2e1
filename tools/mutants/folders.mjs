// The folders of src that are mutated: those with tests that need neither a build nor another process.

/** Maps each folder to what is unusual about it. Most are proved by the unit tests of the same folder of test. */
export const folders = {
  audit: {},
  auth: {},
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
  transparency: { tests: ['test/transparency', 'test/verifier'] },
};

/**
 * Returns the patterns of the test files that prove a folder. A mutant runs few tests that way, and a survivor shows
 * that the tests beside the code lack a rule.
 */
export const testsOf = (folder) => (folders[folder].tests ?? [`test/${folder}`]).map((path) => `${path}/**/*.test.ts`);

/** Groups paths (`domain`, `src/domain/rules.ts`) by their folder, as the patterns of the files to mutate. */
export const targetsOf = (paths) => {
  const targets = new Map();
  for (const path of paths.map((given) => given.replace(/^src\//, '').replace(/\/$/, ''))) {
    const folder = Object.keys(folders).find((name) => path === name || path.startsWith(`${name}/`));
    if (folder === undefined) throw new Error(`${path} is in no folder of tools/mutants/folders.mjs`);
    const pattern = path.endsWith('.ts') ? `src/${path}` : `src/${path}/**/*.ts`;
    targets.set(folder, [...(targets.get(folder) ?? []), pattern]);
  }
  return targets;
};
