// How long /livez takes while bodies arrive that are made to keep the event loop: on the routes that anybody may call, and
// on those of administration, whose bodies may be larger.
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import type { SentBytes } from '../lib/caller.js';
import { keepDoing } from '../lib/keep-doing.js';
import { startReady } from '../lib/processes.js';
import { interleaved } from '../lib/rounds.js';
import { atMost, median, percentile } from '../lib/stats.js';
import type { Bench, Measure, Row } from '../measure.js';
import { below } from './http.js';

const CONNECTIONS = 4;
const READERS = 2;
const READ_EVERY_MS = 5;
const AIM_MS = 100;

interface Flood {
  readonly name: string;
  readonly path: string;
  readonly limit: number;
  readonly settings: Readonly<Record<string, string>>;
}

const FLOODS: readonly Flood[] = [
  { name: 'a sign-in', path: '/auth-service/auth', limit: 16_384, settings: { AUTH: 'required' } },
  {
    name: 'the dry run of a sign-up',
    path: '/auth-service/signup-model',
    limit: 65_536,
    settings: { AUTH: 'required' },
  },
  { name: 'a questionnaire', path: '/protocols/questionnaires', limit: 1_048_576, settings: {} },
];

const filled = (before: string, item: string, after: string, limit: number): string =>
  `${before}${Array(Math.floor((limit - before.length - after.length) / (item.length + 1))).fill(item)}${after}`;

/** Bodies of the most bytes that a route takes. */
const bodiesOf = (limit: number): readonly string[] => [
  filled(`{"${'k'.repeat(limit / 2)}":[`, '"\\u0001"', ']}', limit),
  filled('{"a":[', '1e999', ']}', limit),
  filled('['.repeat(100), '[]', ']'.repeat(100), limit),
  filled('{', '"a":1', '}', limit),
  filled('{"a":[', '""', '],"z":1,"z":2}', limit),
  `{${Array.from({ length: Math.floor(limit / 12) }, (_, n) => `"k${n}":1`)}}`,
  filled('{"scoreRanges":[],"questions":[', `{"options":[${Array(200).fill('{}')}]}`, ']}', limit),
  filled('{"questions":[],"scoreRanges":[', '{"minScore":1,"maxScore":1,"classification":"x"}', ']}', limit),
];

/** The requests of a flood, every other one packed. */
const requestsOf = ({ path, limit }: Flood): readonly SentBytes[] =>
  bodiesOf(limit).flatMap((body) => [
    { method: 'POST', path, content: Buffer.from(body) },
    { method: 'POST', path, content: brotliCompressSync(body), headers: { 'content-encoding': 'br' } },
  ]);

interface Looked {
  readonly p99: number;
  readonly max: number;
  readonly perSecond: number;
}

/** Looks for so long how long /livez takes while these requests come in; none of them may be a success. */
const look = async (url: string, requests: readonly SentBytes[], ms: number): Promise<Looked> => {
  let turn = 0;
  const flood = keepDoing(url, requests.length === 0 ? 0 : CONNECTIONS, async (caller) => {
    turn += 1;
    const sent = requests[turn % requests.length];
    if (sent !== undefined) await caller.answer(sent);
  });
  const times: number[] = [];
  const readers = keepDoing(url, READERS, async (caller) => {
    times.push(await caller.timed({ method: 'GET', path: '/livez' }));
    await pause(READ_EVERY_MS);
  });
  await pause(ms);
  await readers.stop();
  await flood.stop();
  return { p99: percentile(times, 0.99), max: Math.max(...times), perSecond: (flood.count() * 1_000) / ms };
};

const rowsOf = ({ name, limit }: Flood, flooded: readonly Looked[], quiet: readonly Looked[]): readonly Row[] => {
  const what = `/livez beside bodies of ${limit / 1_024} KiB for ${name}`;
  const longest = Math.max(...flooded.map(({ max }) => max));
  const without = { name: 'without them', value: Math.max(...quiet.map(({ max }) => max)) };
  const perSecond = median(flooded.map((looked) => looked.perSecond)).toFixed(0);
  const notes = [
    `${CONNECTIONS} connections, ${perSecond} bodies a second`,
    `p99: ${median(flooded.map(({ p99 }) => p99)).toFixed(0)} ms`,
  ];
  return [
    {
      what: `${what}, the longest`,
      unit: 'ms',
      ours: longest,
      baseline: without,
      notes,
      aim: atMost(AIM_MS, 'ms', longest),
    },
  ];
};

const runOne = async (bench: Bench, flood: Flood): Promise<readonly Row[]> => {
  const server = await startReady(below(bench, flood.path.replaceAll('/', '-')), flood.settings);
  try {
    const requests = requestsOf(flood);
    const ms = bench.quick ? 2_000 : 8_000;
    await look(server.url, requests, ms);
    const contenders = { flooded: () => look(server.url, requests, ms), quiet: () => look(server.url, [], ms) };
    const { flooded, quiet } = await interleaved(contenders, bench.quick ? 2 : 5);
    return rowsOf(flood, flooded, quiet);
  } finally {
    await server.stop();
  }
};

export const bodies: Measure = {
  name: 'bodies',
  title: '/livez beside bodies that are made to keep the event loop',
  run: async (bench) => {
    const rows: Row[] = [];
    for (const flood of FLOODS) rows.push(...(await runOne(bench, flood)));
    return rows;
  },
};
