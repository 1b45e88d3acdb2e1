// Measures how long each operation takes with 1,000, 10,000 and 100,000 protocols, over one connection.
// `PROTOCOLS=1000000` adds a million.
import { type Account, doctorBody, makeAccounts, SIGN_IN, startGuarded } from '../lib/accounts.js';
import { below } from '../lib/below.js';
import { Caller, type Sent } from '../lib/caller.js';
import type { Server } from '../lib/processes.js';
import { comparedRow, roundsOf } from '../lib/rounds.js';
import { protocolBody, questionnaireBody } from '../lib/samples.js';
import { COMMON_PREFIX, type Seeded, seed } from '../lib/seeding.js';
import { median } from '../lib/stats.js';
import type { Bench, Measure, Row } from '../measure.js';

const SMALLEST = 1_000;
const ACCOUNTS = 8;
// Every list has 10 items with 1,000 protocols as well as with more.
const LIMIT = 'limit=10';

/** A running service with `size` protocols. */
interface Site extends Seeded {
  readonly size: number;
  readonly server: Server;
  readonly caller: Caller;
  readonly token: string;
  readonly accounts: readonly Account[];
  readonly institution: string;
  /** The cursor of a page half way through the list of protocols. */
  readonly halfWay: string;
}

type Request = Omit<Sent, 'token'>;

const get = (path: string): Request => ({ method: 'GET', path });

/** Returns a different item for each turn. Skips most items between turns, so that caches favour none. */
const pick = <Item>(items: readonly Item[], turn: number): Item => {
  const item = items[(turn * 37) % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
};

const listBy = (query: (site: Site, turn: number) => string) => (site: Site, turn: number) =>
  get(`/protocols?${LIMIT}&${query(site, turn)}`);

const NAME = `name=${encodeURIComponent(COMMON_PREFIX)}`;

const OPERATIONS: Readonly<Record<string, (site: Site, turn: number) => Request>> = {
  'POST protocol': ({ institution }) => ({
    method: 'POST',
    path: '/protocols',
    body: protocolBody(institution),
  }),
  'POST questionnaire': ({ institution }) => ({
    method: 'POST',
    path: '/protocols/questionnaires',
    body: questionnaireBody(institution),
  }),
  'PUT question': ({ questionnaires }, turn) => {
    const { id, questionId } = pick(questionnaires, turn);
    const body = { questionText: `Asked in other words, for the ${turn}th time` };
    return { method: 'PUT', path: `/protocols/${id}/questions/${questionId}`, body };
  },
  'GET protocol': ({ protocols }, turn) => get(`/protocols/${pick(protocols, turn)}`),
  'GET form': ({ questionnaires }, turn) => {
    const { id, formId } = pick(questionnaires, turn);
    return get(`/protocols/${id}/forms/${formId}`);
  },
  'list, first page': listBy(() => 'sort=createdAt'),
  'list, newest first': listBy(() => 'sort=-createdAt'),
  'list, page half way': listBy(({ halfWay }) => `cursor=${halfWay}`),
  'list by institution': listBy(({ institutions }, turn) => `institutionId=${pick(institutions, turn)}`),
  'list by name prefix': listBy(() => NAME),
  'list by institution and name': listBy(
    ({ institutions }, turn) => `${NAME}&institutionId=${pick(institutions, turn)}`,
  ),
  'list with total=true': listBy(() => 'total=true'),
  'users by e-mail': (_, turn) => get(`/users?${LIMIT}&email=${doctorBody((turn % ACCOUNTS) + 1).auth.email}`),
  'users by name prefix': () => get(`/users?${LIMIT}&name=maria`),
  'profiles by status': () => get(`/profiles?${LIMIT}&approvalStatus=ANALYSING`),
  'profiles by status and type': () => get(`/profiles?${LIMIT}&approvalStatus=ANALYSING&type=DOCTOR_GENERALIST`),
  'approve and reject': ({ people }, turn) => {
    const { id, profileId } = pick(people, Math.floor(turn / 2));
    const decision = turn % 2 === 0 ? 'approve' : 'reject';
    return { method: 'PATCH', path: `/users/${id}/profiles/${profileId}/${decision}`, body: { reason: 'Looked up.' } };
  },
  'history of a profile': ({ people }, turn) => {
    const { id, profileId } = pick(people, turn);
    return get(`/users/${id}/profiles/${profileId}/history`);
  },
  'sign-in': ({ accounts }, turn) => ({ method: 'POST', path: SIGN_IN, body: pick(accounts, turn) }),
};

interface Page {
  readonly nextCursor: string | null;
}

/** Pages through the list and returns the cursor of its middle. */
const cursorHalfWay = async (caller: Caller, token: string, size: number): Promise<string> => {
  let cursor = '';
  for (let seen = 0; seen < size / 2; seen += 200) {
    const path = `/protocols?limit=200${cursor && `&cursor=${cursor}`}`;
    const { nextCursor } = await caller.json<Page>({ ...get(path), token });
    if (nextCursor === null) throw new Error(`the list ends after ${seen} of ${size} protocols`);
    cursor = nextCursor;
  }
  return cursor;
};

const openSite = async (bench: Bench, size: number): Promise<Site> => {
  bench.say(`${size.toLocaleString('en-GB')} protocols`);
  const directory = below(bench, `protocols-${size}`);
  const seeded = await seed(directory, size);
  const guarded = await startGuarded(directory);
  const { server, token } = guarded;
  const caller = new Caller(server.url);
  const accounts = await makeAccounts(guarded, ACCOUNTS);
  const made = { method: 'POST', path: '/institutions', body: { name: 'General Hospital' }, token };
  const { id: institution } = await caller.json<{ readonly id: string }>(made);
  return {
    ...seeded,
    size,
    server,
    caller,
    token,
    accounts,
    institution,
    halfWay: await cursorHalfWay(caller, token, size),
  };
};

/**
 * Returns the median times of an operation for each site, one for each round. The sites take turns at every request.
 */
const timesOf = async (bench: Bench, sites: readonly Site[], operation: (typeof OPERATIONS)[string]) => {
  const each = bench.quick ? 10 : 40;
  const timed = async (turn: number) => {
    const times: number[] = [];
    for (const site of sites) times.push(await site.caller.timed({ ...operation(site, turn), token: site.token }));
    return times;
  };
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round <= roundsOf(bench); round += 1) {
    const times: (readonly number[])[] = [];
    for (let n = 0; n < each; n += 1) times.push(await timed(round * each + n));
    rounds.push(sites.map((_, site) => median(times.map((one) => one[site] ?? Number.NaN))));
  }
  // The first round is only a warm-up.
  return sites.map((_, site) => rounds.slice(1).map((one) => one[site] ?? Number.NaN));
};

