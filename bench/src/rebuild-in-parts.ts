// What a rebuild in parts gains, by hand, once `npm run bench` has built it:
// `node bench/dist/rebuild-in-parts.js [EVENTS] [ROUNDS]`. SQLite always; where MONGODB_URL is set, MongoDB too, as it is
// and at 5 ms a round trip.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoConnection } from '../../dist/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../dist/infrastructure/views/mongodb.js';
import { SqliteViews } from '../../dist/infrastructure/views/sqlite.js';
import type { Views } from '../../dist/infrastructure/views/views.js';
import { protocols } from '../../dist/projections/protocols.js';
import { atDistance } from './lib/distance.js';
import { mixedEvents, writeLog } from './lib/log.js';
import { median } from './lib/stats.js';
import { runTask } from './lib/task.js';
import type { Share } from './tasks/rebuild-parts.js';

interface Result {
  readonly began: number;
  readonly ended: number;
  readonly cpuSeconds: number;
}

interface Engine {
  readonly name: string;
  /** Where fresh views are: a directory or a URL. */
  readonly place: () => string;
}

const ROUND_TRIP_MS = 5;
const SHAPES = [
  { parts: 1, workers: 1 },
  { parts: 2, workers: 1 },
  { parts: 4, workers: 1 },
  { parts: 2, workers: 2 },
  { parts: 4, workers: 2 },
] as const;

const work = process.env['BENCH_DIR'] ?? fileURLToPath(new URL('../data', import.meta.url));
mkdirSync(work, { recursive: true });
const directory = mkdtempSync(join(work, 'parts-'));

const enginesOf = async (url: string | undefined): Promise<readonly Engine[]> => {
  const sqlite = { name: 'SQLite', place: () => mkdtempSync(join(directory, 'views-')) };
  if (url === undefined) return [sqlite];
  const { hostname, port } = new URL(url);
  const fresh = (at: number | string) => `mongodb://${hostname}:${at}/parts_${randomUUID().slice(0, 8)}`;
  const distant = await atDistance(Number(port), ROUND_TRIP_MS);
  return [
    sqlite,
    { name: 'MongoDB', place: () => fresh(port) },
    { name: `MongoDB at ${ROUND_TRIP_MS} ms`, place: () => `${fresh(distant)}?directConnection=true` },
  ];
};

const viewsAt = (place: string): Views =>
  place.startsWith('mongodb:') ? new MongoViews(new MongoConnection(place)) : new SqliteViews(place);

const rebuild = async (facts: string, place: string, { parts, workers }: (typeof SHAPES)[number]) => {
  const views = viewsAt(place);
  await views.prepare(protocols);
  await views.startGeneration(protocols, parts);
  await views.close();
  const shares: Share[] = Array.from({ length: workers }, (_, worker) => ({ facts, views: place, worker, workers }));
  const results = await Promise.all(shares.map((share) => runTask<Result>('rebuild-parts', share)));
  const seconds =
    (Math.max(...results.map(({ ended }) => ended)) - Math.min(...results.map(({ began }) => began))) / 1_000;
  return { seconds, cpu: results.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) };
};

const main = async ([events = '100000', rounds = '3']: readonly string[]): Promise<void> => {
  const facts = join(directory, 'facts');
  await writeLog(facts, mixedEvents(Number(events)));
  for (const { name, place } of await enginesOf(process.env['MONGODB_URL'])) {
    const seen = SHAPES.map((shape) => ({ shape, seconds: [] as number[], cpu: [] as number[] }));
    for (let round = 0; round < Number(rounds); round += 1) {
      for (const { shape, seconds, cpu } of seen) {
        const result = await rebuild(facts, place(), shape);
        seconds.push(result.seconds);
        cpu.push(result.cpu);
      }
    }
    for (const { shape, seconds, cpu } of seen) {
      const said = [`${shape.parts} part(s)`, `${shape.workers} process(es)`, `${median(seconds).toFixed(1)} s`];
      console.log(
        [
          name,
          ...said,
          `(${seconds.map((each) => each.toFixed(1)).join(', ')})`,
          `cpu ${median(cpu).toFixed(1)} s`,
        ].join('  '),
      );
    }
  }
};

main(process.argv.slice(2))
  .finally(() => rmSync(directory, { recursive: true, force: true }))
  .then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
