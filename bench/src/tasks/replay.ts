// Replays the facts of a directory into a fresh read model through a projection session, as a rebuild does; personal
// fields are opened where they are sealed.
import { SqliteViews } from '../../../dist/infrastructure/views/sqlite.js';
import { allProjections } from '../../../dist/projections/all.js';
import { Progress } from '../../../dist/projections/progress.js';
import { isAlive, owner } from '../../../dist/projections/runner.js';
import { LEASE_MS, runSession } from '../../../dist/projections/session.js';
import { openEmbedded } from '../lib/people.js';
import type { Replay } from '../lib/replays.js';
import { answer, taskOptions } from '../lib/task.js';

const options = taskOptions<Replay & { readonly viewsDirectory: string }>();
const { dataDirectory, viewsDirectory, projection: name, from = 'facts' } = options;
const projection = allProjections.find((one) => one.name === name);
if (projection === undefined) throw new Error(`there is no projection ${name}`);
const stores = await openEmbedded(dataDirectory);
const views = new SqliteViews(viewsDirectory);
await views.prepare(projection);
const [checkpoint] = await views.checkpoints();
const lease = checkpoint && (await views.acquire(checkpoint, owner, LEASE_MS, isAlive));
if (checkpoint === undefined || lease === undefined) throw new Error('no lease on a fresh store');
const head = (await stores.facts.head()) ?? '';

const done = new AbortController();
let folded = 0;
const progress = new Progress(views);
const metrics = {
  folded: (_: string, events: number) => {
    folded += events;
    if ((progress.known(projection.name) ?? '') >= head) done.abort();
  },
  stopped: () => undefined,
};
const log = { warn: console.error, error: console.error, info: () => undefined, debug: () => undefined };
const started = performance.now();
await runSession({ facts: stores[from], views, progress, log: log as never, metrics }, projection, checkpoint, {
  lease,
  signal: done.signal,
});
const seconds = (performance.now() - started) / 1_000;
await views.close();
await stores.close();
answer({ events: folded, perSecond: folded / seconds });
