// Ends a run with a report of every test that needed a second try, and every skipped test and its reason. The last line
// is `N passed, N failed, N skipped`. If COUNTS names a file, the numbers and the names of failed tests are added there
// instead, for the end of several runs (.ci/run).
import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/** The vitest reporter that prints the last lines of `npm test`. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that does not load, or an error outside of a test, also counts as a failure.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const skipped = tests.filter(isSkipped);
    for (const test of tests.filter((each) => each.diagnostic()?.flaky)) {
      process.stdout.write(`passed on its second try: ${nameOf(test)}\n`);
    }
    for (const test of skipped) process.stdout.write(`skipped: ${nameOf(test)}: ${reasonOf(test)}\n`);
    const missing = process.env['CI'] ? skipped.filter((test) => INSTALL.test(reasonOf(test))).length : 0;
    if (missing > 0) {
      process.exitCode = 1;
      process.stdout.write(
        `${missing} skipped because CI lacks an engine or a tool; the reasons above say how to install it\n`,
      );
    }
    const failed = count('failed') + broken + missing;
    const [passed, left] = [count('passed'), skipped.length - missing];
    const file = process.env['COUNTS'];
    if (file === undefined) process.stdout.write(`\n${passed} passed, ${failed} failed, ${left} skipped\n`);
    else appendFileSync(file, `${passed} ${failed} ${left}\n${failures(tests, modules, errors).join('')}`);
  }
}

// One line for each failure, which names its place and begins its message.
const failures = (tests: readonly TestCase[], modules: readonly TestModule[], errors: readonly unknown[]): string[] => {
  const line = (name: string, [error]: readonly unknown[]) => {
    const message = String((error as { message?: unknown } | undefined)?.message ?? error);
    return `failed: ${name}: ${message.split('\n', 1)[0]?.slice(0, 200)}\n`;
  };
  return [
    ...tests
      .filter((test) => test.result().state === 'failed')
      .map((test) => line(nameOf(test), test.result().errors ?? [])),
    ...modules
      .map((module) => ({ module, found: module.errors() }))
      .filter(({ found }) => found.length > 0)
      .map(({ module, found }) => line(fileOf(module), found)),
    ...errors.map((error) => line('outside of a test', [error])),
  ];
};

// If a suite lacks an engine or a tool, the reason says how to install it.
const INSTALL = /npm run \w+:install/;

const fileOf = (module: TestModule): string => module.moduleId.split('/test/')[1] ?? module.moduleId;

const nameOf = (test: TestCase): string => `${test.project.name}, ${fileOf(test.module)}: ${test.fullName}`;

const isSkipped = (test: TestCase): boolean => test.result().state === 'skipped';

const reasonOf = (test: TestCase): string => {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  return hasFailed(test.parent) ? 'its beforeAll failed' : 'no reason was given';
};

const hasFailed = (suite: TestSuite | TestModule): boolean =>
  suite.errors().length > 0 || (suite.type === 'suite' && hasFailed(suite.parent));
