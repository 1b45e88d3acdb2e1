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

// What holds takes a fraction of it; the rest is for a busy machine (test/support/eventually.ts waits for 45 s at most).
const shared = { pool: 'forks', testTimeout: 90_000, hookTimeout: 90_000 } as const;
// Four processes have to start before the first test, on however busy a machine.
const patient = { ...shared, hookTimeout: 180_000 };

// Most files wait for processes and deadlines most of the time; vitest would run them one by one on two cores.
const workers = Math.max(2, availableParallelism() - 1);

const missing = noEngines();
const ON_REAL_ENGINES = ['test/engines/**/*.test.ts'];
const NO_ENGINES = 'test/support/no-engines.test.ts';
// They look into the files of the embedded engines.
const OF_FILES = ['doctors', 'sign-in-secrets', 'sign-up-secrets'].map((name) => `test/http/${name}.e2e.test.ts`);

// Everything, with the HTTP tests on the embedded engines.
const embedded = {
  plugins: [built],
  test: {
    ...shared,
    name: 'embedded',
    include: ['test/**/*.test.ts'],
    exclude: [...ON_REAL_ENGINES, NO_ENGINES],
    maxWorkers: workers,
  },
};

// The HTTP tests once more, on the distributed engines with several processes, and what else is tested of those together.
const real = {
  plugins: [built],
  test: {
    ...patient,
    name: 'real',
    include: [...ON_REAL_ENGINES, missing === undefined ? 'test/http/**/*.e2e.test.ts' : NO_ENGINES],
    exclude: OF_FILES,
    globalSetup: './test/support/shared-mongo.ts',
    provide: { engines: 'real', noEngines: missing } as const,
    // After the others, not beside them: these are many processes.
    sequence: { groupOrder: 1 },
    // The processes of a file wait for each other most of the time. Where all files share the EventStoreDB that the
    // environment names, none may write while another one looks.
    maxWorkers: process.env['EVENTSTORE_URL'] ? 1 : 2,
  },
};

export default defineConfig({
  test: {
    globalSetup: './test/support/build.ts',
    reporters: ['default', new ClosingLine()],
    projects: [embedded, real],
  },
});
