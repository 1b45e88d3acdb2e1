// Measures, one by one, the parts that exist once however many machines there are: the signed tree, and the projection
// of each read model. Each goes through a log that the service recorded, on the embedded stores.
import { join } from 'node:path';
import { below } from '../lib/below.js';
import { inTurn, sendEach } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { interleaved } from '../lib/rounds.js';
import { anInstitution, questionnaireBody } from '../lib/samples.js';
import { median, spreadOf } from '../lib/stats.js';
import type { Repeated } from '../lib/wrk.js';
import type { Measure } from '../measure.js';
import { decidingOn, profilesOn } from './decisions.js';
import { perSecond } from './replay.js';

const DECISIONS = 4;

/** Has the service record `amount` events or more for each projection. */
const record = async (directory: string, amount: number): Promise<void> => {
  const server = await startReady(directory);
  const { url } = server;
  const body = questionnaireBody(await anInstitution(url));
  const one: Repeated = { method: 'POST', path: '/protocols/questionnaires', body };
  const named = (path: string) =>
    Array.from({ length: amount }, (_, n): Repeated => ({ method: 'POST', path, body: { name: `Number ${n}` } }));
  await sendEach(server, inTurn([one], amount));
  await sendEach(server, named('/institutions'));
  await sendEach(server, named('/specialties'));
  const profiles = await profilesOn(url, Math.ceil(amount / DECISIONS));
  await sendEach(server, inTurn(decidingOn(profiles), DECISIONS * profiles.length));
  await server.stop();
};

export const once: Measure = {
  name: 'once',
  title: 'the parts that exist once',
  run: async (bench) => {
    const directory = below(bench, 'product');
    const amount = bench.quick ? 500 : 20_000;
    await record(directory, amount);
    const data = join(directory, 'data');
    const projecting = (projection: string) => () => perSecond('replay', data, amount, { projection });
    const samples = await interleaved(bench, {
      'signed tree': () => perSecond('grow', data, amount),
      protocols: projecting('protocols'),
      users: projecting('users'),
      institutions: projecting('institutions'),
      specialties: projecting('specialties'),
    });
    return Object.entries(samples).map(([part, rates]) => {
      const { min, max } = spreadOf(rates);
      return {
        what: `exists once: ${part}`,
        unit: 'events/s',
        ours: median(rates),
        notes: [`${min.toFixed(0)} to ${max.toFixed(0)}`],
      };
    });
  },
};
