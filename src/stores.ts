// Selects the engines of the ports. Setting its URL selects an engine; without URLs, all engines are embedded. An
// engine is loaded when it is selected, so that a process loads only the clients that it uses.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, ConfigurationError } from './config.js';
import { aggregates, allPersonalPaths, allUpcasters } from './domain/all.js';
import {
  type Access,
  embeddedStores,
  makeDirectory,
  mustBeFinished,
  STORE_FILES,
  type StoreName,
  unusable,
  WRITING,
} from './embedded-stores.js';
import type { Facts } from './infrastructure/facts/facts.js';
import type { Log } from './infrastructure/log.js';
import { byChannel, type Notifier } from './infrastructure/notifier/notifier.js';
import { OutboxNotifier } from './infrastructure/notifier/outbox.js';
import type { RateLimits } from './infrastructure/rate-limits/rate-limits.js';
import { Keyring } from './infrastructure/sealing/keyring.js';
import { type MasterKeys, ProvidedMasterKeys } from './infrastructure/sealing/master-key.js';
import { MasterKeyFile } from './infrastructure/sealing/master-key-file.js';
import { SealedFacts } from './infrastructure/sealing/sealed-facts.js';
import type { SealingWatch } from './infrastructure/sealing/watch.js';
import type { AllStores } from './infrastructure/stores.js';
import { StoreFormat } from './infrastructure/vault/store-format.js';
import type { Views } from './infrastructure/views/views.js';
import type { Queue } from './infrastructure/work/work.js';
import type { Copies } from './operations/backup.js';
import { eraseSecrets } from './operations/erase-secrets.js';
import { ErasureList } from './operations/erasure-list.js';
import { addressFault, type EngineSettings, type EngineVariable } from './settings/engines.js';

/** The callbacks for background errors and unreadable personal fields. */
export interface StoreListeners {
  readonly onError: (error: Error) => void;
  readonly sealing: SealingWatch;
}

/**
 * Opens the stores. Creates the embedded ones that are missing; a program that may not write has empty ones instead,
 * which its `close` removes. Servers do not have to be up yet. Rejects if the directory of the embedded stores is
 * unusable.
 */
export const openStores = async (
  config: EngineSettings,
  { onError, sealing: watch }: StoreListeners,
  access: Access = WRITING,
): Promise<AllStores> => {
  const { dataDirectory, eventStoreUrl, mongoDbUrl, redisUrl } = config;
  if (access.mayBeUnfinished !== true) mustBeFinished(dataDirectory);
  if (embeddedStores(config).length > 0) makeDirectory(dataDirectory);
  const directories = new StoreDirectories(dataDirectory, access);
  const { vault, openViews } = await (mongoDbUrl === undefined
    ? inSqlite(directories)
    : inMongoDb(mongoDbUrl, onError));
  const format = new StoreFormat(vault);
  const admit = () => (access.writes ? format.claim() : format.check());
  // The other files may be of another format, so nothing opens them before.
  if (mongoDbUrl === undefined) await admit();
  const [sealedFacts, { work, board }, views] = await Promise.all([
    eventStoreUrl === undefined ? embeddedFacts(directories.of('facts')) : inEventStoreDb(eventStoreUrl, onError),
    redisUrl === undefined ? embeddedWork(directories.of('work'), onError) : inRedis(redisUrl, onError),
    openViews(),
  ]);
  const masterKeys = masterKeysOf(config, access);
  const keyring = new Keyring(vault, masterKeys, { onDamaged: watch.damaged, admit });
  const serviceKey = (name: string) => keyring.serviceKey(name);
  const events = { personal: allPersonalPaths, upcasters: allUpcasters };
  const facts = new SealedFacts(sealedFacts, { keyring, format, watch, ...events });
  const close = async () => {
    // A running job may still use the other stores.
    await work.close();
    await Promise.all([facts.close(), views.close(), vault.close()]);
    directories.close();
  };
  return {
    facts,
    sealedFacts,
    views,
    vault,
    integrity: integrityOf(config),
    keyring,
    format,
    admit,
    work,
    outbox: new OutboxNotifier(join(dataDirectory, 'outbox')),
    serviceKey,
    eraseSecrets: (person) => eraseSecrets({ vault, keyring }, person),
    noteErasure: async (userId) => erasureListOf(config, masterKeys)?.add([userId]),
    personKeys: (persons) => keyring.ofPersons(persons),
    board,
    close,
  };
};

