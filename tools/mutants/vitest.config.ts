// Runs the unit tests of one folder for Stryker, in the copy of the repository that Stryker has made.
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification, type Vitest } from 'vitest/node';

const NOT_UNIT = ['int', 'e2e', 'engines', 'tools'].map((kind) => `test/**/*.${kind}.test.ts`);
// They send random commands for seconds, and nearly every mutant of an aggregate would run them. A rule of an aggregate
// needs a test that states the rule.
const MACHINES = ['user', 'protocol'].map((name) => `test/domain/${name}/${name}.property.test.ts`);

/** Begins with the tests that are named after the mutated file, because the first failure ends the run of a mutant. */
class NamesakesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const mutated = basename(this.ctx.config.related?.[0] ?? '', '.ts');
    const rank = ({ moduleId }: TestSpecification): number =>
      Number(!basename(moduleId).startsWith(mutated)) + Number(/\.property\.|golden/.test(moduleId));
    return files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/** Reports a test file that does not load, which Stryker would take for a file without tests. */
class LoadErrors implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      const errors = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
      for (const error of errors) this.#vitest?.state.catchError(error, 'Unhandled Error');
    }
  }
}

export default defineConfig({
  test: {
    include: (process.env['MUTANT_TESTS'] ?? '').split(','),
    exclude: [...NOT_UNIT, ...MACHINES],
    setupFiles: ['./tools/mutants/fixed-seed.ts', './test/support/each-file.ts'],
    // One worker takes all files of a run and ends with it, so that the next mutant is there when modules load.
    isolate: false,
    maxWorkers: 1,
    sequence: { sequencer: NamesakesFirst },
    reporters: [new LoadErrors()],
    // The longest test takes 4 s on an idle machine. A mutant with which a test never ends costs the whole timeout.
    env: { PROPERTY_RUNS: '5', EVENTUALLY_MS: '10000' },
    testTimeout: 20_000,
  },
});
