// Compiles the Go programs in test/go when a test needs them.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './directory.js';

/** A program of test/go. */
export type GoProgram = 'walk' | 'witness';

// The tests download nothing.
const environment = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' };
const directoryOf = (program: GoProgram) => fileURLToPath(new URL(`../go/${program}/`, import.meta.url));

/** Returns why a program cannot be compiled, or undefined if it can. */
export const noGo = (program: GoProgram): string | undefined => {
  const list = ['list', '-deps', './...'];
  const { error, status } = spawnSync('go', list, { cwd: directoryOf(program), env: environment, stdio: 'ignore' });
  if (error !== undefined) return 'go is not in PATH: install Go 1.26 or later, then run npm run go:install';
  return status === 0 ? undefined : 'the modules of test/go are missing: run npm run go:install';
};

/** Compiles a program and returns the path of its file, which exists until the end of the test file. */
export const compileGo = (program: GoProgram): string => {
  const file = join(temporaryDirectory(), program);
  execFileSync('go', ['build', '-o', file, '.'], { cwd: directoryOf(program), env: environment, stdio: 'pipe' });
  return file;
};
