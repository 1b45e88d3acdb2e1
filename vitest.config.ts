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
  // for up to 90 s).
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // In CI, one race in thousands of tests must not hide the result of all others: a failed test is run a second time,
  // and the end of the run names it (test/support/closing-line.ts). A developer's run tries nothing twice.
  retry: process.env['CI'] ? 1 : 0,
};
// What is built is JavaScript that Node.js loads by itself, faster than vitest does.
const ofBuild = { ...shared, server: { deps: { external: [/\/dist\//] } } };
// Most files wait for processes and deadlines half of the time, so there are more workers than cores.
const maxWorkers = Math.min(8, 2 * cores);

const IN_PROCESS = 'test/**/*.int.test.ts';
const OF_PROGRAMS = 'test/**/*.e2e.test.ts';
const ON_ENGINES = 'test/**/*.engines.test.ts';
const WITH_TOOLS = 'test/**/*.tools.test.ts';
const IN_BROWSER = 'test/browser/**/*.browser.test.ts';
const ALONE = 'test/**/*.alone.test.ts';
const FAULTS = 'test/faults/**/*.test.ts';
// The faults that `npm test` proves, too: a killed process loses nothing, and an erased person is gone.
const FIRST_FAULTS = ['kill', 'erasure'].map((name) => `test/faults/${name}.e2e.test.ts`);
const NO_ENGINES = 'test/support/no-engines.test.ts';

// Tests that need no build: they run the source, in threads that share their modules.
const unit = {
  test: {
    ...shared,
    name: 'unit',
    pool: 'threads' as const,
    maxWorkers: cores,
    include: ['test/**/*.test.ts'],
    exclude: [IN_PROCESS, OF_PROGRAMS, ON_ENGINES, WITH_TOOLS, IN_BROWSER, ALONE, FAULTS, NO_ENGINES],
    sequence: { groupOrder: 0 },
  },
};

// Everything else that needs only Node.js. HTTP tests that run in one worker share a service
// (test/support/service-of-file.ts).
const embedded = {
  plugins: [built],
  test: {
    ...ofBuild,
    name: 'embedded',
    maxWorkers,
    include: [IN_PROCESS, OF_PROGRAMS],
    exclude: ['test/faults/!(kill|erasure).*', 'test/faults/*/**'],
    sequence: { groupOrder: 1 },
  },
};

// What needs MongoDB, Redis, EventStoreDB or another program.
const engines = {
  plugins: [built],
  test: {
    ...ofBuild,
    name: 'engines',
    maxWorkers,
    include: [ON_ENGINES, WITH_TOOLS],
    exclude: [FAULTS],
    sequence: { groupOrder: 1 },
  },
};

// The HTTP tests of the rules that a store could break, with several processes on the distributed engines.
const HTTP_ON_ENGINES = [
  ...[
    'analyses',
    'attachment-names',
    'audit-events',
    'concurrency',
    'conditional-requests',
    'consistency',
    'decision-messages',
    'detaching',
    'erasure',
    'filters',
    'form-copies',
    'form-life',
    'form-lists',
    'histories',
    'idempotency',
    'large-replays',
    'lists',
  ],
  ...['decisions', 'profile-history', 'profiles-as-of', 'protocol-lists', 'scores', 'time-travel', 'uniqueness'],
].map((name) => `test/http/${name}.e2e.test.ts`);
// The console reads through one process what it wrote through another.
const CONSOLE_ON_ENGINES = 'test/browser/approval.browser.test.ts';
const missing = noEngines();
const distributed = {
  plugins: [built],
  test: {
    ...ofBuild,
    name: 'distributed',
    include: missing === undefined ? [...HTTP_ON_ENGINES, CONSOLE_ON_ENGINES] : [NO_ENGINES],
    provide: { engines: 'real', noEngines: missing } as const,
    // If all files share the EventStoreDB that the environment names, no file may write while another one looks.
    maxWorkers: process.env['EVENTSTORE_URL'] ? 1 : Math.min(4, cores + 1),
    sequence: { groupOrder: 2 },
  },
};

const faults = {
  plugins: [built],
  test: {
    ...ofBuild,
    name: 'faults',
    maxWorkers,
    include: [FAULTS],
    exclude: FIRST_FAULTS,
    sequence: { groupOrder: 3 },
  },
};

// The console in Chromium, and what watches a service under load. One at a time: two would wait for each other.
const browser = {
  plugins: [built],
  test: { ...ofBuild, name: 'browser', maxWorkers: 1, include: [IN_BROWSER, ALONE], sequence: { groupOrder: 4 } },
};

export default defineConfig({
  test: {
    globalSetup: ['./test/support/build.ts', './test/support/shared-mongo.ts'],
    reporters: ['default', new ClosingLine()],
    projects: [unit, embedded, engines, distributed, faults, browser],
  },
});
