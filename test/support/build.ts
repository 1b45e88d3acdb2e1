// Builds the program once before the tests, so that no test runs stale code.
import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';

/** Runs `npm run build`. Skips the build if only unit tests run. A type error fails the test run. */
export const setup = ({ vitest }: TestProject): void => {
  if (vitest.projects.every(({ name }) => name === 'unit')) return;
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
};
