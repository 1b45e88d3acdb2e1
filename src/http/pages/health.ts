// Liveness, readiness and metrics for operators and orchestrators.
import { z } from 'zod';
import { lastKnown } from '../../infrastructure/async.js';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import type { Facts, Position } from '../../infrastructure/facts/facts.js';
import type { Fault, FaultSource } from '../../infrastructure/fault.js';
import type { Log } from '../../infrastructure/log.js';
import type { Checkpoint, Views } from '../../infrastructure/views/views.js';
import { allProjections } from '../../projections/all.js';
import type { Progress } from '../../projections/progress.js';
import { recognized, unidentified } from '../access/access.js';
import { get, type Route } from '../route/route.js';

const ProjectionReadiness = z
  .object({
    name: z.string(),
    state: z.enum(['current', 'catching-up', 'stopped']),
    position: z.string().nullable().exactOptional().describe('Only for administrators and, in open mode, everyone.'),
    stopped: z
      .object({ position: z.string(), reason: z.string() })
      .exactOptional()
      .describe('The event before which the read model stopped, and the reason. Restricted like `position`.'),
  })
  .meta({ id: 'ProjectionReadiness' });

const ReadinessFault = z.object({ code: z.string(), detail: z.string() }).meta({ id: 'ReadinessFault' });

export const Readiness = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'not-ready'])
      .describe('`degraded`: all requests are served, but an operator should handle the faults in this response.'),
    reason: z
      .string()
      .exactOptional()
      .describe('Why the process is not ready. Only callers who see `position` see more than the name of a store.'),
    faults: z
      .array(ReadinessFault)
      .readonly()
      .exactOptional()
      .describe('Faults other than stopped read models. Absent if there are none.'),
    projections: z.array(ProjectionReadiness),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

// Without it, a viewer would show `ready`, the first value of `status`, under 503.
const STOPPING: Readiness = { status: 'not-ready', reason: 'the process is stopping', projections: [] };

/** The status of the process, as its home page shows it. */
export type Status = Readiness['status'];

/** The metrics of the process, as Prometheus scrapes them. */
export interface ScrapedMetrics {
  readonly contentType: string;
  /** Returns the metrics as text. `stopped` maps every projection to whether it waits before a poison event. */
  text(stopped: ReadonlyMap<string, boolean>): Promise<string>;
}

export interface HealthOptions {
  readonly facts: Facts;
  readonly views: Views;
  readonly progress: Pick<Progress, 'reached'>;
  readonly metrics: ScrapedMetrics;
  /** Other sources of faults that make the service degraded. */
  readonly faults?: readonly FaultSource[];
  /** Returns whether the process is stopping. */
  readonly isStopping: () => boolean;
  readonly log: Log;
}

/** The probes of the process, and its status for the home page. */
export interface Health {
  readonly probes: readonly Route[];
  readonly status: () => Promise<Status>;
}

/** Returns the routes of `/livez`, `/readyz` and `/metrics`, and the status of the process. */
export const healthOf = (options: HealthOptions): Health => {
  const faults = faultsOf(options);
  const readiness = readinessOf(options, faults);
  const metrics = metricsOf(options, faults);
  const probe = {
    access: { who: unidentified, rate: 'unlimited', personal: false },
    isProbe: true,
    recordsNothing: true,
  } as const;
  const probes = [
    get('/livez', {
      ...probe,
      name: 'getLiveness',
      summary: 'Checks whether the process is alive',
      description: 'A process that responds is alive. The check does not use any store.',
      responses: { 200: z.object({ status: z.literal('alive') }).meta({ id: 'Liveness' }) },
      handle: async () => ({ json: '{"status":"alive"}' }),
    }),
    get('/readyz', {
      ...probe,
      // Positions reveal how much everybody has recorded, and the reason of an outage may contain an address.
      access: { ...probe.access, who: recognized },
      name: 'getReadiness',
      summary: 'Checks whether the process can serve requests',
      description: 'The process becomes ready when every read model has caught up with the end of the log at start.',
      responses: { 200: Readiness, 503: Readiness.meta({ examples: [STOPPING] }) },
      handle: async ({ seesAll }) => {
        const ready = await readiness(seesAll);
        const status = ready.status === 'not-ready' ? 503 : 200;
        return { status, json: JSON.stringify(seesAll ? ready : withoutPositions(ready)) };
      },
    }),
    get('/metrics', {
      ...probe,
      name: 'getMetrics',
      summary: 'Returns the metrics of the process',
      description: "The response is in Prometheus's text format.",
      type: 'text/plain',
      responses: { 200: z.string() },
      handle: async () => ({ json: await metrics(), headers: { 'Content-Type': options.metrics.contentType } }),
    }),
  ];
  return { probes, status: async () => (await readiness(false)).status };
};

// Also omits the reason of a stop, because it describes an event.
const withoutPositions = ({ projections, ...readiness }: Readiness): Readiness => ({
  ...readiness,
  projections: projections.map(({ name, state }) => ({ name, state })),
});

// Collecting the metrics takes a millisecond or two, and anybody may request them.
const METRICS_SHARED_MS = 1_000;

/**
 * Returns a function that returns the text of the metrics. Calls within a second share the text. The sources of faults
 * also record metrics.
 */
