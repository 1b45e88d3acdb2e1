// Liveness, readiness and metrics for operators and orchestrators.
import { z } from 'zod';
import { lastKnown } from '../../infrastructure/async.js';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import type { FaultSource } from '../../infrastructure/fault.js';
import { recognized, unidentified } from '../access/access.js';
import { get, type Route } from '../route/route.js';
import { liveCheckpoints, Readiness, type ReadinessSources, readinessOf, STOPPING } from './readiness.js';

export interface ScrapedMetrics {
  readonly contentType: string;
  /** Returns the metrics as text. `stopped` maps every projection to whether it waits before a poison event. */
  text(stopped: ReadonlyMap<string, boolean>): Promise<string>;
}

export interface HealthOptions extends ReadinessSources {
  readonly metrics: ScrapedMetrics;
  /** Other sources of faults that make the service degraded. */
  readonly faults?: readonly FaultSource[];
}

export interface Health {
  readonly probes: readonly Route[];
  readonly status: () => Promise<Readiness['status']>;
}

/** Returns the routes of `/livez`, `/readyz` and `/metrics`, and the status of the process. */
export const healthOf = (options: HealthOptions): Health => {
  const faults = faultsOf(options);
  const readiness = readinessOf(options, faults);
  const metrics = metricsOf(options, faults);
  const probe = {
    access: { who: unidentified, personal: false },
    kind: 'probe',
  } as const;
  const probes = [
    get('/livez', {
      ...probe,
      name: 'getLiveness',
      summary: 'Checks whether the process is alive',
      description: 'A process that responds is alive. The check does not use any store.',
      responses: { 200: z.object({ status: z.literal('alive') }).meta({ id: 'Liveness' }) },
      handle: async () => ({ body: '{"status":"alive"}' }),
    }),
    get('/readyz', {
      ...probe,
      // Positions reveal how much everybody has recorded, and the reason of an outage may contain an address.
      access: { ...probe.access, who: recognized },
      name: 'getReadiness',
      summary: 'Checks whether the process can serve requests',
      description:
        'The process becomes ready when every read model has caught up with the log as it was at the first check.',
      // Without an example, a viewer would show `ready`, the first value of `status`, under 503.
      responses: { 200: Readiness, 503: Readiness.meta({ examples: [STOPPING] }) },
      handle: async ({ seesAll }) => {
        const ready = await readiness(seesAll);
        const status = ready.status === 'not-ready' ? 503 : 200;
        return { status, body: JSON.stringify(seesAll ? ready : withoutPositions(ready)) };
      },
    }),
    get('/metrics', {
      ...probe,
      name: 'getMetrics',
      summary: 'Returns the metrics of the process',
      description: "The response is in Prometheus's text format.",
      type: 'text/plain',
      responses: { 200: z.string() },
      handle: async () => ({ body: await metrics(), headers: { 'Content-Type': options.metrics.contentType } }),
    }),
  ];
  return { probes, status: async () => (await readiness(false)).status };
};

// Also omits the reason of a stop, because it describes an event.
const withoutPositions = ({ projections, ...readiness }: Readiness): Readiness => ({
  ...readiness,
  projections: projections.map(({ name, state }) => ({ name, state })),
});

// Anybody may ask. Therefore a source is asked at most once a second. Collecting metrics takes a millisecond or two.
const FRESH_MS = 1_000;

/** Returns a source that asks all other sources at the same time, and takes the last known faults of a silent one. */
const faultsOf = ({ faults = [] }: HealthOptions): FaultSource => {
  const sources = faults.map((source) => lastKnown(source, [], { freshMs: FRESH_MS }));
  return async () => (await Promise.all(sources.map((source) => source()))).flat();
};

/** Returns the function that returns the text of the metrics. The sources of faults also record metrics. */
const metricsOf = ({ views, metrics }: HealthOptions, faults: FaultSource): (() => Promise<string>) => {
  const stopped = lastKnown(() => stoppedIn(views), new Map());
  const collected = async () => {
    const [projections] = await Promise.all([stopped(), faults()]);
    return metrics.text(projections);
  };
  const known = lastKnown<string | undefined>(collected, undefined, { deadlineMs: FRESH_MS, freshMs: FRESH_MS });
  return async () => (await known()) ?? metrics.text(new Map());
};

// While the views are unreachable, the process still exposes its own metrics.
const stoppedIn = async (views: HealthOptions['views']): Promise<ReadonlyMap<string, boolean>> => {
  try {
    const checkpoints = await liveCheckpoints(views);
    return new Map([...checkpoints].map(([projection, { stopped }]) => [projection, stopped !== undefined]));
  } catch (error) {
    if (error instanceof StoreUnavailable) return new Map();
    throw error;
  }
};
