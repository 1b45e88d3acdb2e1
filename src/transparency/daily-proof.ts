// Proves the log once a day. The proof is a job, so that only one of the workers runs it.
import { abortable } from '../infrastructure/async.js';
import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import type { QueueWorker, Work, WorkerOptions } from '../infrastructure/work/work.js';
import { type Proof, type ProveStores, prove } from './prove.js';
import { LogRecords } from './records.js';

/** The queue of the proofs. They have one of their own, because upkeep must not wait for them. */
export const PROOF_QUEUE = 'audit-proofs';

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 60_000;
const FIRST_AFTER_MS = 3_600_000;
// An attempt may take long: it reads the whole log.
const OPTIONS: WorkerOptions = { attempts: 3, backoffMs: 60_000, timeoutMs: 6 * 3_600_000 };

/** What the proofs work with. */
export interface ProofOptions {
  readonly stores: ProveStores & { readonly work: Work };
  readonly log: Log;
}

const ALTERED: Fault = {
  code: 'audit-log-altered',
  detail:
    'The log differs from what was signed, or files of its stores are damaged. `npm run cli -- audit prove` names what differs, and so does the log of the worker that found it.',
};

/** Proves the log once a day until it is closed. A difference is logged as an error and noted as a fault. */
export const startProofs = ({ stores, log }: ProofOptions): QueueWorker => {
  const records = new LogRecords(stores.vault);
  const note = async ({ faults }: Proof): Promise<void> => {
    for (const fault of faults) log.error({ fault }, 'the log differs from what was signed');
    await records.setProofDue(inMs(DAY_MS));
    const hasChanged = await records.setFault('proof', faults.length > 0 ? ALTERED : undefined);
    if (hasChanged && faults.length === 0) log.info('the log matches what was signed again');
  };
  const look = async (): Promise<void> => {
    const due = await records.proofDue();
    // A start has better things to do than to read the whole log.
    if (due === undefined) return records.setProofDue(inMs(FIRST_AFTER_MS));
    if (Date.now() >= Date.parse(due)) await stores.work.enqueue({ queue: PROOF_QUEUE, id: `prove-${due}`, data: {} });
  };
  const onError = (error: unknown) => log.warn({ err: error }, 'the log could not be proved; trying again');
  // A worker that closes does not wait for SQLite.
  const run = async (signal: AbortSignal) => note(await abortable(prove(stores, { signal }), signal));
  const worker = stores.work.process(
    PROOF_QUEUE,
    (_, signal) =>
      run(signal).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
        throw error;
      }),
    OPTIONS,
  );
  const timer = setInterval(() => void look().catch(onError), LOOK_EVERY_MS).unref();
  void look().catch(onError);
  return {
    close: async () => {
      clearInterval(timer);
      await worker.close();
    },
  };
};

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
