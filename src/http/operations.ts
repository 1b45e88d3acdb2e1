// What operators and orchestrators ask: is it alive, is it ready, how does it do.
import express, { type RequestHandler, type Router } from 'express';
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Checkpoint, Views } from '../infrastructure/views/views.js';
import { otherMethods } from './methods.js';
import type { Metrics } from './metrics.js';

export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not-ready';
  readonly reason?: string;
  readonly projections: readonly {
    readonly name: string;
    readonly state: 'current' | 'catching-up' | 'stopped';
    readonly position: Position | null;
    /** The event before which it stopped, and why. */
    readonly stopped?: { readonly position: Position; readonly reason: string };
  }[];
}

export interface OperationsOptions {
  readonly facts: Facts;
  readonly views: Views;
  readonly metrics: Metrics;
  /** The projections that the service answers from. */
  readonly projections: readonly string[];
  /** Whether the process is on its way down. */
  readonly isStopping: () => boolean;
}

/** Where what operators and orchestrators ask is served. */
export const OPERATIONS_PATHS = ['/livez', '/readyz', '/metrics'] as const;

/** The routes of operation: `/livez`, `/readyz`, `/metrics`. */
export const operationsRouter = (options: OperationsOptions): Router => {
  // At these addresses to the letter: a proxy that lets nobody at /metrics need not think of /Metrics and /metrics/.
  const router = express.Router({ caseSensitive: true, strict: true });
  const readiness = readinessOf(options);
  const get = (path: string, handle: RequestHandler) =>
    router
      .route(path)
      .get(handle)
      .all(otherMethods(['get']));
  get('/livez', (_, response) => void response.json({ status: 'alive' }));
  get('/readyz', async (_, response) => {
    const ready = await readiness();
    response.status(ready.status === 'not-ready' ? 503 : 200).json(ready);
  });
  get('/metrics', async (_, response) => {
    const stopped = await stoppedIn(options.views);
    response.type(options.metrics.contentType).send(await options.metrics.text(stopped));
  });
  return router;
};

// While the views cannot be reached, what the process counts itself is told all the same.
const stoppedIn = async (views: Views): Promise<ReadonlyMap<string, boolean>> => {
  try {
    const checkpoints = live(await views.checkpoints());
    return new Map(checkpoints.map(({ projection, stopped }) => [projection, stopped !== undefined]));
  } catch (error) {
    if (error instanceof StoreUnavailable) return new Map();
    throw error;
  }
};

/**
 * Ready once every view has folded the log as it was at start, and while both can be reached. A projection that
 * stopped before a poison event makes the service degraded, not unready: all else is served, and no other process would
 * do better.
 */
const readinessOf = ({ facts, views, projections, isStopping }: OperationsOptions) => {
  let atStart: { readonly head: Position | undefined } | undefined;
  return async (): Promise<Readiness> => {
    if (isStopping()) return notReady('the process is stopping');
    try {
      const [checkpoints, head] = await Promise.all([views.checkpoints(), facts.head()]);
      atStart ??= { head };
      return judge(live(checkpoints), projections, atStart.head);
    } catch (error) {
      return notReady(error instanceof Error ? error.message : String(error));
    }
  };
};

const notReady = (reason: string): Readiness => ({ status: 'not-ready', reason, projections: [] });

const live = (checkpoints: readonly Checkpoint[]) => checkpoints.filter(({ state }) => state === 'live');

const judge = (
  checkpoints: readonly Checkpoint[],
  names: readonly string[],
  wanted: Position | undefined,
): Readiness => {
  const projections = names.map((name) =>
    stateOf(
      name,
      checkpoints.find(({ projection }) => projection === name),
      wanted,
    ),
  );
  if (projections.some(({ state }) => state === 'catching-up')) {
    return {
      status: 'not-ready',
      reason: 'a read model has not caught up with the log as it was at start',
      projections,
    };
  }
  return { status: projections.some(({ state }) => state === 'stopped') ? 'degraded' : 'ready', projections };
};

const stateOf = (name: string, checkpoint: Checkpoint | undefined, wanted = ''): Readiness['projections'][number] => {
  const position = checkpoint?.position ?? null;
  if (checkpoint?.stopped !== undefined) return { name, state: 'stopped', position, stopped: checkpoint.stopped };
  const isCurrent = checkpoint !== undefined && (position ?? '') >= wanted;
  return { name, state: isCurrent ? 'current' : 'catching-up', position };
};
