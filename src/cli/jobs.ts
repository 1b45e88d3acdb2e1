// `npm run cli -- jobs …`: commands for jobs that failed at every attempt.
import type { AllStores } from '../infrastructure/stores.js';
import { queues } from '../operations/jobs.js';
import { named } from './operator.js';

export const listDeadJobs = async ({ work }: AllStores, name: string): Promise<void> => {
  const dead = await work.deadLetters(queueNamed(name));
  for (const { id, attempt, reason } of dead) console.log(`${id}  failed ${attempt} times; last error: ${reason}`);
  if (dead.length === 0) console.log(`${name} has no dead letters`);
};

/** Queues a dead letter again as a new job. */
export const retryJob = async ({ work }: AllStores, name: string, id: string): Promise<void> => {
  if (!(await work.retry(queueNamed(name), id))) throw new Error(`${name} has no dead letter ${id}`);
  console.log(`${id} is queued again in ${name}`);
};

const queueNamed = (name: string) => named('Queue', queues, name);