/** Returns the master keys of the configuration. */
export const masterKeysOf = (
  { masterKeys, dataDirectory }: Pick<EngineSettings, 'masterKeys' | 'dataDirectory'>,
  options: { readonly creates: boolean },
): MasterKeys =>
  masterKeys === undefined
    ? new MasterKeyFile(join(dataDirectory, 'master.key'), options)
    : new ProvidedMasterKeys(masterKeys);

/** Returns the list of erased users; undefined if no store is embedded and the configuration names no file. */
export const erasureListOf = (config: EngineSettings, masterKeys: MasterKeys): ErasureList | undefined => {
  const { erasureList, dataDirectory, eventStoreUrl, mongoDbUrl } = config;
  if (erasureList !== undefined) return new ErasureList(erasureList, masterKeys);
  const isDistributed = eventStoreUrl !== undefined && mongoDbUrl !== undefined;
  return isDistributed ? undefined : new ErasureList(join(dataDirectory, 'erased.txt'), masterKeys);
};

/** Returns the functions that copy the files of embedded stores. */
export const openCopies = async (): Promise<Copies> => {
  const [files, { describeVaultCopy }] = await Promise.all([
    import('./infrastructure/sqlite/copies.js'),
    import('./infrastructure/sealing/vault-copy.js'),
  ]);
  return { ...files, describeVaultCopy };
};

/** How long a start waits for the previous owner of the data directory, in milliseconds: longer than a stop takes. */
export const OWNER_WAIT_MS = 12_000;

/**
 * Makes this process the owner of the data directory, if any store is embedded. Waits up to `waitMs` for the previous
 * owner. Returns a function that ends the ownership, as the end of the process does. Throws `ConfigurationError`, which
 * names the owner, if another process keeps the directory.
 */
export const ownDirectory = async (config: EngineSettings, waitMs: number): Promise<() => void> => {
  const { dataDirectory } = config;
  if (embeddedStores(config).length === 0) return () => {};
  const { DirectoryInUse, lockDirectory } = await import('./infrastructure/sqlite/directory-lock.js');
  try {
    process.umask(0o077);
    mkdirSync(dataDirectory, { recursive: true });
    return lockDirectory(dataDirectory, waitMs);
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw unusable(new Error(`${dataDirectory}: ${String(error)}`));
    throw new ConfigurationError([`DATA_DIR: ${error.message}: stop that service, or use another directory`]);
  }
};

// Drivers validate their URLs more strictly than the configuration does.
const openedAt = <E>(variable: EngineVariable, open: () => E): E => {
  try {
    return open();
  } catch (cause) {
    throw new ConfigurationError([`${variable}: ${addressFault(variable)}`], { cause });
  }
};

/** The directories of the embedded stores of a program. */
class StoreDirectories {
  readonly #data: string;
  readonly #access: Access;
  #empty: string | undefined;

  constructor(data: string, access: Access) {
    this.#data = data;
    this.#access = access;
  }

