// Ends a run with every skipped test and its reason, then one plain line: `N passed, N failed, N skipped`.
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** The reporter behind the last line of `npm test`. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that could not be loaded, or an error outside of any test, is a failure too.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    for (const test of tests.filter(isSkipped)) {
      process.stdout.write(
        `skipped: ${test.module.moduleId.split('/test/')[1]}: ${test.fullName}: ${reasonOf(test)}\n`,
      );
    }
    process.stdout.write(
      `\n${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
    );
  }
}

const isSkipped = (test: TestCase): boolean => test.result().state === 'skipped';

const reasonOf = (test: TestCase): string => {
  const result = test.result();
  return result.state === 'skipped' && result.note !== undefined ? result.note : 'no reason was given';
};
