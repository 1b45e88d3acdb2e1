import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.js';

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

export default defineConfig({
  plugins: [built],
  test: {
    globalSetup: './test/support/build.ts',
    include: ['test/**/*.test.ts'],
    reporters: ['default', new ClosingLine()],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
