// Ends a run with a report of every test that needed a second try, and every skipped test and its reason. The last line
// is `N passed, N failed, N skipped`. If COUNTS names a file, the numbers are added there instead, for a sum of several
// runs (.ci/run).
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
    else appendFileSync(file, `${passed} ${failed} ${left}\n`);
  }
}

// If a suite lacks an engine or a tool, the reason says how to install it.
const INSTALL = /npm run \w+:install/;

const nameOf = (test: TestCase): string => `${test.module.moduleId.split('/test/')[1]}: ${test.fullName}`;

const isSkipped = (test: TestCase): boolean => test.result().state === 'skipped';

const reasonOf = (test: TestCase): string => {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  return hasFailed(test.parent) ? 'its beforeAll failed' : 'no reason was given';
};

const hasFailed = (suite: TestSuite | TestModule): boolean =>
  suite.errors().length > 0 || (suite.type === 'suite' && hasFailed(suite.parent));