  /** Returns the data directory, or a temporary one if the data directory lacks the store and may not get it. */
  of(store: StoreName): string {
    if (this.#access.writes || existsSync(join(this.#data, STORE_FILES[store]))) return this.#data;
    this.#empty ??= mkdtempSync(join(tmpdir(), 'empty-stores-'));
    return this.#empty;
  }

  close(): void {
    if (this.#empty !== undefined) rmSync(this.#empty, { recursive: true, force: true });
  }
}

type OnError = StoreListeners['onError'];

const embeddedFacts = async (directory: string): Promise<Facts> => {
  const { SqliteFacts } = await import('./infrastructure/facts/sqlite.js');
  return new SqliteFacts(directory);
};

const inEventStoreDb = async (url: string, onOutage: OnError): Promise<Facts> => {
  const { EventStoreDbFacts } = await import('./infrastructure/facts/eventstoredb.js');
  return openedAt('EVENTSTORE_URL', () => new EventStoreDbFacts(url, { onOutage }));
};

const integrityOf =
  (config: EngineSettings): AllStores['integrity'] =>
  async () => {
    const { integrityFaults } = await import('./infrastructure/sqlite/integrity.js');
    const stores = embeddedStores(config).filter((store) => store === 'facts' || store === 'vault');
    return stores.flatMap((store) => {
      const file = join(config.dataDirectory, STORE_FILES[store]);
      return integrityFaults(store === 'facts' ? { file, aggregates } : { file });
    });
  };

const inSqlite = async (directories: StoreDirectories) => {
  const { SqliteVault } = await import('./infrastructure/vault/sqlite.js');
  const vault = new SqliteVault(directories.of('vault'));
  return { vault, openViews: () => openEmbeddedViews(directories.of('views')) };
};

const embeddedWork = async (directory: string, onError: OnError) => {
  const { SqliteWork } = await import('./infrastructure/work/sqlite.js');
  return { work: new SqliteWork(directory, { onError }), board: undefined };
};

const inRedis = async (url: string, onError: OnError) => {
  const { BullMqWork } = await import('./infrastructure/work/bullmq.js');
  const work = openedAt('REDIS_URL', () => new BullMqWork(url, { onError }));
  return { work, board: (queues: readonly Queue[]) => work.board(queues) };
};

const inMongoDb = async (url: string, onError: OnError) => {
  const [{ MongoConnection }, { MongoViews }, { MongoVault }] = await Promise.all([
    import('./infrastructure/mongodb/connection.js'),
    import('./infrastructure/views/mongodb/views.js'),
    import('./infrastructure/vault/mongodb.js'),
  ]);
  const connection = openedAt('MONGODB_URL', () => new MongoConnection(url, onError));
  return { vault: new MongoVault(connection), openViews: async () => new MongoViews(connection) };
};

/** Opens the counters of rate limits: shared by all processes in Redis, or of this process alone without Redis. */
export const openLimits = async (
  { redisUrl }: Pick<Config, 'redisUrl'>,
  { serviceKey }: Pick<AllStores, 'serviceKey'>,
  log: Log,
): Promise<RateLimits> => {
  if (redisUrl === undefined) {
    const { MemoryRateLimits } = await import('./infrastructure/rate-limits/memory.js');
    return new MemoryRateLimits();
  }
  const { RedisRateLimits } = await import('./infrastructure/rate-limits/redis.js');
  return new RedisRateLimits(redisUrl, { secret: () => serviceKey('rate-limits'), log });
};

/** Returns the notifier. A channel writes to the outbox unless the configuration names a server for the channel. */
export const notifierOf = async (
  { smtp, smsWebhook }: Pick<Config, 'smtp' | 'smsWebhook'>,
  outbox: Notifier,
): Promise<Notifier> =>
  byChannel({
    EMAIL: smtp ? new (await import('./infrastructure/notifier/smtp.js')).SmtpNotifier(smtp) : outbox,
    SMS: smsWebhook ? new (await import('./infrastructure/notifier/webhook.js')).WebhookNotifier(smsWebhook) : outbox,
  });

/** Opens embedded read models in a directory, either the service's or new ones for a replay. */
export const openEmbeddedViews = async (directory: string): Promise<Views> => {
  const { SqliteViews } = await import('./infrastructure/views/sqlite/views.js');
  return new SqliteViews(directory);
};
