// Builds the program once before the tests, so that no test runs stale code.
import { execFileSync } from 'node:child_process';

/** Runs `npm run build`; a type error fails the test run here, with the compiler's own words. */
export const setup = (): void => {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
};
