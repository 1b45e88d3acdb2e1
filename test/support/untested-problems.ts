// Finds the problems that routes list and no HTTP test has received. A route may list only problems that it can return.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestModule } from 'vitest/node';
import type { RouteContext } from '../../src/http/route/context.js';
import { UNPROVOKED, UNPROVOKED_CODES } from './unprovoked-refusals.js';

/**
 * Names the variable with the directory into which workers write the problems that they receive. Unset outside of a
 * run.
 */
const DIRECTORY = 'MET_REFUSALS';

/** Starts recording the problems that the workers of a run receive. */
export const startRecordingProblems = (): void => {
  process.env[DIRECTORY] = mkdtempSync(join(tmpdir(), 'met-refusals-'));
};

/** Records that an operation responded with a problem. */
export const recordTestedProblem = (operation: string, code: string): void => {
  const directory = process.env[DIRECTORY];
  if (directory !== undefined) appendFileSync(join(directory, `${process.pid}`), `${operation} ${code}\n`);
};

/**
 * Returns the listed problems that no test of the run has received, or nothing if not all HTTP tests ran. Removes the
 * records.
 */
export const untestedProblemsOf = async (modules: readonly TestModule[]): Promise<readonly string[]> => {
  const directory = process.env[DIRECTORY] ?? '';
  const tested = new Set(
    readdirSync(directory).flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n')),
  );
  rmSync(directory, { recursive: true });
  if (!isOfAllHttpTests(modules)) return [];
  // Loaded lazily and from the build, so that a run of a few unit tests does not load every route.
  const { routesOf, signInRoutesOf }: Routes = await import(BUILT_ROUTES);
  const app = {} as RouteContext;
  const listed = [...routesOf(app), ...signInRoutesOf(app)].flatMap(({ name, refuses = [] }) =>
    refuses.filter((code) => !UNPROVOKED_CODES.has(code)).map((code) => `${name} ${code}`),
  );
  return listed.filter((each) => !tested.has(each) && !UNPROVOKED.has(each));
};

type Routes = typeof import('../../src/http/routes.js');
const BUILT_ROUTES = new URL('../../dist/http/routes.js', import.meta.url).href;

const HTTP_TESTS = fileURLToPath(new URL('../http/', import.meta.url));

const isOfAllHttpTests = (modules: readonly TestModule[]): boolean => {
  const ran = new Set(modules.filter(({ project }) => project.name === 'embedded').map(({ moduleId }) => moduleId));
  return readdirSync(HTTP_TESTS)
    .filter((name) => name.endsWith('.e2e.test.ts'))
    .every((name) => ran.has(join(HTTP_TESTS, name)));
};
