// How the resident memory of the service grows with the questionnaires that went through one process.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { below } from '../lib/below.js';
import { CONNECTIONS } from '../lib/load.js';
import { residentMiB, type Server, startReady } from '../lib/processes.js';
import { anInstitution, questionnaireBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';

// What a burst leaves to the projections is done by then.
const SETTLED_MS = 3_000;
const LARGEST_RATIO = 1.3;
const LARGEST_MIB = 400;

/** Sends questionnaires over several connections; throws if a response is not a success. */
const sendMany = async ({ url }: Server, body: string, amount: number): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const path = '/protocols/questionnaires';
  const result = await autocannon({
    url: `${url}${path}`,
    method: 'POST',
    body,
    headers,
    connections: CONNECTIONS,
    amount,
  });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${failures} of ${amount} requests to ${path} failed`);
};

/** Returns the kinds of resident memory of a process as the system tells them (proc(5)), in words. */
const kindsOf = ({ pid }: Server): string => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kinds = [...status.matchAll(/^(RssAnon|RssFile):\s+(\d+) kB$/gm)];
    return kinds.map(([, kind, kB]) => `${kind} ${(Number(kB) / 1_024).toFixed(0)} MiB`).join(', ');
  } catch {
    return 'the system tells no kinds';
  }
};

export const memory: Measure = {
  name: 'memory',
  title: 'resident memory by the number of questionnaires',
  run: async (bench) => {
    const counts = bench.quick ? [1_000, 5_000] : [1_000, 10_000, 30_000, 100_000];
    const server = await startReady(below(bench, 'product'));
    try {
      const body = JSON.stringify(questionnaireBody(await anInstitution(server.url)));
      const found: { count: number; resident: number; kinds: string }[] = [];
      let sent = 0;
      for (const count of counts) {
        await sendMany(server, body, count - sent);
        sent = count;
        await pause(SETTLED_MS);
        found.push({ count, resident: residentMiB(server.pid), kinds: kindsOf(server) });
        bench.say(`${count} questionnaires: ${residentMiB(server.pid).toFixed(0)} MiB, ${kindsOf(server)}`);
      }
      const [first, last] = [found[0], found.at(-1)];
      if (first === undefined || last === undefined) throw new Error('nothing was sent');
      const ratio = last.resident / first.resident;
      return [
        {
          what: `resident memory after ${last.count.toLocaleString('en-GB')} questionnaires`,
          unit: 'MiB',
          ours: last.resident,
          baseline: { name: `after ${first.count.toLocaleString('en-GB')}`, value: first.resident },
          ratio: { min: ratio, median: ratio, max: ratio },
          aim: {
            text: `≤ ${LARGEST_RATIO} and < ${LARGEST_MIB} MiB`,
            met: ratio <= LARGEST_RATIO && last.resident < LARGEST_MIB,
          },
          notes: found.map(({ count, resident, kinds }) => `${count}: ${resident.toFixed(0)} MiB; ${kinds}`),
        },
      ];
    } finally {
      await server.stop();
    }
  },
};
