// Tests what `npm start` and `npm run cli` do before they run the program, on a project of two files, with and without
// a compiler.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const HOUR_S = 3_600;

const project = ({ hasCompiler }: { readonly hasCompiler: boolean }) => {
  const directory = temporaryDirectory();
  const at = (file: string) => join(directory, file);
  mkdirSync(at('src'));
  writeFileSync(at('src/main.ts'), 'export const answer: number = 42;\n');
  writeFileSync(at('src/cli.ts'), 'export {};\n');
  writeFileSync(at('package.json'), '{"type": "module"}');
  for (const file of ['tsconfig.json', 'tsconfig.build.json']) copyFileSync(join(root, file), at(file));
  if (hasCompiler) symlinkSync(join(root, 'node_modules'), at('node_modules'));
  const run = () =>
    spawnSync(process.execPath, [join(root, 'scripts/ensure-built.mjs')], { cwd: directory, encoding: 'utf8' });
  /** Sets the time of a file some hours back. */
  const age = (file: string, hours: number) => {
    const then = Date.now() / 1_000 - hours * HOUR_S;
    utimesSync(at(file), then, then);
  };
  return { at, run, age };
};

describe('the program before its start', () => {
  it('is built if necessary, and left alone if its sources are unchanged', () => {
    const { at, run } = project({ hasCompiler: true });
    expect(run()).toMatchObject({ status: 0 });
    const built = statSync(at('dist/.built')).mtimeMs;
    expect(existsSync(at('dist/bundle/main.js'))).toBe(true);
    expect(run()).toMatchObject({ status: 0 });
    expect(statSync(at('dist/.built')).mtimeMs).toBe(built);
  });

  it('is built again after a change, and does not count as built after an error', () => {
    const { at, run, age } = project({ hasCompiler: true });
    expect(run().status).toBe(0);
    age('dist/.built', 1);
    writeFileSync(at('src/main.ts'), 'export const answer: number = "none";\n');
    for (let times = 0; times < 2; times += 1) {
      const { status, stdout } = run();
      expect(status).not.toBe(0);
      expect(stdout).toContain('main.ts');
    }
  });

  it('needs no compiler if it is built', () => {
    const { at, run, age } = project({ hasCompiler: false });
    mkdirSync(at('dist/bundle'), { recursive: true });
    writeFileSync(at('dist/bundle/main.js'), '');
    for (const file of ['src/main.ts', 'src/cli.ts', 'src', 'tsconfig.json', 'tsconfig.build.json']) age(file, 1);
    expect(run()).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(['is not built', 'is older than its sources'])('says what to do without a compiler if it %s', (what) => {
    const { at, run, age } = project({ hasCompiler: false });
    mkdirSync(at('dist/bundle'), { recursive: true });
    if (what !== 'is not built') {
      writeFileSync(at('dist/bundle/main.js'), '');
      age('dist/bundle/main.js', 1);
    }
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('npm ci && npm run build') });
  });
});
