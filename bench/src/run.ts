// Runs the measures and reports. `npm run bench -- [--quick [--record]] [NAME...]`, where NAME is a part of a measure's
// name.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitOf, machineOf } from './lib/machine.js';
import { killLeft } from './lib/processes.js';
import { ENOUGH, heldTo, type Recorded, TRIES } from './lib/recorded.js';
import { readRecorded, tableOf, writeRecorded, writeReport } from './lib/report.js';
import type { Measure, Row } from './measure.js';
import { analyses } from './measures/analyses.js';
import { append } from './measures/append.js';
import { before } from './measures/before.js';
import { decisions } from './measures/decisions.js';
import { eventStoreDb } from './measures/eventstoredb.js';
import { reads, smallReads } from './measures/get.js';
import { getToken } from './measures/get-token.js';
import { growth } from './measures/growth.js';
import { mixed } from './measures/mixed.js';
import { once } from './measures/once.js';
import { post1, post32, post256, postQuestionnaire } from './measures/post.js';
import { profile } from './measures/profile.js';
import { replay } from './measures/replay.js';
import { scores } from './measures/scores.js';
import { signIns } from './measures/sign-ins.js';
import { tiers } from './measures/tiers.js';

const writes = [post32, post256, post1, postQuestionnaire];
/** The measures that `--quick` runs, for a few seconds each. */
const quickly: readonly Measure[] = [...writes, ...reads, getToken, mixed, decisions, scores, signIns, append, replay];
const earlier = process.env['BENCH_BEFORE'];
const all: readonly Measure[] = [
  ...quickly,
  ...smallReads,
  analyses,
  eventStoreDb,
  profile(earlier),
  tiers,
  once,
  growth,
  ...(earlier === undefined ? [] : before(earlier)),
];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
// The work directory is on the disk of the repository. The system's temporary directory is often in memory, where an
// fsync costs nothing.
const WORK = process.env['BENCH_DIR'] ?? join(ROOT, 'bench', 'data');
/**
 * The time after which a short run starts no further measure. A measure takes up to 15 seconds, or 45 with three tries.
 */
const QUICK_MS = 200_000;

const say = (text: string) => console.log(text);

const runOne = async (measure: Measure, quick: boolean): Promise<readonly Row[]> => {
  const directory = mkdtempSync(join(WORK, `${measure.name}-`));
  say(`\n${measure.name}: ${measure.title}`);
  try {
    const rows = await measure.run({ quick, directory, say: (text) => say(`  ${text}`) });
    say(tableOf(rows));
    return rows;
  } finally {
    killLeft();
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Runs each measure once. Prints the error of a measure that rejects, and goes on: the others have taken half an hour. */
const runAll = async (measures: readonly Measure[]): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  const failed: string[] = [];
  for (const measure of measures) {
    try {
      rows.push(...(await runOne(measure, false)));
    } catch (error) {
      console.error(error);
      failed.push(measure.name);
    }
  }
  if (failed.length > 0) {
    say(`\nfailed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
  return rows;
};

/** Runs a short measure. Prints the error if the measure rejects. */
const tryOne = (measure: Measure): Promise<readonly Row[]> =>
  runOne(measure, true).catch((error: unknown) => {
    console.error(error);
    throw error;
  });

/**
 * Runs short measures. Repeats a measure while a ratio is far below the recorded one, and sets the exit code if the
 * ratio stays below it.
 */
const runQuickly = async (measures: readonly Measure[], recorded: Recorded): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const measure of measures) {
    if (performance.now() > QUICK_MS) {
      say(`\n${measure.name}: skipped, because the time of a short run is over`);
      continue;
    }
    const held = await heldTo(recorded, () => tryOne(measure));
    rows.push(...held.rows);
    for (const name of held.fallen) {
      say(`\n${name}: below ${ENOUGH} of the recorded ratio, ${recorded[name]}, in each of ${TRIES} tries`);
      process.exitCode = 1;
    }
  }
  return rows;
};

/**
 * Returns the measures whose names contain one of the words. Without words, returns all measures of this kind of run.
 */
const chosenBy = (words: readonly string[], quick: boolean): readonly Measure[] => {
  if (words.length === 0) return quick ? quickly : all;
  const chosen = all.filter(({ name }) => words.some((word) => name.includes(word)));
  if (chosen.length > 0) return chosen;
  throw new Error(`${words.join(', ')}: no such measure. Choose from ${all.map(({ name }) => name).join(', ')}`);
};

const main = async (words: readonly string[]): Promise<void> => {
  const [quick, isToRecord] = [words.includes('--quick'), words.includes('--record')];
  const measures = chosenBy(
    words.filter((word) => !word.startsWith('--')),
    quick,
  );
  mkdirSync(WORK, { recursive: true });
  const machine = machineOf(WORK);
  const rows = await (quick ? runQuickly(measures, isToRecord ? {} : readRecorded()) : runAll(measures));
  say(`\n${tableOf(rows)}`);
  // Only a complete run replaces the committed results.
  const name = measures === all && !process.exitCode ? 'latest' : 'partial';
  writeReport(name, { date: new Date().toISOString(), commit: commitOf(ROOT), quick, machine, rows });
  if (quick && isToRecord) writeRecorded(rows, machine);
  say(`\nwritten to bench/results/${name}.md`);
};

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
