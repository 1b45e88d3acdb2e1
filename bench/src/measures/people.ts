// Users and the audit: deciding on profiles, a page of users, a history of 1,000 decisions, the audit trail as a stream.
import { join } from 'node:path';
import type { Caller } from '../lib/caller.js';
import { openEmbedded, type Somebody, writePeople } from '../lib/people.js';
import { startReady } from '../lib/processes.js';
import { rateOf } from '../lib/rate.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import { atLeast } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Bench, Measure } from '../measure.js';
import { below } from './http.js';
import { pairRow } from './pair.js';

const DECISIONS = 1_000;
const PAGE = 200;

/** Decides on the profiles of as many people as there are connections, the other way each time. */
const deciding = (people: readonly Somebody[]) => {
  const decided = new Map<number, number>();
  return (caller: Caller, connection: number) => {
    const turn = (decided.get(connection) ?? 0) + 1;
    decided.set(connection, turn);
    const { id, profileId } = people[connection] ?? { id: '', profileId: '' };
    const decision = turn % 2 === 0 ? 'reject' : 'approve';
    const path = `/users/${id}/profiles/${profileId}/${decision}`;
    return caller.text({ method: 'PATCH', path, body: { reason: 'Looked up.' } });
  };
};

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
};

/** Reads a list to its end, page by page; gives how many items there were. */
const readAll = async (url: string): Promise<number> => {
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await fetch(`${url}?limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
    const page = (await answer.json()) as { items: readonly unknown[]; nextCursor: string | null };
    count += page.items.length;
    cursor = page.nextCursor;
  }
  return count;
};

const linesOf = async (url: string): Promise<number> => {
  const { body } = await fetch(url, { headers: { accept: 'application/x-ndjson' } });
  let lines = 0;
  for await (const chunk of body ?? []) for (const byte of chunk) if (byte === 0x0a) lines += 1;
  return lines;
};

const historyRow = (bench: Bench, url: string, judged: Somebody | undefined) => {
  const path = `/users/${judged?.id}/profiles/${judged?.profileId}`;
  const history = async () => {
    const steps = await readAll(`${url}${path}/history`);
    if (steps !== DECISIONS + 1) throw new Error(`${steps} steps were answered`);
  };
  return pairRow(
    bench,
    { what: `history of ${DECISIONS} decisions, pages of ${PAGE}`, unit: 's', than: 'the profile, asOf now' },
    [
      () => seconds(history),
      () => seconds(() => fetch(`${url}${path}?asOf=${new Date().toISOString()}`).then((answer) => answer.text())),
    ],
  );
};

const trailRow = (bench: Bench, url: string, factsDirectory: string) => {
  return pairRow(bench, { what: '/audit/events as JSON lines', unit: 'events/s', than: 'read + JSON.parse' }, [
    async () => {
      const started = performance.now();
      return ((await linesOf(`${url}/audit/events`)) * 1_000) / (performance.now() - started);
    },
    async () => (await runTask<{ perSecond: number }>('read', { factsDirectory })).perSecond,
  ]);
};

export const people: Measure = {
  name: 'people',
  title: 'users and the audit',
  run: async (bench) => {
    const directory = below(bench, 'product');
    const factsDirectory = join(directory, 'data');
    const stores = await openEmbedded(factsDirectory);
    const all = await writePeople(stores.facts, bench.quick ? 2_000 : 20_000, 1);
    const [judged] = await writePeople(stores.facts, 1, DECISIONS);
    await stores.close();
    const { url, stop } = await startReady(directory);
    try {
      const each = bench.quick ? 20 : 300;
      const body = protocolBody(await anInstitution(url));
      const approve = deciding(all);
      const approved = await pairRow(
        bench,
        { what: 'PATCH …/approve and reject', unit: 'requests/s', than: 'POST /protocols' },
        [
          () => rateOf(url, each, approve),
          () => rateOf(url, each, (caller) => caller.text({ method: 'POST', path: '/protocols', body })),
        ],
      );
      const get = (path: string) => () =>
        rateOf(url, each, () => fetch(`${url}${path}`).then((answer) => answer.text()));
      const listed = await pairRow(
        bench,
        { what: 'GET /users, a page of 50', unit: 'requests/s', than: 'GET of one user' },
        [get('/users?limit=50'), get(`/users/${judged?.id}`)],
      );
      const told = await historyRow(bench, url, judged);
      const streamed = await trailRow(bench, url, factsDirectory);
      return [{ ...approved, aim: atLeast(0.85, approved.ratio) }, listed, told, streamed];
    } finally {
      await stop();
    }
  },
};
