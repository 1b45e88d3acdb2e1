// Builds the program once before the tests, so that no test runs stale code, and the web client if its sources have changed.
import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';

/** Builds what the tests run. Skips the build if only unit tests run. A type error fails the test run. */
export const setup = ({ vitest }: TestProject): void => {
  if (vitest.projects.every(({ name }) => name === 'unit')) return;
  execFileSync('npm', ['run', '--silent', 'build:program'], { stdio: 'inherit' });
  execFileSync(process.execPath, ['scripts/ensure-built.mjs'], { stdio: 'inherit' });
};
