// What has to be done from time to time: a job an hour, done by one worker of all.
import type { Vault } from '../infrastructure/vault/vault.js';
import type { QueueWorker, Work } from '../infrastructure/work/work.js';

const QUEUE = 'upkeep';
const HOUR_MS = 3_600_000;
const PURGED_AT_ONCE = 1_000;

/** Works the upkeep: once an hour, expired records leave the vault. Closing waits for the job in hand. */
export const startUpkeep = (
  { work, vault }: { readonly work: Work; readonly vault: Vault },
  onError: (error: Error) => void,
): QueueWorker => {
  // The id names the hour, so that of many processes one job comes.
  const plan = () => {
    const hour = Math.ceil(Date.now() / HOUR_MS);
    work.enqueue({ queue: QUEUE, id: `purge-${hour}`, data: {}, runAt: hour * HOUR_MS }).catch(onError);
  };
  plan();
  const timer = setInterval(plan, HOUR_MS / 2).unref();
  const options = { attempts: 5, backoffMs: 10_000, timeoutMs: 60_000 };
  const worker = work.process(QUEUE, (_, signal) => purge(vault, signal), options);
  return {
    close: async () => {
      clearInterval(timer);
      await worker.close();
    },
  };
};

const purge = async (vault: Vault, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted && (await vault.purgeExpired(PURGED_AT_ONCE)) === PURGED_AT_ONCE);
};
