// The scripts around the builds: what is built again, and how much script the first page of the web client may load.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let directory: string;

const write = (file: string, content: string): void => {
  mkdirSync(dirname(join(directory, file)), { recursive: true });
  writeFileSync(join(directory, file), content);
};
const run = (...given: readonly string[]) => spawnSync(process.execPath, given, { cwd: directory, encoding: 'utf8' });

beforeEach(() => {
  directory = temporaryDirectory();
  for (const file of ['scripts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']) {
    cpSync(join(ROOT, file), join(directory, file), { recursive: true });
  }
  for (const file of [
    'src/main.ts',
    'src/http/app.ts',
    'console/src/main.tsx',
    'console/index.html',
    'verifier/index.html',
  ])
    write(file, file);
});

describe('a build', () => {
  const evaluated = (expression: string) =>
    run('--input-type=module', '-e', `import * as builds from './scripts/builds.mjs'; ${expression}`).stdout.trim();
  const outdated = () =>
    evaluated('console.log(builds.buildNames.filter((name) => !builds.isBuilt(name)).join())')
      .split(',')
      .filter(Boolean);

  beforeEach(() => {
    mkdirSync(join(directory, 'dist/console'), { recursive: true });
    expect(outdated()).toEqual(['program', 'console']);
    evaluated('builds.buildNames.forEach(builds.recordBuilt)');
  });

  it('is current after a change of times, as by git or npm prune', () => {
    for (const file of ['src/main.ts', 'package-lock.json']) utimesSync(join(directory, file), new Date(), new Date());
    expect(outdated()).toEqual([]);
    const { status, stdout, stderr } = run('scripts/ensure-built.mjs');
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it.each<[string, readonly string[]]>([
    ['src/http/app.ts', ['program']],
    ['src/new.ts', ['program']],
    ['scripts/bundle.mjs', ['program']],
    ['console/src/main.tsx', ['console']],
    ['console/vite.config.ts', ['console']],
    ['package-lock.json', ['program', 'console']],
    ['console/node_modules/react/index.js', []],
    ['test/some.test.ts', []],
  ])('after a change of %s: %j', (file, expected) => {
    write(file, 'changed');
    expect(outdated()).toEqual(expected);
  });

  it('that is needed but impossible without the compiler ends with an advice', () => {
    write('console/index.html', 'changed');
    const { status, stderr } = run('scripts/ensure-built.mjs');
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm ci && npm run build')]);
    // The operator's tool does not need the web client.
    expect(run('scripts/ensure-built.mjs', 'program').status).toBe(0);
  });
});

describe('the files of the web client', () => {
  /** Random digits, of which gzip saves half. */
  const script = (bytes: number) => `// ${randomBytes(bytes).toString('hex')}\n`;
  const prepare = (scripts: Readonly<Record<string, string>>) => {
    write('dist/console/index.html', '<script type="module" src="/console/assets/index-1.js"></script>');
    for (const [name, content] of Object.entries(scripts)) write(`dist/console/assets/${name}`, content);
    const { status, stderr } = run('scripts/console-files.mjs');
    return { isBuilt: existsSync(join(directory, 'dist/console/.built')), status, stderr };
  };

  it('are compressed beside the originals', () => {
    const content = script(1_000);
    expect(prepare({ 'index-1.js': content })).toMatchObject({ status: 0, isBuilt: true });
    const read = (ending: string) => readFileSync(join(directory, `dist/console/assets/index-1.js${ending}`));
    expect([gunzipSync(read('.gz')), brotliDecompressSync(read('.br'))].map(String)).toEqual([content, content]);
  });

  it('may have large scripts that only some pages load', () => {
    const entry = `const load = () => import("./page-1.js");\n${script(100_000)}`;
    const page = `import{a}from"./index-1.js";import{b}from"./part-1.js";${script(150_000)}`;
    const { status, stderr } = prepare({ 'index-1.js': entry, 'page-1.js': page, 'part-1.js': script(10_000) });
    expect(status).toBe(0);
    const [first = 0, , largest = 0] = [...stderr.matchAll(/([\d.]+) KB/g)].map(([, size]) => Number(size));
    expect([first > 100, first < 130, largest > first + 160]).toEqual([true, true, true]);
  });

  it.each([
    ['alone', { 'index-1.js': script(250_000) }],
    ['with what it imports', { 'index-1.js': `import"./a-1.js";${script(130_000)}`, 'a-1.js': script(130_000) }],
  ])('are refused if the first script is too large, %s', (_, scripts) => {
    expect(prepare(scripts as Readonly<Record<string, string>>)).toMatchObject({ status: 1, isBuilt: false });
  });
});
