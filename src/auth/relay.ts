// Moves waiting messages from the vault to their queue. There is no other way into the queue, so a message that waited
// because a process was killed or the queue was unavailable takes the same path as every other message.
import { setTimeout as pause } from 'node:timers/promises';
import type { Bell } from '../infrastructure/bell.js';
import type { Log } from '../infrastructure/log.js';
import type { AllStores } from '../infrastructure/stores.js';
import type { VaultRecord } from '../infrastructure/vault/vault.js';
import { Waits } from '../infrastructure/waits.js';
import { CODE_KIND, codeIn, isLive, type OwnersCodes } from './codes/code-records.js';
import { NOTIFICATION_QUEUE } from './codes/deliveries.js';
import { codeLimits } from './codes/limits.js';
import {
  type CodeMessage,
  entryOfMessage,
  type Notice,
  removeMessage,
  type WaitingMessage,
  waitingMessages,
} from './codes/waiting-messages.js';
import { movePromises } from './decisions/messages.js';

// How often to check for messages of other processes, and to retry during an outage.
const POLL_MS = 1_000;
// No request and no attempt to issue codes takes longer. If a code is still missing after this time, its request
// failed.
const ATTEMPT_MS = 60_000;

const waits = new Waits();

/** Returns whether the request or the attempt behind a message may still be about to issue its code. */
const isAttempted = (key: string, at: number, now: number): boolean =>
  waits.left(`${key} ${at}`, at + ATTEMPT_MS, ATTEMPT_MS, now) > 0;

interface RelayDependencies extends Pick<AllStores, 'vault'> {
  readonly work: Pick<AllStores['work'], 'enqueue'>;
  readonly notify: (notice: Notice) => Promise<unknown>;
  readonly log: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Starts a relay. Any number of processes may run one: a message that two of them move is sent once. A ring of `bell`
 * makes the relay check for codes. Returns the function that stops the relay. Another process, or the next start, moves
 * the remaining messages.
 */
export const startRelay = (dependencies: RelayDependencies, bell: Bell): (() => void) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { log } = dependencies;
  // Three loops, because codes must not wait for notices, which need the log, nor for many decisions.
  void repeat(() => moveCodes(dependencies, signal), { signal, bell, log });
  void repeat(() => issueNotices(dependencies, signal), { signal, log });
  void repeat(() => movePromises(dependencies, signal), { signal, log });
  return () => {
    stopping.abort();
    bell.ring();
  };
};

interface Loop extends Pick<RelayDependencies, 'log'> {
  readonly signal: AbortSignal;
  /** Rings when the task should run again. */
  readonly bell?: Bell;
}

// How often a failure that stays gets a line.
const REPEAT_MS = 60_000;
const FAILED = 'failed to move messages from the vault to their queue, or to issue their codes; will retry';
const LATE =
  'a message with a code was not sent, because its queue was unavailable for too long; the user can request another';

/** Returns a function that logs a failure when it begins, and once a minute while it stays. */
const failureLog = (log: Loop['log']) => {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (failure: { readonly error: unknown } | undefined): void => {
    if (failure === undefined) loggedAt = Number.NEGATIVE_INFINITY;
    else if (performance.now() - loggedAt > REPEAT_MS) {
      loggedAt = performance.now();
      log.warn({ err: failure.error }, FAILED);
    }
  };
};

const repeat = async (task: () => Promise<void>, { signal, bell, log }: Loop): Promise<void> => {
  const note = failureLog(log);
  while (!signal.aborted) {
    const failure = await task().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (!signal.aborted) note(failure);
    // During an outage, new messages must not cause more attempts.
    await (failure || bell === undefined ? pause(POLL_MS, undefined, { ref: false }) : bell.wait(POLL_MS));
  }
};

/** Enqueues the waiting codes. */
export const moveCodes = async (dependencies: RelayDependencies, stopping?: AbortSignal): Promise<void> => {
  for await (const { value, ...message } of waitingMessages(dependencies.vault)) {
    if (stopping?.aborted) return;
    if ('record' in value) await moveCode(dependencies, { ...message, value });
  }
};

/** Issues the codes of the notices whose requests were interrupted. Rejects at the first failure. */
export const issueNotices = async (dependencies: RelayDependencies, stopping?: AbortSignal): Promise<void> => {
  const { vault, now = Date.now } = dependencies;
  for await (const { value, ...message } of waitingMessages(vault)) {
    if (stopping?.aborted) return;
    if ('record' in value || isAttempted(message.key, value.at, now())) continue;
    await issue(dependencies, { ...message, value });
  }
};

const moveCode = async (
  dependencies: RelayDependencies,
  { key: id, value }: VaultRecord<CodeMessage & Pick<WaitingMessage, 'at'>>,
): Promise<void> => {
  const { vault, work, log, now = Date.now } = dependencies;
  const kept = await vault.get<OwnersCodes>({ kind: CODE_KIND, key: value.record });
  const found = codeIn(kept?.value, id);
  if (found === undefined && isAttempted(id, value.at, now())) return;
  const { record, language } = value;
  const isDue = found !== undefined && !found.code.isSent && isLive(found.purpose, found.code, now());
  // Job, code and message share one id, so a job that is enqueued twice sends one message.
  if (isDue) await work.enqueue({ queue: NOTIFICATION_QUEUE, id, data: { record, language } });
  else if (!found?.code.isSent && now() - value.at >= codeLimits.waitMs) log.warn({ message: id }, LATE);
  await removeMessage(vault, id);
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
