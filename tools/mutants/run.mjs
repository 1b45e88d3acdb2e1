// Mutates src and runs the unit tests on every mutant: `npm run mutants`, or `npm run mutants -- domain/rules.ts audit`.
// Fails if a mutant of the domain survives that survivors.json does not list, if a listed one no longer survives, or if
// the score of another folder falls. `RECORD=1` writes both lists.
import { readFileSync, writeFileSync } from 'node:fs';
import { filesOf, folders, targetsOf } from './folders.mjs';
import { mutate } from './mutate.mjs';
import { compared, updated } from './survivors.mjs';

const SURVIVORS = new URL('survivors.json', import.meta.url);
const SCORES = new URL('scores.json', import.meta.url);
const read = (url) => JSON.parse(readFileSync(url, 'utf8'));
const write = (url, value) => writeFileSync(url, `${JSON.stringify(value, null, 2)}\n`);

const isRecording = process.env.RECORD !== undefined;
const fail = (text) => {
  console.log(text);
  if (!isRecording) process.exitCode = 1;
};
const lineOf = ({ file, line, mutator, from, to }) =>
  `src/${file}${line ? `:${line}` : ''} ${mutator}: ${from} → ${to}`;

const compareSurvivors = (result) => {
  const listed = read(SURVIVORS);
  const { unlisted, dead } = compared(result, listed);
  for (const mutant of unlisted) fail(`survives: ${lineOf(mutant)}`);
  for (const entry of dead) fail(`no longer survives, so remove it from survivors.json: ${lineOf(entry)}`);
  if (isRecording) write(SURVIVORS, updated(result, listed));
  for (const entry of read(SURVIVORS)) {
    if (entry.reason === '') fail(`has no reason in survivors.json: ${lineOf(entry)}`);
  }
};

const compareScore = (folder, score) => {
  const scores = read(SCORES);
  const recorded = scores[folder] ?? 0;
  if (isRecording) write(SCORES, { ...scores, [folder]: score });
  else if (score < recorded) fail(`the score of ${folder} fell from ${recorded} to ${score}`);
};

const report = (folder, result, isWhole) => {
  const { everySurvivorIsListed = false } = folders[folder];
  // Outside of the domain, code that no unit test runs is tested by other suites.
  const alive = result.alive.filter(({ isCovered }) => isCovered || everySurvivorIsListed);
  const all = result.dead + alive.length;
  const score = all === 0 ? 100 : Math.floor((100 * result.dead) / all);
  console.log(`${folder}: ${result.dead} of ${all} mutants killed, ${score} of 100`);
  if (everySurvivorIsListed) compareSurvivors(result);
  else for (const mutant of alive) console.log(`survives: ${lineOf(mutant)}`);
  if (isWhole) compareScore(folder, score);
};

const paths = process.argv.slice(2);
for (const [folder, patterns] of targetsOf(paths.length > 0 ? paths : Object.keys(folders))) {
  const begin = Date.now();
  report(folder, await mutate(folder, patterns), patterns.has(filesOf(folder)));
  console.log(`${folder}: ${Math.round((Date.now() - begin) / 1000)} s`);
}