const rowOf = (name: string, sites: readonly Site[], medians: readonly (readonly number[])[]): Row => {
  const [smallest = [], largest = []] = [medians[0], medians.at(-1)];
  const size = ({ size: protocols }: Site) => protocols.toLocaleString('en-GB');
  const steps = sites.map((site, n) => {
    const { ours, ratio } = comparedRow({ what: name, unit: 'ms', than: '' }, medians[n] ?? [], smallest);
    return `${size(site)}: ${ours.toFixed(2)} ms (${ratio.median.toFixed(2)})`;
  });
  const [first, last] = [sites[0], sites.at(-1)].map((site) => (site === undefined ? '' : size(site)));
  const row = { what: `${name}, ${last} protocols`, unit: 'ms', than: `${first} protocols`, notes: [steps.join(', ')] };
  return comparedRow(row, largest, smallest);
};

export const growth: Measure = {
  name: 'growth',
  title: 'the cost of each operation by the number of protocols',
  run: async (bench) => {
    const most = Number(process.env['PROTOCOLS'] ?? (bench.quick ? 10_000 : 100_000));
    const sites: Site[] = [];
    try {
      for (let size = SMALLEST; size <= most; size *= 10) sites.push(await openSite(bench, size));
      const rows: Row[] = [];
      for (const [name, operation] of Object.entries(OPERATIONS)) {
        rows.push(rowOf(name, sites, await timesOf(bench, sites, operation)));
      }
      return rows;
    } finally {
      for (const { caller, server } of sites) {
        caller.close();
        await server.stop();
      }
    }
  },
};
