// Picks the engines of the ports. An engine is chosen by its URL alone; with none set, all are embedded.

import type { KeyObject } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigurationError } from './config.js';
import { allDeciders } from './domain/all.js';
import { personalPathsOf } from './domain/personal.js';
import { EventStoreDbFacts } from './infrastructure/facts/eventstoredb.js';
import type { Facts } from './infrastructure/facts/facts.js';
import { SealedFacts } from './infrastructure/facts/sealed.js';
import { SqliteFacts } from './infrastructure/facts/sqlite.js';
import type { Limits } from './infrastructure/limits/limits.js';
import { MemoryLimits } from './infrastructure/limits/memory.js';
import { RedisLimits } from './infrastructure/limits/redis.js';
import type { Log } from './infrastructure/log.js';
import { MongoConnection } from './infrastructure/mongodb/connection.js';
import { byChannel } from './infrastructure/notifier/channels.js';
import type { Notifier } from './infrastructure/notifier/notifier.js';
import { OutboxNotifier } from './infrastructure/notifier/outbox.js';
import { SmtpNotifier } from './infrastructure/notifier/smtp.js';
import { WebhookNotifier } from './infrastructure/notifier/webhook.js';
import { eraseSecrets } from './infrastructure/sealing/erasure.js';
import { Keyring } from './infrastructure/sealing/keyring.js';
import { GivenMasterKeys } from './infrastructure/sealing/master-key.js';
import { MasterKeyFile } from './infrastructure/sealing/master-key-file.js';
import type { SealingWatch } from './infrastructure/sealing/watch.js';
import { MongoVault } from './infrastructure/vault/mongodb.js';
import { SqliteVault } from './infrastructure/vault/sqlite.js';
import type { Vault } from './infrastructure/vault/vault.js';
import { MongoViews } from './infrastructure/views/mongodb.js';
import { SqliteViews } from './infrastructure/views/sqlite.js';
import type { Views } from './infrastructure/views/views.js';
import { BullMqWork } from './infrastructure/work/bullmq.js';
import type { QueueBoard } from './infrastructure/work/bullmq-board.js';
import { SqliteWork } from './infrastructure/work/sqlite.js';
import type { Work } from './infrastructure/work/work.js';
import { addressFault, type EngineSettings, type EngineVariable } from './settings/engines.js';

export interface AllStores {
  readonly facts: Facts;
  /** The facts as they are stored, personal fields sealed; closed with `facts`. */
  readonly sealedFacts: Facts;
  readonly views: Views;
  readonly vault: Vault;
  readonly keyring: Keyring;
  readonly work: Work;
  /** Gives a key of the service's own by its name, the same in every process. */
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  /** Removes what the vault holds of a person, the key of their fields too, and has the stores forget the bytes. */
  readonly eraseSecrets: (person: string) => Promise<number>;
  /** What shows these queues, where their engine has it. */
  readonly board: ((queues: readonly string[]) => QueueBoard) | undefined;
  close(): Promise<void>;
}

type Channels = Pick<Config, 'dataDirectory' | 'smtp' | 'smsWebhook'>;

/** Who hears of failures in the background, and of personal fields that cannot be read. */
export interface StoreListeners {
  readonly onError: (error: Error) => void;
  readonly sealing: SealingWatch;
}

/** Opens the stores. A server need not be up yet. Throws where the directory of the embedded stores cannot be used. */
export const openStores = (config: EngineSettings, { onError, sealing: watch }: StoreListeners): AllStores => {
  const { dataDirectory, eventStoreUrl, mongoDbUrl, redisUrl } = config;
  if ([eventStoreUrl, mongoDbUrl, redisUrl].includes(undefined)) makeDirectory(dataDirectory);
  const sealedFacts =
    eventStoreUrl === undefined
      ? new SqliteFacts(dataDirectory)
      : openedAt('EVENTSTORE_URL', () => new EventStoreDbFacts(eventStoreUrl, { onDrop: onError }));
  const { work, board } = redisUrl === undefined ? embeddedWork(dataDirectory, onError) : inRedis(redisUrl, onError);
  const { views, vault } = mongoDbUrl === undefined ? embedded(dataDirectory) : inMongoDb(mongoDbUrl);
  const keyring = new Keyring(vault, masterKeysOf(config), { onDamaged: watch.damaged });
  const facts = new SealedFacts(sealedFacts, { keyring, personal: allPersonalPaths(), watch });
  const close = async () => {
    // A job in hand may still use the others.
    await work.close();
    await Promise.all([facts.close(), views.close(), vault.close()]);
  };
  return {
    facts,
    sealedFacts,
    views,
    vault,
    keyring,
    work,
    serviceKey: (name) => keyring.serviceKey(name),
    eraseSecrets: (person) => eraseSecrets({ vault, views, keyring }, person),
    board,
    close,
  };
};

const masterKeysOf = ({ masterKeys, dataDirectory }: EngineSettings) =>
  masterKeys === undefined ? new MasterKeyFile(join(dataDirectory, 'master.key')) : new GivenMasterKeys(masterKeys);

const allPersonalPaths = () => new Map(allDeciders.flatMap(({ events }) => [...personalPathsOf(events)]));

const makeDirectory = (directory: string): void => {
  process.umask(0o077);
  try {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o700);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError([`DATA_DIR: ${cause}: name a directory that this user owns and may write`]);
  }
};

// Drivers look at their addresses more closely than the configuration does.
const openedAt = <E>(variable: EngineVariable, open: () => E): E => {
  try {
    return open();
  } catch (cause) {
    throw new ConfigurationError([`${variable}: ${addressFault(variable)}`], { cause });
  }
};

const embedded = (directory: string) => ({ views: new SqliteViews(directory), vault: new SqliteVault(directory) });

const embeddedWork = (directory: string, onError: (error: Error) => void) => ({
  work: new SqliteWork(directory, { onError }),
  board: undefined,
});

const inRedis = (url: string, onError: (error: Error) => void) => {
  const work = openedAt('REDIS_URL', () => new BullMqWork(url, { onError }));
  return { work, board: (queues: readonly string[]) => work.board(queues) };
};

const inMongoDb = (url: string) => {
  const connection = openedAt('MONGODB_URL', () => new MongoConnection(url));
  return { views: new MongoViews(connection), vault: new MongoVault(connection) };
};

/** The counts of rate limits: of all processes together where they have a Redis, else of this one. */
export const openLimits = (
  { redisUrl }: Pick<Config, 'redisUrl'>,
  { serviceKey }: Pick<AllStores, 'serviceKey'>,
  log: Log,
): Limits =>
  redisUrl === undefined
    ? new MemoryLimits()
    : new RedisLimits(redisUrl, { secret: () => serviceKey('rate-limits'), log });

/** What sends messages: each channel by the outbox in the directory, unless the configuration names another way. */
export const notifierOf = ({ dataDirectory, smtp, smsWebhook }: Channels): Notifier => {
  const outbox = new OutboxNotifier(join(dataDirectory, 'outbox'));
  return byChannel({
    EMAIL: smtp === undefined ? outbox : new SmtpNotifier(smtp),
    SMS: smsWebhook === undefined ? outbox : new WebhookNotifier(smsWebhook),
  });
};

/** Empty read models in a directory of their own, for a replay. */
export const openFreshViews = (directory: string): Views => new SqliteViews(directory);
