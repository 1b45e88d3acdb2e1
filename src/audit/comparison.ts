// Compares the read models with the log: replays the whole log into empty read models and compares every document.
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Log } from '../infrastructure/log.js';
import { type Document, documentPages, type Views } from '../infrastructure/views/views.js';
import { Progress } from '../projections/progress.js';
import type { Projection } from '../projections/projection.js';
import { ProjectionRunner } from '../projections/runner.js';
import type { SessionMetrics } from '../projections/session.js';

/** A document that differs between the live read models and a replay of the log. */
interface Difference {
  readonly collection: string;
  readonly id: string;
  readonly kind: 'missing' | 'not-in-the-log' | 'different';
}

/** The log, the live read models, and empty read models (of any engine) for the replay. */
export interface Compared {
  readonly facts: Facts;
  readonly live: Views;
  readonly fresh: Views;
  readonly projections: readonly Projection[];
  readonly log: Log;
  /** How long read models may make no progress before the comparison fails, in milliseconds. Default: 30 s. */
  readonly stalledMs?: number | undefined;
}

// Taking over a lease, or reconnecting to an engine, takes less time than this.
const STALLED_MS = 30_000;

const POLL_MS = 500;

const ignoredMetrics: SessionMetrics = { folded: () => {}, stopped: () => {} };

/**
 * Replays the whole log into new read models and compares them with the live read models. Rejects if a projection
 * cannot fold an event, or if the live read models are behind and no worker updates them.
 */
export const compareWithReplay = async (compared: Compared) => {
  const { facts, live, fresh, projections, log } = compared;
  for (const projection of projections) await fresh.prepare(projection);
  const progress = new Progress(fresh);
  const runner = new ProjectionRunner({ facts, views: fresh, progress, log, metrics: ignoredMetrics }, projections);
  const sides = [
    { views: fresh, progress, label: 'the replay of' },
    { views: live, progress: new Progress(live), label: 'the live' },
  ];
  try {
    const head = await headReachedBy(sides, compared);
    const { documents, differences } = await compareCollections(compared);
    if (differences.length === 0) return { head, documents, differences };
    // A document may have changed during the comparison: compares it again, at a later head.
    const later = await headReachedBy(sides, compared);
    return { head: later, documents, differences: await differencesAmong(compared, differences) };
  } finally {
    await runner.close();
  }
};

/** The replay or the live read models. `label` precedes the name of a read model in messages. */
interface Side {
  readonly views: Views;
  readonly progress: Progress;
  readonly label: string;
}

const headReachedBy = async (sides: readonly Side[], { facts, projections, stalledMs }: Compared) => {
  const head = await facts.head();
  if (head === undefined) return head;
  for (const { name } of projections) for (const side of sides) await waitForHead(side, name, head, stalledMs);
  return head;
};

const waitForHead = async (side: Side, name: string, head: Position, stalledMs = STALLED_MS): Promise<void> => {
  const { views, progress, label } = side;
  let [known, since] = [progress.known(name), performance.now()];
  while (!(await progress.reached(name, head, POLL_MS))) {
    await mustNotHaveStopped(views, name, label);
    if (progress.known(name) !== known) [known, since] = [progress.known(name), performance.now()];
    if (performance.now() - since < stalledMs) continue;
    throw new Error(
      `${label} ${name} is behind the log, at ${known ?? 'the beginning'}, and no worker updates it: start a worker`,
    );
  }
};

const mustNotHaveStopped = async (views: Views, name: string, label: string): Promise<void> => {
  for (const { projection, state, stopped } of await views.checkpoints()) {
    if (projection === name && state === 'live' && stopped !== undefined) {
      throw new Error(`${label} ${name} stopped before ${stopped.position}: ${stopped.reason}`);
    }
  }
};

const compareCollections = async ({ live, fresh, projections }: Compared) => {
  const differences: Difference[] = [];
  let documents = 0;
  for (const { name: collection } of projections.flatMap((projection) => projection.collections)) {
    for await (const { id, kind } of compared(collection, live, fresh)) {
      documents += 1;
      if (kind !== 'same') differences.push({ collection, id, kind });
    }
  }
  return { documents, differences };
};

/** Yields every document of a collection in the live read models or the replay, and the kind of its difference. */
async function* compared(collection: string, live: Views, fresh: Views) {
  for await (const document of all(live, collection)) {
    yield { id: document.id, kind: kindOf(document, await fresh.get(collection, document.id)) };
  }
  for await (const { id } of all(fresh, collection)) {
    if ((await live.get(collection, id)) === undefined) yield { id, kind: 'missing' as const };
  }
}

/** Compares documents that differed again, and returns those that still differ. */
const differencesAmong = async ({ live, fresh }: Compared, differences: readonly Difference[]) => {
  const remaining: Difference[] = [];
  for (const { collection, id } of differences) {
    const kind = kindOf(await live.get(collection, id), await fresh.get(collection, id));
    if (kind !== 'same') remaining.push({ collection, id, kind });
  }
  return remaining;
};

async function* all(views: Views, collection: string): AsyncGenerator<Document> {
  for await (const documents of documentPages(views, collection)) yield* documents;
}

const kindOf = (live: Document | undefined, replay: Document | undefined): Difference['kind'] | 'same' => {
  if (live === undefined) return replay === undefined ? 'same' : 'missing';
  if (replay === undefined) return 'not-in-the-log';
  return live.body === replay.body && live.revision === replay.revision ? 'same' : 'different';
};
