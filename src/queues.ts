// The job queues of this version.
import { NOTIFICATION_QUEUE } from './auth/codes/deliveries.js';
import { UPKEEP_QUEUE } from './operations/upkeep.js';
import { PROOF_QUEUE } from './transparency/daily-proof.js';

/** The names of all queues. */
export const queues: readonly string[] = [NOTIFICATION_QUEUE, PROOF_QUEUE, UPKEEP_QUEUE];
