// Operations on read models: rebuilds, and retries after a bad event.
import { setTimeout as pause } from 'node:timers/promises';
import type { Checkpoint, Generation, Views } from '../infrastructure/views/views.js';

const POLL_MS = 200;
// A worker looks for generations once a second, and takes over from a worker that died within 15 s.
const NO_WORKER_MS = 10_000;

/** Makes a stopped read model try again. Returns whether it was stopped. */
export const retryReadModel = async (
  views: Pick<Views, 'checkpoints' | 'setStopped'>,
  name: string,
): Promise<boolean> => {
  const checkpoints = await views.checkpoints();
  const stopped = checkpoints.filter((each) => each.projection === name && each.stopped !== undefined);
  for (const checkpoint of stopped) await views.setStopped(checkpoint, undefined);
  return stopped.length > 0;
};

/**
 * How a rebuild ended. `dropped`: another rebuild replaced it. `unattended`: no worker builds it. Otherwise it waits
 * before an event that could not be folded or stored.
 */
export type RebuildEnd = 'live' | 'dropped' | 'unattended' | NonNullable<Checkpoint['stopped']>;

/** Waits until a generation is live, or can no longer become live by itself. */
export const endOfRebuild = async (views: Pick<Views, 'checkpoints'>, generation: Generation): Promise<RebuildEnd> => {
  for (let heldAt = performance.now(); ; await pause(POLL_MS)) {
    const found = (await views.checkpoints()).find((each) => isOf(each, generation));
    const end = endOf(found);
    if (end !== undefined) return end;
    if (found?.heldBy !== undefined) heldAt = performance.now();
    if (performance.now() - heldAt > NO_WORKER_MS) return 'unattended';
  }
};

const isOf = ({ projection, number }: Checkpoint, generation: Generation): boolean =>
  projection === generation.projection && number === generation.number;

const endOf = (found: Checkpoint | undefined): RebuildEnd | undefined => {
  if (found === undefined) return 'dropped';
  return found.stopped ?? (found.state === 'live' ? 'live' : undefined);
};
