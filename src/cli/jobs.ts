// `npm run cli -- jobs …`: commands for jobs that failed at every attempt.
import { queues } from '../queues.js';
import type { AllStores } from '../stores.js';
import { UsageError } from './usage-error.js';

/** Lists the dead letters of a queue. */
export const listDeadJobs = async ({ work }: AllStores, name: string): Promise<void> => {
  const queue = queueNamed(name);
  const dead = await work.deadLetters(queue);
  for (const { id, attempt, reason } of dead) console.log(`${id}  failed ${attempt} times; last error: ${reason}`);
  if (dead.length === 0) console.log(`${queue} has no dead letters`);
};

/** Queues a dead letter again as a new job. */
export const retryJob = async ({ work }: AllStores, name: string, id: string): Promise<void> => {
  const queue = queueNamed(name);
  if (!(await work.retry(queue, id))) throw new UsageError(`${queue} has no dead letter ${id}`);
  console.log(`${id} is queued again in ${queue}`);
};

const queueNamed = (name: string): string => {
  if (!queues.includes(name)) throw new UsageError(`Queue ${name} does not exist. Pass one of: ${queues.join(', ')}.`);
  return name;
};
