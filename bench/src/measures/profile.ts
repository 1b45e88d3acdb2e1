// Profiles the thread that serves: the shares of its busy time, for POST /protocols and for a questionnaire.
import { below } from '../lib/below.js';
import { mainThreadProfile, timesOf } from '../lib/cpu-profile.js';
import { load, repeating } from '../lib/load.js';
import { startProfiled } from '../lib/processes.js';
import { anInstitution, protocolBody, questionnaireBody } from '../lib/samples.js';
import type { Bench, Measure, Row } from '../measure.js';

interface Profiled {
  /** The share of each part, in percent. */
  readonly shares: Readonly<Record<string, number>>;
  /** The busy time of the thread for a request, in microseconds. */
  readonly each: number;
}

const profileOf = async (
  bench: Bench,
  path: string,
  bodyOf: (institutionId: string) => object,
  checkout?: string,
): Promise<Profiled> => {
  const directory = below(bench, `${checkout === undefined ? 'now' : 'before'}${path.replaceAll('/', '-')}`);
  const profiles = below({ directory }, 'profiles');
  const server = await startProfiled(directory, profiles, checkout);
  const body = bodyOf(await anInstitution(server.url));
  const posting = repeating(server, { method: 'POST', path, body });
  await load(posting, 2);
  const clock = () => Number(process.hrtime.bigint() / 1_000n);
  const from = clock();
  const { requests } = await load(posting, bench.quick ? 2 : 8);
  const to = clock();
  await server.stop();
  const times = timesOf(mainThreadProfile(profiles), from, to);
  const busy = Object.values(times).reduce((sum, time) => sum + time, 0);
  const shares = Object.fromEntries(Object.entries(times).map(([part, time]) => [part, (time / busy) * 100]));
  return { shares, each: busy / requests };
};

/** Returns the rows of this build, or of the build in another checkout. */
const rowsOf = async (bench: Bench, of: string, checkout?: string): Promise<readonly Row[]> => {
  const protocol = await profileOf(bench, '/protocols', protocolBody, checkout);
  const questionnaire = await profileOf(bench, '/protocols/questionnaires', questionnaireBody, checkout);
  const row = (what: string, unit: string, ours: number, value = Number.NaN) => ({
    what: `POST, serving thread${of}: ${what}`,
    unit,
    ours,
    baseline: { name: 'questionnaire', value },
  });
  return [
    row('busy', 'µs', protocol.each, questionnaire.each),
    ...Object.entries(protocol.shares).map(([part, share]) => row(part, '%', share, questionnaire.shares[part])),
  ];
};

/** Returns the measure that profiles the service, and the build in another checkout if there is one. */
export const profile = (checkout: string | undefined): Measure => ({
  name: 'profile',
  title: 'the busy time of the thread that serves, POST /protocols and POST questionnaire',
  run: async (bench) => [
    ...(checkout === undefined ? [] : await rowsOf(bench, ', before', checkout)),
    ...(await rowsOf(bench, '')),
  ],
});
