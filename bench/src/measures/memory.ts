// Measures how the resident memory of the service grows with the number of questionnaires that one process has stored.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { below } from '../lib/below.js';
import { repeating, sendMany } from '../lib/load.js';
import { residentMiB, type Server, startReady } from '../lib/processes.js';
import { comparedRow } from '../lib/rounds.js';
import { anInstitution, questionnaireBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';

// After this time, the projections have caught up with a burst of writes.
const SETTLED_MS = 3_000;
const MB_IN_A_MIB = 1.048576;

/** Describes the kinds of resident memory of a process, as the system reports them (proc(5)). */
const kindsOf = ({ pid }: Server): string => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kinds = [...status.matchAll(/^(RssAnon|RssFile):\s+(\d+) kB$/gm)];
    return kinds.map(([, kind, kB]) => `${kind} ${(Number(kB) / 1_024).toFixed(0)} MiB`).join(', ');
  } catch {
    return 'the system reports no kinds';
  }
};

export const memory: Measure = {
  name: 'memory',
  title: 'resident memory by the number of questionnaires',
  run: async (bench) => {
    const counts = bench.quick ? [1_000, 5_000] : [1_000, 10_000, 30_000, 100_000];
    const server = await startReady(below(bench, 'product'));
    try {
      const body = questionnaireBody(await anInstitution(server.url));
      const posting = repeating(server, { method: 'POST', path: '/protocols/questionnaires', body });
      const found: { count: number; resident: number; kinds: string }[] = [];
      let sent = 0;
      for (const count of counts) {
        await sendMany(posting, count - sent);
        sent = count;
        await pause(SETTLED_MS);
        found.push({ count, resident: residentMiB(server.pid) * MB_IN_A_MIB, kinds: kindsOf(server) });
        bench.say(`${count} questionnaires: ${residentMiB(server.pid).toFixed(0)} MiB, ${kindsOf(server)}`);
      }
      const [first, last] = [found[0], found.at(-1)];
      if (first === undefined || last === undefined) throw new Error('nothing was sent');
      const what = `resident memory after ${last.count.toLocaleString('en-GB')} questionnaires`;
      const than = `after ${first.count.toLocaleString('en-GB')}`;
      const notes = found.map(({ count, resident, kinds }) => `${count}: ${resident.toFixed(0)} MB; ${kinds}`);
      return [
        comparedRow({ what, unit: 'MB', target: 'memory-growth', than, notes }, [last.resident], [first.resident]),
        { what, unit: 'MB', ours: last.resident, target: 'memory-resident' },
      ];
    } finally {
      await server.stop();
    }
  },
};
