// Proves the log once a day. The proof is a job, so that only one worker runs it.
import { abortable } from '../infrastructure/async.js';
import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import { TOOL } from '../infrastructure/tool.js';
import { doubling, type Queue, type QueueWorker, type Work } from '../infrastructure/work/work.js';
import type { LogStores } from './keys.js';
import { type Proof, prove } from './prove.js';
import { isDue, LogRecords } from './records.js';

/** The queue of the proofs. It is separate from the upkeep queue, because the upkeep must not wait for a proof. */
export const PROOF_QUEUE: Queue = {
  name: 'audit-proofs',
  pausesMs: doubling(60_000, 2),
  // An attempt reads the whole log.
  timeoutMs: 6 * 3_600_000,
  concurrency: 1,
};

const DAY_MS = 86_400_000;
const POLL_MS = 60_000;
const FIRST_AFTER_MS = 3_600_000;

const ALTERED: Fault = {
  code: 'audit-log-altered',
  detail: `The log differs from the signed log. \`${TOOL} audit prove\` names the differences, as does the log of the worker that found them.`,
};

/** Starts the daily proofs. A difference is logged as an error and noted as a fault. */
export const startProofs = (stores: LogStores & { readonly work: Work }, log: Log): QueueWorker => {
  const records = new LogRecords(stores.vault);
  const note = async ({ faults }: Proof): Promise<void> => {
    for (const fault of faults) log.error({ fault }, 'the log differs from the signed log');
    await records.setProofDue(inMs(DAY_MS));
    const hasChanged = await records.setFault('proof', faults.length > 0 ? ALTERED : undefined);
    if (hasChanged && faults.length === 0) log.info('the log matches the signed log again');
  };
  const enqueueIfDue = async (): Promise<void> => {
    const due = await records.proofDue();
    // Delays the first proof, because reading the whole log would slow down the start.
    if (due === undefined) return records.setProofDue(inMs(FIRST_AFTER_MS));
    if (isDue(due)) await stores.work.enqueue({ queue: PROOF_QUEUE, id: `prove-${due}`, data: {} });
  };
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to prove the log; will retry');
  const worker = stores.work.process(PROOF_QUEUE, async (_, signal) => {
    try {
      // Aborts, so that a closing worker does not wait for SQLite.
      await note(await abortable(prove(stores, { signal }), signal));
    } catch (error) {
      if (!signal.aborted) onError(error);
      throw error;
    }
  });
  const poll = () => void enqueueIfDue().catch(onError);
  const timer = setInterval(poll, POLL_MS).unref();
  poll();
  return {
    close: async () => {
      clearInterval(timer);
      await worker.close();
    },
  };
};

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
