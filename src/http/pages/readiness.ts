// The readiness of the process: whether its stores respond, and whether its read models have caught up.
import { z } from 'zod';
import { lastKnown } from '../../infrastructure/async.js';
import { STORES, StoreUnavailable } from '../../infrastructure/errors.js';
import type { Facts, Position } from '../../infrastructure/facts/facts.js';
import type { Fault, FaultSource } from '../../infrastructure/fault.js';
import type { Log } from '../../infrastructure/log.js';
import type { Checkpoint, Views } from '../../infrastructure/views/views.js';
import { allProjections } from '../../projections/all.js';
import type { Progress } from '../../projections/progress.js';

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
type ProjectionReadiness = z.infer<typeof ProjectionReadiness>;

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

const notReady = (reason: string, projections: ProjectionReadiness[] = []): Readiness => ({
  status: 'not-ready',
  reason,
  projections,
});

export const STOPPING = notReady('the process is stopping');

export interface ReadinessSources {
  readonly facts: Pick<Facts, 'head'>;
  readonly views: Pick<Views, 'checkpoints'>;
  readonly progress: Pick<Progress, 'reached'>;
  /** Whether this process has yet to prepare its read models, or to start its worker: nobody may read, or fold. */
  readonly isStarting: () => boolean;
  readonly isStopping: () => boolean;
  readonly log: Log;
}

/**
 * Returns the readiness check. The process is ready when its worker has started and every projection has folded the log up
 * to its end at the first check, and while facts and views are reachable. A projection that stopped before a poison event, or another fault that
 * leaves the service usable, makes it degraded instead of unready: everything else is served, and no other process
 * would do better. A silent store counts as it was last known. `isWhole`: the caller may see why a store is
 * unavailable.
 */
export const readinessOf = (sources: ReadinessSources, faults: FaultSource) => {
  const projections = projectionsOf(sources);
  return async (isWhole: boolean): Promise<Readiness> => {
    if (sources.isStopping()) return STOPPING;
    const [found, others] = await Promise.all([projections(), faults()]);
    if ('error' in found) return notReady(reasonOf(found.error, isWhole));
    if (others.length === 0) return found;
    return withFaults(found, others);
  };
};

const withFaults = (found: Readiness, faults: readonly Fault[]): Readiness => {
  if (found.status !== 'not-ready') return { ...found, status: 'degraded', faults };
  // A full disk also keeps read models behind, so it comes first.
  const cause = faults.find(({ code }) => code.endsWith('-unwritable'));
  return { ...found, ...(cause && { reason: cause.detail }), faults };
};

const reasonOf = (error: unknown, isWhole: boolean): string => {
  if (isWhole) return error instanceof Error ? error.message : String(error);
  return `${error instanceof StoreUnavailable ? error.store : 'a store'} cannot be used; the log names the reason`;
};

type Response<T> = { readonly value: T } | { readonly error: unknown };

/** Returns a function that returns what one store last responded. Logs each outage once. */
const responseOf = <T>(store: string, ask: () => Promise<T>, log: Log): (() => Promise<Response<T>>) => {
  let isReported = false;
  const response = async (): Promise<Response<T>> => {
    try {
      const value = await ask();
      isReported = false;
      return { value };
    } catch (error) {
      if (!isReported) log.warn({ err: error }, 'not ready, because a store cannot be used');
      isReported = true;
      return { error };
    }
  };
  return lastKnown<Response<T>>(response, { error: new StoreUnavailable(store, 'no response since the start') });
};

/** Returns a function that returns the readiness of the projections, or the error of a store. */
const projectionsOf = ({ facts, views, progress, isStarting, log }: ReadinessSources) => {
  // The end of the log when it was first read, which is empty for an empty log.
  let target: Position | undefined;
  const checkpoints = responseOf(STORES.views, () => liveCheckpoints(views), log);
  const head = responseOf(STORES.log, () => facts.head(), log);
  // No worker moves the checkpoint of a projection for events that the projection does not read.
  const pass = (name: string) => progress.reached(name, target ?? '', 0).catch(() => false);
  const passed = new Map(allProjections.map(({ name }) => [name, lastKnown(() => pass(name), false)]));
  const stateOf = async (name: string, checkpoint: Checkpoint | undefined): Promise<ProjectionReadiness> => {
    const { position = null, stopped } = checkpoint ?? {};
    if (stopped !== undefined) return { name, state: 'stopped', position, stopped };
    const hasReached = async () => (position ?? '') >= (target ?? '') || (await passed.get(name)?.()) === true;
    const isCurrent = checkpoint !== undefined && (await hasReached());
    return { name, state: isCurrent ? 'current' : 'catching-up', position };
  };
  return async (): Promise<Readiness | { readonly error: unknown }> => {
    const [known, end] = await Promise.all([checkpoints(), head()]);
    if ('error' in known) return known;
    if ('error' in end) return end;
    target ??= end.value ?? '';
    const states = await Promise.all(allProjections.map(({ name }) => stateOf(name, known.value.get(name))));
    return isStarting() ? notReady('the process is starting', states) : overall(states);
  };
};

const overall = (projections: ProjectionReadiness[]): Readiness => {
  const has = (wanted: ProjectionReadiness['state']) => projections.some(({ state }) => state === wanted);
  if (has('catching-up')) {
    return notReady('a read model has not caught up with the log as it was at the first check', projections);
  }
  return { status: has('stopped') ? 'degraded' : 'ready', projections };
};

export const liveCheckpoints = async (views: Pick<Views, 'checkpoints'>): Promise<ReadonlyMap<string, Checkpoint>> => {
  const checkpoints = await views.checkpoints();
  return new Map(checkpoints.filter(({ state }) => state === 'live').map((each) => [each.projection, each]));
};
