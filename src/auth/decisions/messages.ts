// Sends the messages about decisions on profiles. A job names a decision. What it says is read from the stream just
// before the message is sent.
import { signInEmailOf, type User, userOf } from '../../domain/user/state.js';
import type { RecordedEvent } from '../../infrastructure/facts/facts.js';
import type { Log } from '../../infrastructure/log.js';
import type { Notifier, Outbox } from '../../infrastructure/notifier/notifier.js';
import type { AllStores } from '../../infrastructure/stores.js';
import type { Job, NewJob, Queue, QueueWorker } from '../../infrastructure/work/work.js';
import { decisionText } from '../codes/decision-texts.js';
import { logged } from '../codes/deliveries.js';
import { CORRECTION_MS, type LastDecision, lastDecisionsOf, timeOf } from './last-decisions.js';
import { promisesIn, removePromise } from './promises.js';

/** Separate from the queue of codes, which many decisions must not delay. */
export const DECISION_QUEUE: Queue = {
  name: 'decision-messages',
  // The last attempt comes about 4.5 hours after the first: the message stays useful.
  attempts: 12,
  backoffMs: 8_000,
  timeoutMs: 30_000,
  concurrency: 1,
};

// No request takes longer.
const REQUEST_MS = 60_000;
const FAILED = 'failed to send the message about a decision; will retry';

/** `decision` is the id of the first event of the decision, `promisedAt` when its message was stored. */
interface DecisionJob {
  readonly userId: string;
  readonly decision: string;
  readonly promisedAt: number;
}

/** Returns the job that sends the messages about a decision when the time for corrections ends. */
export const decisionJob = (id: string, data: DecisionJob, decidedAt: number): NewJob => ({
  ...{ queue: DECISION_QUEUE, id, data },
  runAt: decidedAt + CORRECTION_MS,
});

/** Enqueues the messages that wait in the vault, whether or not their decisions are recorded yet: the job looks. */
export const movePromises = async (
  { vault, work }: Pick<MessageDependencies, 'vault' | 'work'>,
  stopping?: AbortSignal,
): Promise<void> => {
  for await (const page of promisesIn(vault)) {
    for (const { key, value } of page) {
      if (stopping?.aborted) return;
      const { userId, at } = value;
      await work.enqueue(decisionJob(key, { userId, decision: key, promisedAt: at }, at));
      await removePromise(vault, key);
    }
  }
};

interface MessageDependencies extends Pick<AllStores, 'facts' | 'vault'> {
  readonly work: Pick<AllStores['work'], 'enqueue'>;
  readonly notifier: Notifier;
  readonly outbox: Pick<Outbox, 'removeTo'>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Starts sending messages about decisions. If the operator has turned them off, jobs from before end without a message. */
export const startDecisionMessages = (
  dependencies: MessageDependencies & Pick<AllStores, 'work'> & { readonly log: Pick<Log, 'warn'> },
  { sendsDecisions }: { readonly sendsDecisions: boolean },
): QueueWorker => {
  const send = logged(dependencies.log, FAILED, (job, signal) => sendDecisionMessages(dependencies, job, signal));
  return dependencies.work.process(DECISION_QUEUE, sendsDecisions ? send : async () => {});
};

/** Sends the messages of a job. A repeated attempt sends the same messages with the same ids. */
export const sendDecisionMessages = async (
  dependencies: MessageDependencies,
  { id, data }: Pick<Job, 'id' | 'data'>,
  signal: AbortSignal,
): Promise<void> => {
  const { facts, vault, work, outbox, now = Date.now } = dependencies;
  const job = data as DecisionJob;
  const { userId, decision } = job;
  const { state, found, decisions } = await lastDecisionsOf(facts, userId, decision);
  if (found === undefined || isRepetition(found, job)) return;
  const decidedAt = timeOf(found);
  // The request took a while after it had stored the message, or a repeated request recorded the decision. A greater
  // difference is of a clock that was wrong.
  const left = decidedAt + CORRECTION_MS - now();
  if (left > 0 && left <= CORRECTION_MS) return work.enqueue(decisionJob(`${id}-later`, job, decidedAt));
  const news = decisions.filter((each) => isOf(found, each.event) && isNews(each));
  const areSent = await sent(dependencies, { state, news }, signal);
  // The relay may have been killed after it had enqueued the job, and must not enqueue the job again.
  await removePromise(vault, decision);
  // An erasure may have cleared the outbox before this attempt, or the one before, had written a message.
  const latest = areSent ? (await lastDecisionsOf(facts, userId, decision)).state : state;
  if (latest.status === 'erased') await outbox.removeTo(userId);
};

// The request that had recorded the decision had stored its message, too.
const isRepetition = (event: RecordedEvent, { promisedAt }: DecisionJob): boolean =>
  promisedAt - timeOf(event) > REQUEST_MS;

/** Returns whether an event was recorded by the request that recorded the first one. */
const isOf = (first: RecordedEvent, { revision, metadata }: RecordedEvent): boolean =>
  revision >= first.revision && metadata.causationId === first.metadata.causationId;

/** Returns whether a decision changed the status, and somebody else made it. */
const isNews = ({ isOwn, from, to }: LastDecision): boolean => !isOwn && from !== to;

/** Sends a message for each decision. Returns false if the user was erased or has no address. */
const sent = async (
  { notifier }: Pick<MessageDependencies, 'notifier'>,
  { state, news }: { readonly state: User; readonly news: readonly LastDecision[] },
  signal: AbortSignal,
): Promise<boolean> => {
  const to = state.status === 'active' ? signInEmailOf(state.fields) : null;
  if (to === null) return false;
  for (const { event, profileType, from, to: status } of news) {
    const text = decisionText(profileType, status === 'REJECTED' && from === 'APPROVED' ? 'REVOKED' : status);
    await notifier.send({ id: event.id, channel: 'EMAIL', person: userOf(state).id, to, ...text }, signal);
  }
  return news.length > 0;
};
