// Moves waiting messages from the vault to their queue. There is no other way into the queue, so a message that waited
// because a process was killed or the queue was unavailable takes the same path as every other message.
import { setTimeout as pause } from 'node:timers/promises';
import type { Bell } from '../../infrastructure/bell.js';
import type { AllStores } from '../../infrastructure/stores.js';
import type { VaultRecord } from '../../infrastructure/vault/vault.js';
import { CODE_KIND, changeCode, codeOf, type OwnersCodes, type StoredCode } from './code-records.js';
import { NOTIFICATION_QUEUE } from './deliveries.js';
import { codeLimits } from './limits.js';
import {
  type CodeMessage,
  entryOfMessage,
  type Notice,
  removeMessage,
  type WaitingMessage,
  waitingMessages,
} from './waiting-messages.js';

// How often to check for messages of other processes, and to retry during an outage.
const POLL_MS = 1_000;
// No request and no attempt to issue codes takes longer. If a code is still missing after this time, its request failed.
const ATTEMPT_MS = 60_000;
// The lifetime of a code that waited longer starts again when it is sent, so that the user has the full time.
const RESTART_LIFE_MS = codeLimits.resendMs;
// The owner's record must outlive the code.
const MAX_WAIT_MS = codeLimits.windowMs - codeLimits.lifeMs;

interface RelayDependencies extends Pick<AllStores, 'vault'> {
  readonly work: Pick<AllStores['work'], 'enqueue'>;
  /** Issues the codes of a notice. */
  readonly notify: (notice: Notice) => Promise<unknown>;
  /** Called once for each outage. */
  readonly onFailure: (error: unknown) => void;
  /** Called with the id of a code that waited too long. The code is not sent. */
  readonly onLate: (id: string) => void;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Starts a relay. Any number of processes may run one: a message that two of them move is sent once. A ring of `bell`
 * makes the relay check for messages. Returns the function that stops the relay. Another process, or the next start,
 * moves the remaining messages.
 */
export const startRelay = (dependencies: RelayDependencies, bell: Bell): (() => void) => {
  const stopping = new AbortController();
  void run(dependencies, bell, stopping.signal);
  return () => {
    stopping.abort();
    bell.ring();
  };
};

const run = async (dependencies: RelayDependencies, bell: Bell, stopping: AbortSignal): Promise<void> => {
  const report = (error: unknown) => {
    if (!stopping.aborted) dependencies.onFailure(error);
  };
  let isFailing = false;
  while (!stopping.aborted) {
    try {
      await moveMessages(dependencies, stopping);
      isFailing = false;
    } catch (error) {
      if (!isFailing) report(error);
      isFailing = true;
    }
    // During an outage, new messages must not cause more attempts.
    await (isFailing ? pause(POLL_MS) : bell.wait(POLL_MS));
  }
};

/** Enqueues the waiting codes, and issues those of the notices whose requests were cut off. */
export const moveMessages = async (dependencies: RelayDependencies, stopping?: AbortSignal): Promise<void> => {
  const { vault, now = Date.now } = dependencies;
  const overdue: VaultRecord<Notice>[] = [];
  for await (const { value, ...message } of waitingMessages(vault)) {
    if (stopping?.aborted) return;
    if ('record' in value) await moveCode(dependencies, { ...message, value });
    else if (value.at + ATTEMPT_MS <= now()) overdue.push({ ...message, value });
  }
  // After all codes, which must not wait for a log that is unavailable. Of these failures, each pass meets only one.
  for (const notice of overdue) await issue(dependencies, notice);
};

const moveCode = async (
  dependencies: RelayDependencies,
  { key: id, value }: VaultRecord<CodeMessage & Pick<WaitingMessage, 'at'>>,
): Promise<void> => {
  const { vault, onLate, now = Date.now } = dependencies;
  const kept = await vault.get<OwnersCodes>({ kind: CODE_KIND, key: value.record });
  const code = codeOf(kept?.value, id)?.code;
  const waitedMs = now() - value.at;
  if (code === undefined && waitedMs < ATTEMPT_MS) return;
  const isSent = code?.isSent ?? false;
  if (!isSent && waitedMs > MAX_WAIT_MS) onLate(id);
  else if (!isSent && code !== undefined) await enqueue(dependencies, value, code);
  await removeMessage(vault, id);
};

const enqueue = async (
  { vault, work, now = Date.now }: RelayDependencies,
  { record, language }: CodeMessage,
  { id, issuedAt: firstIssuedAt }: StoredCode,
): Promise<void> => {
  const issuedAt = now();
  if (issuedAt - firstIssuedAt > RESTART_LIFE_MS) {
    const expiresAt = issuedAt + codeLimits.lifeMs;
    await changeCode(vault, { record, id }, (waited) => ({ ...waited, issuedAt, expiresAt }));
  }
  // Job, code and message share one id, so a job that is enqueued twice sends one message.
  await work.enqueue({ queue: NOTIFICATION_QUEUE, id, data: { record, language } });
};

/** Issues the codes of a notice. If that fails, the notice is overdue again after a minute. */
const issue = async (
  { vault, notify, now = Date.now }: RelayDependencies,
  { key, value, version }: VaultRecord<Notice>,
): Promise<void> => {
  // Only one of the processes that find a notice issues its codes.
  const entry = entryOfMessage(key, { ...value, at: now() }, value.userId);
  if (!(await vault.replace(entry, version))) return;
  await notify(value);
  await removeMessage(vault, key);
};
