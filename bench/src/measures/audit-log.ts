// Measures the tree of the audit log: how fast it grows and `audit prove` checks it, how much memory both take, and how
// much a growing tree slows writers.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteVault } from '../../../dist/infrastructure/vault/sqlite.js';
import { LogRecords, newState } from '../../../dist/transparency/records.js';
import type { AuditLogResult, AuditLogStep } from '../lib/audit-log.js';
import { below } from '../lib/below.js';
import { loadInTurn, loadRow, repeating } from '../lib/load.js';
import { mixedEvents, writeLog } from '../lib/log.js';
import { type Server, startReady } from '../lib/processes.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import { runTask } from '../lib/task.js';
import type { Bench, Measure, Row } from '../measure.js';

const ORIGIN = 'localhost/audit/log';
const stepsOf = async (bench: Bench, events: number) => {
  const directory = below(bench, `log-${events}`);
  bench.say(`a log of ${events.toLocaleString('en-GB')} events`);
  await writeLog(directory, mixedEvents(events));
  const run = (step: AuditLogStep['step']) => runTask<AuditLogResult>('audit-log', { directory, step });
  const [grown, proved, read] = [await run('grow'), await run('prove'), await run('read')];
  if (read.events !== events) throw new Error(`the tree has ${read.events} events, not ${events}`);
  return { events, grown, proved, read };
};

type Steps = Awaited<ReturnType<typeof stepsOf>>;

const rowsOf = (small: Steps, large: Steps): readonly Row[] => {
  const of = `${large.events.toLocaleString('en-GB')} events`;
  const rate = ({ seconds = Number.NaN }: AuditLogResult) => large.events / seconds;
  // The additional memory for a log with four times as many events.
  const memory = (name: 'grown' | 'proved'): Pick<Row, 'unit' | 'ours' | 'target' | 'notes'> => ({
    unit: 'MiB more',
    ours: large[name].peakMiB - small[name].peakMiB,
    target: 'audit-memory',
    notes: [
      `${small[name].peakMiB.toFixed(0)} MiB with ${small.events.toLocaleString('en-GB')} events, now ${large[name].peakMiB.toFixed(0)} MiB`,
    ],
  });
  const { checkpointMs = Number.NaN, proofMs = Number.NaN } = large.read;
  return [
    { what: `growth of the tree, ${of}`, unit: 'events/s', ours: rate(large.grown) },
    { what: `audit prove, ${of}`, unit: 'events/s', ours: rate(large.proved) },
    { what: `memory while the tree grows, ${of}`, ...memory('grown') },
    { what: `memory of audit prove, ${of}`, ...memory('proved') },
    { what: `state of the tree, ${of}`, unit: 'KiB', ours: large.read.stateBytes / 1_024 },
    { what: `checkpoint, ${of}`, unit: 'ms', ours: checkpointMs, target: 'audit-read' },
    { what: `inclusion proof, ${of}`, unit: 'ms', ours: proofMs, target: 'audit-read' },
  ];
};

/** Starts the product with a log that an operator has put on hold, so that no tree grows. */
const startHeld = async (bench: Bench) => {
  const directory = below(bench, 'held');
  mkdirSync(join(directory, 'data'));
  const vault = new SqliteVault(join(directory, 'data'));
  await new LogRecords(vault).store(undefined, { ...newState(1, ORIGIN), held: 'the benchmark' });
  await vault.close();
  return startReady(directory);
};

const postingTo = async (server: Server) => {
  const body = protocolBody(await anInstitution(server.url));
  return repeating(server, { method: 'POST', path: '/protocols', body });
};

const writersRow = async (bench: Bench): Promise<Row> => {
  const [growing, held] = [await startReady(below(bench, 'growing')), await startHeld(bench)];
  const samples = await loadInTurn(bench, { growing: await postingTo(growing), held: await postingTo(held) });
  const what = 'POST /protocols while the tree grows';
  return loadRow({ what, target: 'audit-writers', than: 'the same, no tree grows' }, samples.growing, samples.held);
};

export const auditLog: Measure = {
  name: 'audit-log',
  title: 'the tree of the audit log',
  run: async (bench) => {
    const events = Number(process.env['AUDIT_EVENTS'] ?? (bench.quick ? 40_000 : 1_000_000));
    const writers = await writersRow(bench);
    const small = await stepsOf(bench, Math.ceil(events / 4));
    return [writers, ...rowsOf(small, await stepsOf(bench, events))];
  },
};
