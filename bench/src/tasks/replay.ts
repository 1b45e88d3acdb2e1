// Replays the facts of a directory into a new read model through a projection session, like a rebuild.
import { SqliteViews } from '../../../dist/infrastructure/views/sqlite/views.js';
import { allProjections } from '../../../dist/projections/all.js';
import { Progress } from '../../../dist/projections/progress.js';
import { owner } from '../../../dist/projections/runner.js';
import { LEASE_MS, runSession } from '../../../dist/projections/session.js';
import { openEmbedded } from '../lib/stores.js';
import { taskOptions, writeResult } from '../lib/task.js';

interface Options {
  readonly dataDirectory: string;
  readonly freshDirectory: string;
  /** The name of the projection. */
  readonly projection: string;
}

const { dataDirectory, freshDirectory, projection: name } = taskOptions<Options>();
const projection = allProjections.find((one) => one.name === name);
if (projection === undefined) throw new Error(`there is no projection ${name}`);
const stores = await openEmbedded(dataDirectory);
const views = new SqliteViews(freshDirectory);
await views.prepare(projection);
const [checkpoint] = await views.checkpoints();
const lease = checkpoint && (await views.acquire(checkpoint, owner, LEASE_MS));
if (checkpoint === undefined || lease === undefined) throw new Error('no lease on a new store');
const head = (await stores.facts.head()) ?? '';

const done = new AbortController();
let folded = 0;
const progress = new Progress(views);
const metrics = {
  folded: (_: string, events: number) => {
    folded += events;
    if ((progress.known(name) ?? '') >= head) done.abort();
  },
  stopped: () => undefined,
};
const log = { warn: console.error, error: console.error, info: () => undefined, debug: () => undefined };
const started = performance.now();
await runSession({ facts: stores.facts, views, progress, log: log as never, metrics }, projection, checkpoint, {
  lease,
  signal: done.signal,
});
const seconds = (performance.now() - started) / 1_000;
await views.close();
await stores.close();
writeResult({ events: folded, perSecond: folded / seconds });
