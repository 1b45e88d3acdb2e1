// Measures what grows with the log: the memory of the service, its files, and the time of a start.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { below } from '../lib/below.js';
import { inTurn, sendEach } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { pairRow } from '../lib/rounds.js';
import { anInstitution, protocolBody, questionnaireBody } from '../lib/samples.js';
import type { Bench, Measure, Row } from '../measure.js';

/** After this time, the projections and the tree have what a burst wrote. */
const SETTLED_MS = 5_000;

/** Starts the service, posts a body this often, and stops. Returns the resident memory at the end, in MB. */
const writeTo = async (
  directory: string,
  path: string,
  bodyOf: typeof protocolBody,
  amount: number,
): Promise<number> => {
  const server = await startReady(directory);
  const body = bodyOf(await anInstitution(server.url));
  await sendEach(server, inTurn([{ method: 'POST', path, body }], amount));
  await pause(SETTLED_MS);
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  await server.stop();
  return (Number(kilobytes) * 1_024) / 1e6;
};

/** Returns the kilobytes of the stores. The service has stopped, so no write-ahead log is left. */
const kilobytesIn = (directory: string): number =>
  readdirSync(join(directory, 'data'))
    .filter((file) => file.endsWith('.sqlite'))
    .reduce((sum, file) => sum + statSync(join(directory, 'data', file)).size / 1_000, 0);

const startOn = async (directory: string): Promise<number> => {
  const at = performance.now();
  const server = await startReady(directory);
  const milliseconds = performance.now() - at;
  await server.stop();
  return milliseconds;
};

export const growth: Measure = {
  name: 'growth',
  title: 'memory, files and the start',
  run: async (bench: Bench) => {
    const [full, empty] = [below(bench, 'full'), below(bench, 'empty')];
    const scale = bench.quick ? 0.01 : 1;
    const [questionnaires, events] = [100_000 * scale, 1_000_000 * scale];
    const amount = (count: number) => count.toLocaleString('en-GB');
    bench.say(`${amount(questionnaires)} questionnaires`);
    const resident = await writeTo(full, '/protocols/questionnaires', questionnaireBody, questionnaires);
    const before = kilobytesIn(full);
    // A questionnaire is two events.
    const protocols = events - 2 * questionnaires;
    bench.say(`${amount(protocols)} protocols`);
    await writeTo(full, '/protocols', protocolBody, protocols);
    const kilobytes = (kilobytesIn(full) - before) / protocols;
    await startOn(empty);
    const row = { what: `start with ${amount(events)} events`, unit: 'ms', target: 'start', than: 'without' } as const;
    const start = await pairRow(bench, row, { ours: () => startOn(full), theirs: () => startOn(empty) });
    const memory: Row = {
      what: `resident memory after ${amount(questionnaires)} questionnaires`,
      unit: 'MB',
      ours: resident,
      target: 'memory-resident',
    };
    return [memory, { what: 'disk for a POST /protocols', unit: 'KB', ours: kilobytes, target: 'disk' }, start];
  },
};