const metricsOf = ({ views, metrics }: HealthOptions, faults: FaultSource): (() => Promise<string>) => {
  const stopped = lastKnown(() => stoppedIn(views), new Map());
  const collected = async () => {
    const [projections] = await Promise.all([stopped(), faults()]);
    return metrics.text(projections);
  };
  let text: Promise<string> | undefined;
  let expiresAt = 0;
  return () => {
    if (text !== undefined && performance.now() < expiresAt) return text;
    expiresAt = performance.now() + METRICS_SHARED_MS;
    text = collected();
    return text;
  };
};

// While the views are unreachable, the process still exposes its own metrics.
const stoppedIn = async (views: Views): Promise<ReadonlyMap<string, boolean>> => {
  try {
    const checkpoints = live(await views.checkpoints());
    return new Map(checkpoints.map(({ projection, stopped }) => [projection, stopped !== undefined]));
  } catch (error) {
    if (error instanceof StoreUnavailable) return new Map();
    throw error;
  }
};

// Anybody may ask, so that a source is asked at most once a second.
const FAULTS_FRESH_MS = 1_000;

/** Returns a source that asks all other sources at the same time, and takes the last known faults of a silent one. */
const faultsOf = ({ faults = [] }: HealthOptions): FaultSource => {
  const sources = faults.map((source) => lastKnown(source, [], { freshMs: FAULTS_FRESH_MS }));
  return async () => (await Promise.all(sources.map((source) => source()))).flat();
};

/**
 * Returns the readiness check. The process is ready when every projection has folded the log up to its end at start,
 * and while facts and views are reachable. A projection that stopped before a poison event, or another fault that
 * leaves the service usable, makes it degraded instead of unready: everything else is served, and no other process
 * would do better. A silent store counts as it was last known. `isWhole`: the caller may see why a store is
 * unavailable.
 */
const readinessOf = (options: HealthOptions, faults: FaultSource) => {
  const projections = lastKnown(projectionsOf(options), notReady('no store has responded since the start'));
  return async (isWhole: boolean): Promise<Readiness> => {
    if (options.isStopping()) return STOPPING;
    const [found, others] = await Promise.all([projections(), faults()]);
    return 'error' in found ? notReady(reasonOf(found.error, isWhole)) : degradedBy(others, found);
  };
};

/** Returns a function that returns the readiness of the projections, or the error of a store. Logs each outage once. */
const projectionsOf = ({ facts, views, progress, log }: HealthOptions) => {
  let isReported = false;
  let atStart: { readonly head: Position | undefined } | undefined;
  const isPast = (name: string, position: Position) => progress.reached(name, position, 0);
  return async (): Promise<Readiness | { readonly error: unknown }> => {
    try {
      const [checkpoints, head] = await Promise.all([views.checkpoints(), facts.head()]);
      atStart ??= { head };
      const target = { target: atStart.head, isPast };
      const states = allProjections.map(({ name }) => stateOf(name, checkpointOf(checkpoints, name), target));
      const readiness = overallReadiness(await Promise.all(states));
      isReported = false;
      return readiness;
    } catch (error) {
      if (!isReported) log.warn({ err: error }, 'not ready, because a store cannot be used');
      isReported = true;
      return { error };
    }
  };
};

const degradedBy = (faults: readonly Fault[], readiness: Readiness): Readiness =>
  faults.length === 0
    ? readiness
    : { ...readiness, status: readiness.status === 'ready' ? 'degraded' : readiness.status, faults };

const reasonOf = (error: unknown, isWhole: boolean): string => {
  if (isWhole) return error instanceof Error ? error.message : String(error);
  return `${error instanceof StoreUnavailable ? error.store : 'a store'} cannot be used; the log names the reason`;
};

const notReady = (reason: string): Readiness => ({ ...STOPPING, reason });

const live = (checkpoints: readonly Checkpoint[]) => checkpoints.filter(({ state }) => state === 'live');

const checkpointOf = (checkpoints: readonly Checkpoint[], name: string): Checkpoint | undefined =>
  live(checkpoints).find(({ projection }) => projection === name);

const overallReadiness = (projections: Readiness['projections']): Readiness => {
  if (projections.some(({ state }) => state === 'catching-up')) {
    return {
      status: 'not-ready',
      reason: 'a read model has not caught up with the log as it was at start',
      projections,
    };
  }
  return { status: projections.some(({ state }) => state === 'stopped') ? 'degraded' : 'ready', projections };
};

interface Target {
  /** The position that a projection has to reach; undefined if the log was empty. */
  readonly target: Position | undefined;
  /** Returns whether the log has nothing for a projection up to a position. */
  readonly isPast: (name: string, position: Position) => Promise<boolean>;
}

// No worker moves the checkpoint of a projection for events that the projection does not read.
const stateOf = async (
  name: string,
  checkpoint: Checkpoint | undefined,
  { target = '', isPast }: Target,
): Promise<Readiness['projections'][number]> => {
  const position = checkpoint?.position ?? null;
  if (checkpoint?.stopped !== undefined) return { name, state: 'stopped', position, stopped: checkpoint.stopped };
  if (checkpoint === undefined) return { name, state: 'catching-up', position };
  const isCurrent = (position ?? '') >= target || (await isPast(name, target));
  return { name, state: isCurrent ? 'current' : 'catching-up', position };
};
