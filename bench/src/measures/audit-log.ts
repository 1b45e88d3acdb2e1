// The tree of the audit log: how fast it grows and is proved, what it takes of memory, and what it takes from writers.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteVault } from '../../../dist/infrastructure/vault/sqlite.js';
import { LogRecords, newState } from '../../../dist/transparency/records.js';
import type { AuditLogResult, AuditLogStep } from '../lib/audit-log.js';
import { mixedEvents, writeLog } from '../lib/log.js';
import { startReady } from '../lib/processes.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import { atLeast, atMost } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Bench, Measure, Row } from '../measure.js';
import { below, loadInTurn, loadRow } from './http.js';

const ORIGIN = 'localhost/audit/log';
/** How much more memory a log of four times the events may take. */
const FLAT_MIB = 64;

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
  const memory = (name: 'grown' | 'proved'): Pick<Row, 'ours' | 'aim' | 'notes'> => {
    const more = large[name].peakMiB - small[name].peakMiB;
    const notes = [`${small[name].peakMiB.toFixed(0)} MiB with ${small.events.toLocaleString('en-GB')} events`];
    return { ours: large[name].peakMiB, aim: atMost(FLAT_MIB, 'MiB more', more), notes };
  };
  const { checkpointMs = Number.NaN, proofMs = Number.NaN } = large.read;
  return [
    { what: `growth of the tree, ${of}`, unit: 'events/s', ours: rate(large.grown) },
    { what: `audit prove, ${of}`, unit: 'events/s', ours: rate(large.proved) },
    { what: `memory while the tree grows, ${of}`, unit: 'MiB', ...memory('grown') },
    { what: `memory of audit prove, ${of}`, unit: 'MiB', ...memory('proved') },
    { what: `state of the tree, ${of}`, unit: 'KiB', ours: large.read.stateBytes / 1_024 },
    { what: `checkpoint, ${of}`, unit: 'ms', ours: checkpointMs, aim: atMost(5, 'ms', checkpointMs) },
    { what: `inclusion proof, ${of}`, unit: 'ms', ours: proofMs, aim: atMost(5, 'ms', proofMs) },
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

const writersRow = async (bench: Bench): Promise<Row> => {
  const [growing, held] = [await startReady(below(bench, 'growing')), await startHeld(bench)];
  const requestTo = async (url: string) => {
    const body = JSON.stringify(protocolBody(await anInstitution(url)));
    return { method: 'POST', path: '/protocols', body } as const;
  };
  const samples = await loadInTurn(bench, {
    growing: { server: growing, request: await requestTo(growing.url) },
    held: { server: held, request: await requestTo(held.url) },
  });
  const row = loadRow('POST /protocols while the tree grows', samples.growing, {
    name: 'the same, no tree grows',
    samples: samples.held,
  });
  return { ...row, aim: atLeast(0.9, row.ratio) };
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
