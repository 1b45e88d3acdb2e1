// Sends one-time codes. A job holds only the record key of the code and the language. The code and the contact are
// derived here, just before the message is sent.
import type { Log } from '../../infrastructure/log.js';
import type { Notifier, Outbox } from '../../infrastructure/notifier/notifier.js';
import type { AllStores } from '../../infrastructure/stores.js';
import { Final, type Handler, type Job, type Queue, type QueueWorker } from '../../infrastructure/work/work.js';
import {
  accepted,
  CODE_KIND,
  changeCode,
  codeIn,
  isLive,
  type OwnersCodes,
  type StoredCode,
  secretsOf,
} from './code-records.js';
import { lifeMsOf } from './limits.js';
import { codeText } from './texts.js';
import type { CodeMessage } from './waiting-messages.js';

export const NOTIFICATION_QUEUE: Queue = {
  name: 'notifications',
  // The attempts come after 0, 5 s, 30 s, 2, 5.2, 10.2, 20 and 40 minutes: servers that greylist refuse for 5 or 10 minutes.
  pausesMs: [5_000, 25_000, 90_000, 192_000, 300_000, 588_000, 1_200_000],
  timeoutMs: 30_000,
  // A slow message must not delay all others.
  concurrency: 2,
};

const FAILED = 'failed to send a message; will retry while its code is valid';
const REFUSED = 'a message cannot be sent; will not retry';

interface DeliveryDependencies extends Pick<AllStores, 'vault' | 'work' | 'serviceKey'> {
  readonly notifier: Notifier;
  readonly outbox: Pick<Outbox, 'removeTo'>;
  readonly log: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Starts sending the messages in the queue. The data of a job is a `CodeMessage`, and its id is the id of the code. */
export const startDeliveries = (dependencies: DeliveryDependencies, queue = NOTIFICATION_QUEUE): QueueWorker => {
  const handler = logged(dependencies.log, FAILED, (job, signal) => deliver(dependencies, job, signal));
  return dependencies.work.process(queue, handler);
};

/** Returns a handler that logs each failed attempt, unless it was aborted. */
export const logged =
  (log: Pick<Log, 'warn'>, failed: string, handler: Handler): Handler =>
  async (job, signal) => {
    try {
      await handler(job, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error, message: job.id, attempt: job.attempt }, error instanceof Final ? REFUSED : failed);
      throw error;
    }
  };

const deliver = async (
  { vault, notifier, outbox, serviceKey, now = Date.now }: DeliveryDependencies,
  job: Job,
  signal: AbortSignal,
) => {
  const { record, language } = job.data as CodeMessage;
  const recordKey = { kind: CODE_KIND, key: record };
  const kept = await vault.get<OwnersCodes>(recordKey);
  const found = codeIn(kept?.value, job.id);
  // The code was replaced, its owner was erased, or an earlier job has already sent the message.
  if (found === undefined || found.code.isSent) return;
  const { purpose, code } = found;
  if (!isLive(purpose, code, now())) return failIfExpired(code, job);
  const secrets = await secretsOf(serviceKey);
  const { to } = secrets.open(code);
  const { id, channel, issuedAt } = code;
  const message = codeText({ purpose, channel, language }, secrets.codeOf(purpose, id), lifeMsOf(purpose));
  // The code of an unknown owner has no message, but the same life.
  if (to !== null) {
    await notifier.send({ id, channel, person: to.userId, to: to.contact, writtenAt: issuedAt, ...message }, signal);
  }
  // The queue forgets finished jobs and would accept the same job again.
  await changeCode(vault, { record, id }, (sent) => accepted(purpose, sent, now()));
  if (to === null || !isLive(purpose, code, now()) || (await vault.get(recordKey)) !== undefined) return;
  // An erasure that deleted the record meanwhile may have cleared the outbox before the message was written.
  await outbox.removeTo(to.userId);
};

// If all attempts failed until the code expired, the job should end up in the dead-letter queue.
const failIfExpired = (code: StoredCode, { attempt }: Job): void => {
  if (attempt > 1 && code.sealed !== null) throw new Final('the code expired before its message could be sent');
};
