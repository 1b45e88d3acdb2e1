// Sends the messages about decisions on profiles. A job names a decision. What it says is read from the stream just
// before the message is sent.
import { Streams } from '../../commands/streams.js';
import { signInEmailOf, type User, userOf } from '../../domain/user/state.js';
import { user } from '../../domain/user/user.js';
import type { RecordedEvent } from '../../infrastructure/facts/facts.js';
import type { Log } from '../../infrastructure/log.js';
import type { Notifier, Outbox } from '../../infrastructure/notifier/notifier.js';
import type { AllStores } from '../../infrastructure/stores.js';
import { doubling, type Job, type NewJob, type Queue, type QueueWorker } from '../../infrastructure/work/work.js';
import { decisionText } from '../codes/decision-texts.js';
import { logged } from '../codes/deliveries.js';
import { CORRECTION_MS, type LastDecision, lastDecisionsOf, timeOf } from './last-decisions.js';
import { promisesIn, removePromise } from './promises.js';

/** Separate from the queue of codes, which many decisions must not delay. */
export const DECISION_QUEUE: Queue = {
  name: 'decision-messages',
  // The last attempt comes about 4.5 hours after the first: the message stays useful.
  pausesMs: doubling(8_000, 11),
  timeoutMs: 30_000,
  concurrency: 1,
};

const FAILED = 'failed to send the message about a decision; will retry';

/** `decision` is the id of the event that decides on a profile, or of the revision that returns profiles to analysis. */
interface DecisionJob {
  readonly userId: string;
  readonly decision: string;
}

/** Returns the job that sends the message about a decision when the time for corrections ends. */
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
      await work.enqueue(decisionJob(key, { userId, decision: key }, at));
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
  const send = logged(dependencies.log, FAILED, (job, signal) => runDecisionJob(dependencies, job, signal));
  return dependencies.work.process(DECISION_QUEUE, sendsDecisions ? send : async () => {});
};

/**
 * Runs a job: sends the message about a decision, or enqueues a job for each profile that a revision returned to
 * analysis. A repeated attempt sends the same message with the same id.
 */
export const runDecisionJob = async (
  dependencies: MessageDependencies,
  { id, data }: Pick<Job, 'id' | 'data'>,
  signal: AbortSignal,
): Promise<void> => {
  const { facts, vault, work, notifier, outbox, now = Date.now } = dependencies;
  const job = data as DecisionJob;
  const { userId, decision } = job;
  const { loaded, found, decisions } = await lastDecisionsOf(facts, userId, decision);
  if (found === undefined) return;
  const decidedAt = timeOf(found);
  // The request took a while after it had stored the message, or a repeated request recorded the decision. A greater
  // difference is of a clock that was wrong.
  const left = decidedAt + CORRECTION_MS - now();
  if (left > 0 && left <= CORRECTION_MS) return work.enqueue(decisionJob(`${id}-later`, job, decidedAt));
  const news = decisions.filter(isNews);
  const own = news.find(({ event }) => event === found);
  if (own !== undefined) await send(notifier, loaded.state, own, signal);
  // The relay may have been killed after it had enqueued the job, and must not enqueue the job again.
  await removePromise(vault, decision);
  // An erasure may have cleared the outbox before this attempt, or the one before, had written a message.
  const { state } = await new Streams(facts).refresh(user, userId, loaded);
  if (state.status === 'erased') await outbox.removeTo(userId);
  // Each message has its own job, so that its retry repeats no other message. The jobs come last, because a retry of this
  // job would enqueue them again.
  for (const { event } of news.filter((each) => isReturn(found, each.event))) {
    await work.enqueue(decisionJob(event.id, { ...job, decision: event.id }, decidedAt));
  }
};

/** Returns whether the request that recorded a revision of the user also recorded this event, after the revision. */
const isReturn = ({ type, ...first }: RecordedEvent, { revision, metadata }: RecordedEvent): boolean =>
  type === 'UserRevised' && revision > first.revision && metadata.causationId === first.metadata.causationId;

/** Returns whether a decision changed the status, and somebody else made it. */
const isNews = ({ isOwn, from, to }: LastDecision): boolean => !isOwn && from !== to;

/** Sends the message about a decision, unless the user was erased or has no address. */
const send = async (
  notifier: Notifier,
  state: User,
  { event, profileType, from, to: status }: LastDecision,
  signal: AbortSignal,
): Promise<void> => {
  const to = state.status === 'active' ? signInEmailOf(state.fields) : null;
  if (to === null) return;
  const text = decisionText(profileType, status === 'REJECTED' && from === 'APPROVED' ? 'REVOKED' : status);
  const message = { id: event.id, person: userOf(state).id, to, ...text, writtenAt: timeOf(event) };
  await notifier.send({ ...message, channel: 'EMAIL' }, signal);
};
