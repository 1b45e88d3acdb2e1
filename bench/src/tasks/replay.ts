// Replays the facts of a directory into a new read model of protocols through a projection session, like a rebuild.
import type { AllStores } from '../../../dist/infrastructure/stores.js';
import { SqliteViews } from '../../../dist/infrastructure/views/sqlite/views.js';
import { Progress } from '../../../dist/projections/progress.js';
import { protocols } from '../../../dist/projections/protocols.js';
import { owner } from '../../../dist/projections/runner.js';
import { LEASE_MS, runSession } from '../../../dist/projections/session.js';
import { openStores } from '../../../dist/stores.js';
import { taskOptions, writeResult } from '../lib/task.js';

const fail = (): never => {
  throw new Error('the personal fields of a new log cannot be decrypted');
};

/** Opens the embedded stores of a directory. */
const openEmbedded = (directory: string): Promise<AllStores> => {
  const engines = {
    roles: [],
    eventStoreUrl: undefined,
    mongoDbUrl: undefined,
    redisUrl: undefined,
    masterKeys: undefined,
    erasureList: undefined,
  };
  const sealing = { withoutKey: fail, tampered: fail, damaged: fail };
  return openStores({ dataDirectory: directory, ...engines }, { onError: console.error, sealing });
};

const { dataDirectory, viewsDirectory } = taskOptions<{ dataDirectory: string; viewsDirectory: string }>();
const stores = await openEmbedded(dataDirectory);
const views = new SqliteViews(viewsDirectory);
await views.prepare(protocols);
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
    if ((progress.known(protocols.name) ?? '') >= head) done.abort();
  },
  stopped: () => undefined,
};
const log = { warn: console.error, error: console.error, info: () => undefined, debug: () => undefined };
const started = performance.now();
await runSession({ facts: stores.facts, views, progress, log: log as never, metrics }, protocols, checkpoint, {
  lease,
  signal: done.signal,
});
const seconds = (performance.now() - started) / 1_000;
await views.close();
await stores.close();
writeResult({ events: folded, perSecond: folded / seconds });
