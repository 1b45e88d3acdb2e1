// The role of a process that works in the background: read models, the signed log, messages and upkeep.
import { startDeliveries } from './auth/codes/deliveries.js';
import { startDecisionMessages } from './auth/decisions/messages.js';
import type { Config } from './config.js';
import { allEnded } from './infrastructure/async.js';
import type { Log } from './infrastructure/log.js';
import type { AllStores } from './infrastructure/stores.js';
import type { QueueWorker } from './infrastructure/work/work.js';
import { notingRefusals } from './operations/refused-messages.js';
import { startUpkeep } from './operations/upkeep.js';
import { allProjections } from './projections/all.js';
import type { Progress } from './projections/progress.js';
import { DIRECTORY_OWNER, ProjectionRunner } from './projections/runner.js';
import type { SessionMetrics } from './projections/session.js';
import { notifierOf } from './stores.js';
import { startProofs } from './transparency/daily-proof.js';
import { LogGrowth } from './transparency/growth.js';

export interface WorkerParts {
  readonly config: Config;
  readonly stores: AllStores;
  readonly progress: Pick<Progress, 'advanced'>;
  readonly metrics: SessionMetrics;
  readonly log: Log;
}

/** Starts the background work. Returns the function that ends it. */
export const startWorker = async ({
  config,
  stores,
  progress,
  metrics,
  log,
}: WorkerParts): Promise<() => Promise<void>> => {
  const { mongoDbUrl, logOrigin: origin, witnesses } = config;
  const sending = await startSending(config, stores, log);
  const folding = { ...stores, progress, log, metrics };
  const owned = mongoDbUrl === undefined ? { owner: DIRECTORY_OWNER } : {};
  const runner = new ProjectionRunner(folding, allProjections, owned);
  const growth = new LogGrowth({ stores, origin, witnesses, log });
  const proofs = startProofs(stores, log);
  const upkeep = startUpkeep(stores, (error) => log.error({ err: error }, 'upkeep failed'));
  log.info({ projections: allProjections.map(({ name }) => name) }, 'projections started');
  return () => allEnded([...sending, runner, growth, proofs, upkeep].map((part) => part.close()));
};

const startSending = async (config: Config, stores: AllStores, log: Log): Promise<readonly QueueWorker[]> => {
  const { smtp, smsWebhook, callers } = config;
  if (smtp === undefined && callers === 'required') {
    log.warn('SMTP_URL is not set: codes are not sent, but written to files in DATA_DIR/outbox for a day');
  }
  const [email, sms] = [smtp ? 'SMTP' : 'outbox', smsWebhook ? 'webhook' : 'outbox'];
  log.info({ email, sms }, `messages go to: ${email} for e-mail, ${sms} for SMS`);
  const notifier = notingRefusals(await notifierOf(config, stores.outbox), stores.vault);
  const means = { ...stores, notifier, log };
  return [startDeliveries(means), startDecisionMessages(means, config)];
};
