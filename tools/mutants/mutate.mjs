// Runs Stryker on one folder.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { testsOf } from './folders.mjs';

/** A mutant that a test noticed, or with which a test file does not load (RuntimeError), or with which it never ends. */
const DEAD = ['Killed', 'Timeout', 'RuntimeError'];
const ALIVE = ['Survived', 'NoCoverage'];

const optionsFor = (folder, patterns) => ({
  mutate: [...patterns],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/mutants/vitest.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner', `${import.meta.dirname}/noise.mjs`],
  ignorers: ['noise'],
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env.MUTANT_WORKERS ?? 2),
  // Half of the mutants run when modules load. They take longer, but schemas are rules, too.
  warnings: { slow: false },
  // Only an endless loop takes so long, even on a busy machine.
  timeoutMS: 30_000,
  // All tests that kill a mutant, not only the first: for tools/mutants/redundant.mjs.
  disableBail: process.env.ALL_KILLERS !== undefined,
  ignorePatterns: ['/.*', '/bench', '/data', '/dist', '/tools/clients', '/biome.json'],
  // The copies lie within the repository, so they find its node_modules.
  tempDirName: '.mutants',
  symlinkNodeModules: false,
  // Stryker would rewrite tsconfig.json with an API that TypeScript 7 lacks.
  tsconfigFile: 'none',
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: `.mutants/reports/${folder.replaceAll('/', '-')}.json` },
  packageManager: 'npm',
  logLevel: 'warn',
});

/** Returns the mutated files, how many mutants died, and those that are alive. */
export const mutate = async (folder, patterns) => {
  process.env.MUTANT_TESTS = testsOf(folder).join(',');
  const results = await new Stryker(optionsFor(folder, patterns)).runMutationTest();
  const sources = new Map();
  for (const { fileName } of results) sources.set(fileName, readFileSync(fileName, 'utf8').split('\n'));
  return {
    files: [...sources.keys()].map((fileName) => relative('src', fileName)),
    dead: results.filter(({ status }) => DEAD.includes(status)).length,
    alive: results
      .filter(({ status }) => ALIVE.includes(status))
      .map((mutant) => ({
        ...describe(mutant, sources.get(mutant.fileName)),
        isCovered: mutant.status === 'Survived',
      })),
  };
};

const describe = ({ fileName, location: { start, end }, mutatorName, replacement }, lines) => {
  const text = lines.slice(start.line - 1, end.line);
  const code = text[0].trim();
  text[text.length - 1] = text.at(-1).slice(0, end.column - 1);
  text[0] = text[0].slice(start.column - 1);
  return {
    file: relative('src', fileName),
    line: start.line,
    mutator: mutatorName,
    code,
    from: shortened(text.join('\n')),
    to: shortened(replacement),
  };
};

const shortened = (text) => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};
