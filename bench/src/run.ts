// Runs the measures and reports. `npm run bench -- [--quick] [NAME...]`; a name is (a part of) a measure's.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitOf, machineOf } from './lib/machine.js';
import { tableOf, writeReport } from './lib/report.js';
import type { Measure, Row } from './measure.js';
import { append } from './measures/append.js';
import { auditLog } from './measures/audit-log.js';
import { authenticatedGet } from './measures/authenticated-get.js';
import { bodies } from './measures/bodies.js';
import { createProtocol } from './measures/create-protocol.js';
import { createQuestionnaire } from './measures/create-questionnaire.js';
import { erasure } from './measures/erasure.js';
import { eventLoop } from './measures/event-loop.js';
import { latency } from './measures/latency.js';
import { overload } from './measures/overload.js';
import { people } from './measures/people.js';
import { readForm } from './measures/read-form.js';
import { refreshes } from './measures/refreshes.js';
import { replay } from './measures/replay.js';
import { sealedReplay } from './measures/sealed-replay.js';
import { signIns } from './measures/sign-ins.js';
import { startUp } from './measures/start-up.js';

const onProtocols = [createProtocol, readForm, createQuestionnaire, append, replay, latency, startUp];
const onSigningIn = [authenticatedGet, refreshes, signIns, eventLoop, bodies, overload];
const all: readonly Measure[] = [...onProtocols, auditLog, people, erasure, sealedReplay, ...onSigningIn];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
// On the disk of the repository: the system's place for temporary files is often in memory, where an fsync costs nothing.
const WORK = process.env['BENCH_DIR'] ?? join(ROOT, 'bench', 'data');

const say = (text: string) => console.log(text);

const runOne = async (measure: Measure, quick: boolean): Promise<readonly Row[]> => {
  const directory = mkdtempSync(join(WORK, `${measure.name}-`));
  say(`\n${measure.name}: ${measure.title}`);
  try {
    const rows = await measure.run({ quick, directory, say: (text) => say(`  ${text}`) });
    say(tableOf(rows));
    return rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

const main = async (words: readonly string[]): Promise<void> => {
  const quick = words.includes('--quick');
  const names = words.filter((word) => !word.startsWith('--'));
  const chosen = all.filter(({ name }) => names.length === 0 || names.some((wanted) => name.includes(wanted)));
  if (chosen.length === 0) throw new Error(`no such measure; there are ${all.map(({ name }) => name).join(', ')}`);
  mkdirSync(WORK, { recursive: true });
  const machine = machineOf(WORK);
  const rows: Row[] = [];
  for (const measure of chosen) rows.push(...(await runOne(measure, quick)));
  say(`\n${tableOf(rows)}`);
  // Only a whole run takes the place of the one before it.
  const name = quick || chosen.length < all.length ? 'partial' : 'latest';
  writeReport(name, { date: new Date().toISOString(), commit: commitOf(ROOT), quick, machine, rows });
  say(`\nwritten to bench/results/${name}.md and ${name}.json`);
};

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
