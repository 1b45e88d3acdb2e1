// Compiles the Go programs in test/go when a test needs them.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './directory.js';

/** The programs and their modules. */
const MODULES = { walk: 'log', vectors: 'log', witness: 'witness' } as const;

/** A program of test/go. */
export type GoProgram = keyof typeof MODULES;

// The tests download nothing.
const environment = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' };
const directoryOf = (program: GoProgram) => fileURLToPath(new URL(`../go/${MODULES[program]}/`, import.meta.url));

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
  const source = program === 'witness' ? '.' : `./${program}`;
  execFileSync('go', ['build', '-o', file, source], { cwd: directoryOf(program), env: environment, stdio: 'pipe' });
  return file;
};
