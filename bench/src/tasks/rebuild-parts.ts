// A worker of a rebuild: folds its share of the parts of the building generation until that is live.
import { setTimeout as pause } from 'node:timers/promises';
import { SqliteFacts } from '../../../dist/infrastructure/facts/sqlite.js';
import { MongoConnection } from '../../../dist/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../../dist/infrastructure/views/mongodb.js';
import { SqliteViews } from '../../../dist/infrastructure/views/sqlite.js';
import { Progress } from '../../../dist/projections/progress.js';
import { protocols } from '../../../dist/projections/protocols.js';
import { owner } from '../../../dist/projections/runner.js';
import { LEASE_MS, runSession } from '../../../dist/projections/session.js';
import { answer, taskOptions } from '../lib/task.js';

/** `views` is a directory or the URL of a MongoDB; of every `workers` parts, this is the worker of the `worker`-th. */
export interface Share {
  readonly facts: string;
  readonly views: string;
  readonly worker: number;
  readonly workers: number;
}

const share = taskOptions<Share>();
const facts = new SqliteFacts(share.facts);
const views = share.views.startsWith('mongodb:')
  ? new MongoViews(new MongoConnection(share.views))
  : new SqliteViews(share.views);
await views.prepare(protocols);
const metrics = { folded: () => undefined, stopped: () => undefined };
const log = { warn: console.error, error: console.error, info: () => undefined, debug: () => undefined };
const stores = { facts, views, progress: new Progress(views), log: log as never, metrics };

const building = (await views.checkpoints()).filter(({ state }) => state === 'building');
const mine = building.filter(({ partition }) => (partition?.index ?? 0) % share.workers === share.worker);
const live = new AbortController();
const began = Date.now();
const sessions = mine.map(async (checkpoint) => {
  const lease = await views.acquire(checkpoint, owner, LEASE_MS, () => true);
  if (lease === undefined) throw new Error('no lease of a fresh part');
  await runSession(stores, protocols, checkpoint, { lease, signal: live.signal });
});
// A server that is busy may not answer in time; the sessions are what matters.
const isBuilding = () =>
  views.checkpoints().then(
    (checkpoints) => checkpoints.some(({ state }) => state === 'building'),
    () => true,
  );
while (await isBuilding()) await pause(50);
const ended = Date.now();
live.abort();
await Promise.all(sessions);
const { user, system } = process.cpuUsage();
await facts.close();
await views.close();
answer({ began, ended, cpuSeconds: (user + system) / 1e6 });
