// What a command costs on a stream of 10, 1,000 and 10,000 events: while its state is cached, and as the first command
// on that stream after a restart.
import { join } from 'node:path';
import { Author } from '../lib/author.js';
import { Caller } from '../lib/caller.js';
import { clock, writeLog } from '../lib/log.js';
import { startProduct, untilReady } from '../lib/processes.js';
import { median, percentile, type Spread, spreadOf } from '../lib/stats.js';
import type { Bench, Measure, Row } from '../measure.js';

const LENGTHS = [10, 1_000, 10_000] as const;
type Length = (typeof LENGTHS)[number];
type Times = Record<Length, number[]>;

const noTimes = (): Times => ({ 10: [], 1000: [], 10000: [] });

/** Writes a stream of each length, and one more to warm the process on; gives their authors. */
const writeStreams = async (bench: Bench) => {
  const now = clock();
  const authors = { warm: new Author(now), 10: new Author(now), 1000: new Author(now), 10000: new Author(now) };
  const rowsOf = (author: Author, length: number) => {
    const rows = author.begin();
    while (rows.length < length) rows.push(...author.edit());
    return rows;
  };
  const lengths = [['warm', 50], ...LENGTHS.map((length) => [length, length] as const)] as const;
  await writeLog(
    join(bench.directory, 'data'),
    lengths.flatMap(([name, length]) => rowsOf(authors[name], length)),
  );
  return authors;
};

type Authors = Awaited<ReturnType<typeof writeStreams>>;

let counter = 0;
const revise = (caller: Caller, author: Author) => {
  counter += 1;
  const body = { questionText: `Asked in other words, for the ${counter}th time` };
  return caller.timed({ method: 'PUT', path: `/protocols/${author.id}/questions/${author.questionId}`, body });
};

/** One life of the server: warm it on another stream, time the first command on each stream, then many. */
const oneLife = async (bench: Bench, authors: Authors, life: number, commands: number) => {
  const server = await startProduct(bench.directory);
  const caller = new Caller(server.url);
  try {
    await untilReady(server);
    for (let warm = 0; warm < 300; warm += 1) await revise(caller, authors.warm);
    const [cold, cached] = [noTimes(), noTimes()];
    const order = LENGTHS.map((_, at) => LENGTHS[(at + life) % LENGTHS.length] ?? 10);
    for (const length of order) cold[length].push(await revise(caller, authors[length]));
    for (let turn = 0; turn < commands; turn += 1) {
      for (const length of order) cached[length].push(await revise(caller, authors[length]));
    }
    return { cold, cached };
  } finally {
    caller.close();
    await server.stop();
  }
};

/** A line: a figure of one length by life of the server, beside that of length 10. */
const rowOf = (what: string, length: Length, figures: readonly Times[], figure: (times: number[]) => number): Row => {
  const [ours, short] = [figures.map((times) => figure(times[length])), figures.map((times) => figure(times[10]))];
  const ratio: Spread = spreadOf(ours.map((value, life) => value / (short[life] ?? Number.NaN)));
  return {
    what: `${what}, stream of ${length.toLocaleString('en-GB')} events`,
    unit: 'ms',
    ours: median(ours),
    ...(length !== 10 && { baseline: { name: 'stream of 10', value: median(short) }, ratio }),
  };
};

export const latency: Measure = {
  name: 'latency',
  title: 'a command by the length of its stream',
  run: async (bench) => {
    const authors = await writeStreams(bench);
    const lives = [];
    for (let life = 0; life < (bench.quick ? 3 : 9); life += 1) {
      lives.push(await oneLife(bench, authors, life, bench.quick ? 200 : 1_000));
    }
    const [cached, cold] = [lives.map((life) => life.cached), lives.map((life) => life.cold)];
    return [
      ...LENGTHS.map((length) => rowOf('PUT of a question, p50', length, cached, (times) => percentile(times, 0.5))),
      ...LENGTHS.map((length) => rowOf('PUT of a question, p99', length, cached, (times) => percentile(times, 0.99))),
      ...LENGTHS.map((length) => rowOf('first PUT after a restart', length, cold, median)),
    ];
  },
};
