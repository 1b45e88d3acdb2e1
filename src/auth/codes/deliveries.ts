// Sends one-time codes. A job names the record of the code and the language, and no more: the code and the contact are
// made out here, just before the message is sent.
import type { KeyObject } from 'node:crypto';
import type { Notifier } from '../../infrastructure/notifier/notifier.js';
import type { SpanPlace } from '../../infrastructure/tracing/tracing.js';
import type { Vault } from '../../infrastructure/vault/vault.js';
import type { Job, NewJob, QueueWorker, Work, WorkerOptions } from '../../infrastructure/work/work.js';
import {
  CODE_KIND,
  CodeSecrets,
  changeCode,
  codeOf,
  isLive,
  type OwnersCodes,
  type StoredCode,
} from './code-records.js';
import type { Language } from './codes.js';
import { messageOf } from './messages.js';

/** The queue of the messages. */
export const NOTIFICATION_QUEUE = 'notifications';

// The last attempt comes 8.5 minutes after the first, or a little later, while the code may still be good.
const OPTIONS: WorkerOptions = { attempts: 8, backoffMs: 4_000, timeoutMs: 30_000 };
// One message that takes its time must not hold up all others.
const AT_ONCE = 2;

interface Delivery {
  /** The key of the record in the vault. */
  readonly record: string;
  readonly language: Language;
  /** The span of the request that asked for the code (infrastructure/tracing/traced.ts reads it). */
  readonly cause?: SpanPlace;
}

interface DeliveryDependencies {
  readonly vault: Vault;
  readonly work: Work;
  readonly notifier: Notifier;
  /** Gives the key that codes follow from. */
  readonly key: () => Promise<KeyObject>;
  /** Hears of each attempt that failed. */
  readonly onFailure: (error: unknown, job: Job) => void;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** The job that sends a code. Its id is the code's, and the message's: of what is enqueued twice, one message comes. */
export const deliveryOf = (data: Delivery, id: string): NewJob => ({ queue: NOTIFICATION_QUEUE, id, data });

/** Works the queue. */
export const startDeliveries = (dependencies: DeliveryDependencies, options: WorkerOptions = OPTIONS): QueueWorker => {
  const handler = async (job: Job, signal: AbortSignal): Promise<void> => {
    try {
      await deliver(dependencies, job, signal);
    } catch (error) {
      if (!signal.aborted) dependencies.onFailure(error, job);
      throw error;
    }
  };
  const workers = Array.from({ length: AT_ONCE }, () =>
    dependencies.work.process(NOTIFICATION_QUEUE, handler, options),
  );
  return {
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
};

const deliver = async (
  { vault, notifier, key, now = Date.now }: DeliveryDependencies,
  job: Job,
  signal: AbortSignal,
) => {
  const { record, language } = job.data as Delivery;
  const kept = await vault.get<OwnersCodes>({ kind: CODE_KIND, key: record });
  const found = codeOf(kept?.value, job.id);
  // Another code has replaced it, its owner was erased, or an earlier job of the same message was done.
  if (found === undefined || found.code.isSent) return;
  const { purpose, code } = found;
  if (!isLive(code, now())) return unlessLate(code, job);
  const secrets = new CodeSecrets(await key());
  const { to } = secrets.open(code);
  // Asked for somebody whom nobody knows.
  if (to === null) return;
  const { id, channel, issuedAt, expiresAt } = code;
  const message = messageOf({ purpose, channel, language }, secrets.codeOf(purpose, id), expiresAt - issuedAt);
  await notifier.send({ id, channel, person: to.userId, to: to.contact, ...message }, signal);
  // The queue forgets a job that is done, and would take it a second time.
  await changeCode(vault, { record, id }, (sent) => ({ ...sent, isSent: true }));
};

// What was tried in vain until it was of no use is to be seen among the dead letters.
const unlessLate = (code: StoredCode, { attempt }: Job): void => {
  if (attempt > 1 && code.sealed !== null) throw new Error('the code expired before its message could be sent');
};
