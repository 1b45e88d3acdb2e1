// Runs one generation of a projection for the holder of its lease: reads the log from the checkpoint, folds and
// commits.
import type { Checkpoint, Lease } from '../infrastructure/views/views.js';
import { BatchFolder } from './batch.js';
import { type Ending, GenerationSession, type SessionDependencies, type Step } from './generation-session.js';
import type { Projection } from './projection.js';

export const LEASE_MS = 10_000;

/**
 * Runs a generation until `signal` aborts, the lease is lost, or an event cannot be folded or its documents cannot be
 * stored. The checkpoint records such an event. A building generation becomes live as soon as it has caught up. Rejects
 * if a store is unavailable.
 */
export const runSession = async (
  stores: SessionDependencies,
  projection: Projection,
  checkpoint: Checkpoint,
  { lease, signal, leaseMs = LEASE_MS }: { lease: Lease; signal: AbortSignal; leaseMs?: number },
): Promise<Ending> => {
  const { views, log } = stores;
  const ended = new AbortController();
  const heartbeat = setInterval(() => {
    views.renew(lease, leaseMs).then(
      (held) => held || ended.abort('lease-lost'),
      (error: unknown) => log.warn({ err: error, projection: projection.name }, 'a lease could not be prolonged'),
    );
  }, leaseMs / 3);
  try {
    const newFolder = () => new BatchFolder(projection, lease, views);
    const session = new GenerationSession(stores, checkpoint, lease, newFolder);
    const until = AbortSignal.any([signal, ended.signal]);
    let ending: Step = 'read-again';
    while (ending === 'read-again') ending = await session.follow(projection.aggregates, until);
    return ending ?? (signal.aborted ? 'aborted' : 'lease-lost');
  } finally {
    clearInterval(heartbeat);
  }
};
