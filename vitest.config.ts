import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.js';
import { noEngines } from './test/support/no-engines.js';

const root = dirname(fileURLToPath(import.meta.url));

// Tests import from src/ and run what was built from it, worker threads included: what is tested is what is served.
const built: Plugin = {
  name: 'tests-run-the-build',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!source.startsWith('.') || importer === undefined) return null;
    const wanted = resolve(dirname(importer.split('?')[0] ?? importer), source);
    const inSource = resolve(root, 'src');
    if (!wanted.startsWith(`${inSource}/`) || importer.startsWith(inSource)) return null;
    const file = resolve(root, 'dist', wanted.slice(inSource.length + 1));
    if (!existsSync(file)) throw new Error(`${file} is not built`);
    return file;
  },
};

const cores = availableParallelism();
// Files share the modules of their worker: a third of the time of a short file is its imports. So module scope holds
// only what every file may share, and a test restores what it replaces (`onTestFinished`).
const shared = {
  isolate: false,
  setupFiles: ['./test/support/each-file.ts'],
  // A test that passes takes a fraction of the timeout. The rest is for a busy machine (test/support/eventually.ts waits
  // for up to 45 s).
  testTimeout: 90_000,
  hookTimeout: 90_000,
};
// What is built is JavaScript that Node.js loads by itself, faster than vitest does.
const native = { server: { deps: { external: [/\/dist\//] } } };
// In CI, one race in thousands of tests must not hide the result of all others: a failed test is run a second time,
// and the end of the run names it (test/support/closing-line.ts). A developer's run tries nothing twice.
const tries = { retry: process.env['CI'] ? 1 : 0 };
// Most files wait for processes and deadlines half of the time, so there are more workers than cores. The projects of a
// group run as one queue.
const waiting = { ...shared, ...native, ...tries, maxWorkers: Math.min(8, 2 * cores), sequence: { groupOrder: 1 } };

const missing = noEngines();
const INT = 'test/**/*.{int,engines}.test.ts';
const E2E = 'test/**/*.e2e.test.ts';
const HTTP = 'test/http/**/*.e2e.test.ts';
const ON_REAL_ENGINES = 'test/engines/**/*.test.ts';
const NO_ENGINES = 'test/support/no-engines.test.ts';
const httpTests = (...names: readonly string[]) => names.map((name) => `test/http/${name}.e2e.test.ts`);
// The HTTP tests that run on the embedded engines only.
const EMBEDDED_ONLY = [
  // They read the files of the embedded engines.
  ...httpTests('doctors', 'sign-in-secrets', 'sign-up-secrets'),
  // They prove what stands before every store: the parser, the router, the policy, the description and its problems.
  ...httpTests('admin-prefix', 'body-limits', 'compression', 'openapi', 'openapi-document', 'openapi-examples'),
  ...httpTests('parser-refusals', 'policy', 'query-parameters'),
  ...httpTests('sign-in-contract', 'surface', 'validation-bodies', 'validation-fields'),
  // They prove rules of people and sign-ins under settings of their own; the suites of the ports prove the stores.
  ...httpTests('changed-since-approval', 'initial-password', 'rare-refusals', 'step-up', 'takeover'),
  ...httpTests('who-decided', 'who-has-an-account'),
  // They start processes of their own, with the engines that they need.
  ...httpTests(
    'cors',
    'limits',
    'proxies',
    'queue-board',
    'queue-sign-in',
    'response-headers',
    'response-headers-origins',
  ),
];

// Pure tests. They need no engine and no build, so they run the source in threads that share their modules.
const unit = {
  test: {
    name: 'unit',
    ...shared,
    pool: 'threads' as const,
    maxWorkers: cores,
    include: ['test/**/*.test.ts'],
    exclude: [INT, E2E, NO_ENGINES],
    sequence: { groupOrder: 0 },
  },
};

// Tests of one engine or several, in the process of the test.
const int = {
  plugins: [built],
  test: { ...waiting, name: 'int', include: [INT] },
};

// The HTTP tests on the embedded engines. Files that run in one worker share a service (test/support/service-of-file.ts).
const embedded = {
  plugins: [built],
  test: { ...waiting, name: 'embedded', include: [HTTP] },
};

// Other tests of the built programs: the command line, faults, documents that run.
const e2e = {
  plugins: [built],
  test: { ...waiting, name: 'e2e', include: [E2E], exclude: [HTTP, ON_REAL_ENGINES] },
};

// The HTTP tests again, on the distributed engines with several processes, and what else is tested of those together.
const real = {
  plugins: [built],
  test: {
    ...shared,
    ...native,
    ...tries,
    name: 'real',
    include: [ON_REAL_ENGINES, missing === undefined ? HTTP : NO_ENGINES],
    exclude: EMBEDDED_ONLY,
    provide: { engines: 'real', noEngines: missing } as const,
    // Each worker starts four processes before its first test.
    hookTimeout: 180_000,
    // If all files share the EventStoreDB that the environment names, no file may write while another one looks.
    maxWorkers: process.env['EVENTSTORE_URL'] ? 1 : Math.min(4, cores + 1),
    sequence: { groupOrder: 2 },
  },
};

export default defineConfig({
  test: {
    globalSetup: ['./test/support/build.ts', './test/support/shared-mongo.ts'],
    reporters: ['default', new ClosingLine()],
    projects: [unit, int, embedded, e2e, real],
  },
});
