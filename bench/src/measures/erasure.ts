// How long an erasure takes beside many stored responses, which are the erased person's own or others'.
import { join } from 'node:path';
import { Caller } from '../lib/caller.js';
import { newId } from '../lib/ids.js';
import { openEmbedded, type Somebody, writePeople } from '../lib/people.js';
import { startReady } from '../lib/processes.js';
import { spreadOf } from '../lib/stats.js';
import type { Bench, Measure, Row } from '../measure.js';
import { below } from './http.js';

const AT_ONCE = 500;
const KEPT_MS = 86_400_000;
// A user with a few profiles, sealed and in base64.
const RESPONSE = 'x'.repeat(4_000);

/** Writes people, and responses that were stored for requests about them. */
const prepare = async (directory: string, people: number, responses: number): Promise<readonly Somebody[]> => {
  const stores = await openEmbedded(join(directory, 'data'));
  const all = await writePeople(stores.facts, people, 1);
  const store = async (n: number) => {
    const sealed = { persons: [all[n % people]?.id], sealed: RESPONSE };
    const value = { payload: '0'.repeat(64), seed: { random: '0'.repeat(32), at: 0 }, sealed };
    await stores.vault.insert({ kind: 'idempotency', key: newId(), value, expiresAt: Date.now() + KEPT_MS });
  };
  for (let from = 0; from < responses; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, responses - from) }, (_, n) => store(from + n)));
  }
  await stores.close();
  return all;
};

const rowFor = async (bench: Bench, people: number, responses: number): Promise<Row> => {
  const directory = below(bench, `responses-${responses}`);
  const all = await prepare(directory, people, responses);
  const { url, stop } = await startReady(directory);
  const caller = new Caller(url);
  try {
    const took: number[] = [];
    for (const { id } of all) {
      took.push(await caller.timed({ method: 'DELETE', path: `/users/${id}/personal-data` }));
    }
    const { median, min, max } = spreadOf(took);
    const what = `erasure of a person, ${responses.toLocaleString('en-GB')} stored responses`;
    return { what, unit: 'ms', ours: median, notes: [`${min.toFixed(0)} to ${max.toFixed(0)} ms, ${people} persons`] };
  } finally {
    caller.close();
    await stop();
  }
};

export const erasure: Measure = {
  name: 'erasure',
  title: 'erasure beside stored responses',
  run: async (bench) => {
    const people = bench.quick ? 5 : 30;
    return [await rowFor(bench, people, 0), await rowFor(bench, people, bench.quick ? 6_000 : 60_000)];
  },
};
