// The job queues of this version.
import { NOTIFICATION_QUEUE } from '../auth/codes/deliveries.js';
import { DECISION_QUEUE } from '../auth/decisions/messages.js';
import type { Queue } from '../infrastructure/work/work.js';
import { PROOF_QUEUE } from '../transparency/daily-proof.js';
import { UPKEEP_QUEUE } from './upkeep.js';

export const queues: readonly Queue[] = [NOTIFICATION_QUEUE, DECISION_QUEUE, PROOF_QUEUE, UPKEEP_QUEUE];
