// `npm run cli -- jobs …`: the jobs that failed at every attempt.
import { queues } from '../queues.js';
import type { AllStores } from '../stores.js';
import type { Commands } from './command.js';
import { UsageError } from './usage-error.js';

const queueNamed = (name: string | undefined): string => {
  if (name === undefined) throw new UsageError(`name a queue: ${queues.join(', ')}`);
  return name;
};

const deadJobs = async ({ work }: AllStores, name: string | undefined): Promise<void> => {
  const queue = queueNamed(name);
  const dead = await work.deadLetters(queue);
  for (const { id, attempt, reason } of dead) console.log(`${id}  failed ${attempt} times, at last: ${reason}`);
  if (dead.length === 0) console.log(`${queue} has no dead letters`);
};

const retryJob = async ({ work }: AllStores, name: string | undefined, id: string | undefined): Promise<void> => {
  const queue = queueNamed(name);
  if (id === undefined) throw new UsageError(`name a job, as "jobs dead ${queue}" lists them`);
  if (!(await work.retry(queue, id))) throw new UsageError(`${queue} has no dead letter ${id}`);
  console.log(`${id} is tried again by the next worker of ${queue}`);
};

/** The commands on dead letters. */
export const jobCommands: Commands = {
  'jobs dead': { usage: 'jobs dead QUEUE', purpose: 'the jobs that failed at every attempt, and why', run: deadJobs },
  'jobs retry': { usage: 'jobs retry QUEUE ID', purpose: 'puts such a job back as a new one', run: retryJob },
};
