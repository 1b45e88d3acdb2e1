// Selects the engines of the ports. Setting its URL selects an engine; without URLs, all engines are embedded. An
// engine is loaded when it is selected, so that a process loads only the clients that it uses.

import { join } from 'node:path';
import { type Config, ConfigurationError } from './config.js';
import { aggregates, allPersonalPaths, allUpcasters } from './domain/all.js';
import {
  embeddedStores,
  fileOf,
  lacksFile,
  makeDirectory,
  mustBeFinished,
  type Opening,
  placeOf,
  unusable,
} from './embedded-stores.js';
import { allEnded, openedOnce } from './infrastructure/async.js';
import { messageOf, namingSpace } from './infrastructure/errors.js';
import type { Facts } from './infrastructure/facts/facts.js';
import { Keyring } from './infrastructure/keys/keyring.js';
import { type MasterKeys, providedMasterKeys } from './infrastructure/keys/master-key.js';
import { MasterKeyFile } from './infrastructure/keys/master-key-file.js';
import type { Log } from './infrastructure/log.js';
import { byChannel, type Notifier } from './infrastructure/notifier/notifier.js';
import { OutboxNotifier } from './infrastructure/notifier/outbox.js';
import { SealedFacts } from './infrastructure/persons/sealed-facts.js';
import type { SealingWatch } from './infrastructure/persons/watch.js';
import type { OwnRateLimits, RateLimits } from './infrastructure/rate-limits/rate-limits.js';
import { RefusedWrites } from './infrastructure/refused-writes.js';
import type { AllStores, LastingStores } from './infrastructure/stores.js';
import { StoreFormat } from './infrastructure/vault/store-format.js';
import type { Views } from './infrastructure/views/views.js';
import type { Queue } from './infrastructure/work/work.js';
import type { Copies } from './operations/backup.js';
import { eraseSecrets } from './operations/erase-secrets.js';
import { ErasureList } from './operations/erasure-list.js';
import { type PairedStores, pairOf } from './operations/store-pair.js';
import { addressFault, type EngineSettings, type EngineVariable } from './settings/engines.js';

interface StoreListeners extends Pick<PairedStores, 'onApart'> {
  readonly onError: (error: Error) => void;
  /** Called when a store refuses a write, and when it stops refusing them. */
  readonly onWrite?: RefusedWrites['wroteElsewhere'];
  readonly sealing: SealingWatch;
}

/**
 * Opens the stores. Creates the embedded ones that are missing. Servers do not have to be up yet. Rejects if the
 * directory of the embedded stores is unusable.
 */
export const openStores = (
  config: EngineSettings,
  listeners: StoreListeners,
  access: Opening = 'use',
): Promise<AllStores> =>
  opening(async (keep) => {
    const { masterKeys, openViews, ...lasting } = await openFactsAndVault(config, listeners, access, keep);
    const { refusedWrites } = lasting;
    const views = keep(refusedWrites.watch('views', await openViews()));
    const { work, board } = await openWork(config, listeners.onError);
    keep(refusedWrites.watch('queue', work));
    return {
      ...lasting,
      views,
      work,
      board,
      outbox: new OutboxNotifier(join(config.dataDirectory, 'outbox')),
      eraseSecrets: (person) => eraseSecrets(lasting, person),
      noteErasure: async (userId) => erasureListOf(config, masterKeys)?.add([userId]),
    };
  });

/** Opens facts and vault to inspect them. Read models that are missing have no checkpoints, and are not created. */
export const openLastingStores = (config: EngineSettings, listeners: StoreListeners): Promise<LastingStores> =>
  opening(async (keep) => {
    const { masterKeys: _, openViews, ...lasting } = await openFactsAndVault(config, listeners, 'inspect', keep);
    const lacksViews = lacksFile(config, 'views');
    return { ...lasting, views: lacksViews ? { checkpoints: async () => [] } : keep(await openViews()) };
  });

interface Closable {
  close(): Promise<void>;
}

type Keep = <Store extends Closable>(store: Store) => Store;

/**
 * Returns what `open` returns, with a function that closes the stores that `open` kept. Closes them at once if `open`
 * fails: the process must not end before the threads of SQLite, which would abort it.
 */
const opening = async <Stores>(open: (keep: Keep) => Promise<Stores>): Promise<Stores & Closable> => {
  const kept: Closable[] = [];
  const keep: Keep = (store) => {
    kept.push(store);
    return store;
  };
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    // If there are queues, they were opened last, and a running job may still use the other stores.
    try {
      await kept.pop()?.close();
    } finally {
      await allEnded(kept.map((store) => store.close()));
    }
  };
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  try {
    return { ...(await open(keep)), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const openFactsAndVault = async (
  config: EngineSettings,
  { onError, onWrite, onApart, sealing: watch }: StoreListeners,
  access: Opening,
  keep: Keep,
) => {
  if (access !== 'restore') mustBeFinished(config.dataDirectory);
  if (embeddedStores(config).length > 0) makeDirectory(config.dataDirectory);
  const refusedWrites = new RefusedWrites(onWrite);
  const masterKeys = masterKeysOf(config, { creates: access === 'use' });
  const openedFacts = openedOnce(async () => keep(refusedWrites.watch('log', await openFacts(config, onError))));
  const openedVault = openedOnce(async () => {
    const { vault, openViews } = await openVault(config, onError);
    return { vault: keep(refusedWrites.watch('vault', vault)), openViews };
  });
  const pair = pairOf({
    facts: openedFacts,
    vault: async () => (await openedVault()).vault,
    isMissing: (store) => lacksFile(config, store),
    names: [`the event log (${placeOf(config, 'facts')})`, `the vault (${placeOf(config, 'vault')})`],
    ...{ masterKeys, onApart },
  });
  const { judge } = access === 'use' ? pair : { judge: undefined };
  if ((config.eventStoreUrl ?? config.mongoDbUrl) === undefined) await judge?.();
  const { vault, openViews } = await openedVault();
  const format = new StoreFormat(vault);
  const admit = { use: pair.admit, inspect: () => format.check(), restore: () => format.claim() }[access];
  // The other files may be of another format, so nothing opens them before.
  if (config.mongoDbUrl === undefined) await format.check();
  const sealedFacts = await openedFacts();
  const keyring = new Keyring(vault, masterKeys, { onDamaged: watch.damaged, admit });
  const events = { personal: allPersonalPaths, upcasters: allUpcasters };
  return {
    ...pair,
    facts: new SealedFacts(sealedFacts, { keyring, format, watch, judge, ...events }),
    sealedFacts,
    vault,
    refusedWrites,
    integrity: () => integrityOf(config),
    keyring,
    format,
    admit,
    serviceKey: (name: string) => keyring.serviceKey(name),
    personKeys: (persons: readonly string[]) => keyring.ofPersons(persons),
    masterKeys,
    openViews,
  };
};

export const masterKeysOf = (
  { masterKeys, dataDirectory }: Pick<EngineSettings, 'masterKeys' | 'dataDirectory'>,
  options: { readonly creates: boolean },
): MasterKeys =>
  masterKeys === undefined
    ? new MasterKeyFile(join(dataDirectory, 'master.key'), options)
    : providedMasterKeys(masterKeys);

/** Returns the list of erased users; undefined if no store is embedded and the configuration names no file. */
export const erasureListOf = (config: EngineSettings, masterKeys: MasterKeys): ErasureList | undefined => {
  const { erasureList, dataDirectory, eventStoreUrl, mongoDbUrl } = config;
  if (erasureList !== undefined) return new ErasureList(erasureList, masterKeys);
  const isDistributed = eventStoreUrl !== undefined && mongoDbUrl !== undefined;
  return isDistributed ? undefined : new ErasureList(join(dataDirectory, 'erased.txt'), masterKeys);
};

export const openCopies = async (): Promise<Copies> => {
  const [files, { describeVaultCopy }] = await Promise.all([
    import('./infrastructure/sqlite/copies.js'),
    import('./infrastructure/keys/vault-copy.js'),
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
export const ownDirectory = async (config: EngineSettings, waitMs: number, log?: Log): Promise<() => void> => {
  const { dataDirectory } = config;
  if (embeddedStores(config).length === 0) return () => {};
  const { DirectoryInUse, lockDirectory } = await import('./infrastructure/sqlite/directory-lock.js');
  makeDirectory(dataDirectory, log);
  try {
    return lockDirectory(dataDirectory, waitMs);
  } catch (error) {
    if (!(error instanceof DirectoryInUse))
      throw unusable(new Error(`${dataDirectory}: ${messageOf(namingSpace(error, dataDirectory))}`));
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

type OnError = StoreListeners['onError'];

const openFacts = async ({ eventStoreUrl, dataDirectory }: EngineSettings, onOutage: OnError): Promise<Facts> => {
  if (eventStoreUrl === undefined) {
    const { SqliteFacts } = await import('./infrastructure/facts/sqlite.js');
    return new SqliteFacts(dataDirectory);
  }
  const { EventStoreDbFacts } = await import('./infrastructure/facts/eventstoredb.js');
  return openedAt('EVENTSTORE_URL', () => new EventStoreDbFacts(eventStoreUrl, { aggregates, onOutage }));
};

const openVault = async ({ mongoDbUrl, dataDirectory }: EngineSettings, onError: OnError) => {
  if (mongoDbUrl === undefined) {
    const { SqliteVault } = await import('./infrastructure/vault/sqlite.js');
    return { vault: new SqliteVault(dataDirectory), openViews: () => openEmbeddedViews(dataDirectory) };
  }
  const [{ MongoConnection }, { MongoViews }, { MongoVault }] = await Promise.all([
    import('./infrastructure/mongodb/connection.js'),
    import('./infrastructure/views/mongodb/views.js'),
    import('./infrastructure/vault/mongodb.js'),
  ]);
  const connection = openedAt('MONGODB_URL', () => new MongoConnection(mongoDbUrl, onError));
  return { vault: new MongoVault(connection), openViews: async () => new MongoViews(connection) };
};

const openWork = async ({ redisUrl, dataDirectory }: EngineSettings, onError: OnError) => {
  if (redisUrl === undefined) {
    const { SqliteWork } = await import('./infrastructure/work/sqlite.js');
    return { work: new SqliteWork(dataDirectory, { onError }), board: undefined };
  }
  const { BullMqWork } = await import('./infrastructure/work/bullmq.js');
  const work = openedAt('REDIS_URL', () => new BullMqWork(redisUrl, { onError }));
  return { work, board: (queues: readonly Queue[]) => work.board(queues) };
};

const integrityOf = async (config: EngineSettings): Promise<readonly string[]> => {
  const { integrityFaults } = await import('./infrastructure/sqlite/integrity.js');
  const stores = embeddedStores(config).filter((store) => store === 'facts' || store === 'vault');
  return stores.flatMap((store) => {
    const file = fileOf(config, store);
    return integrityFaults(store === 'facts' ? { file, aggregates } : { file });
  });
};

/** Opens the counters of rate limits: those of this process, and those that all processes share in Redis, if there is one. */
export const openLimits = async (
  { redisUrl }: Pick<Config, 'redisUrl'>,
  { serviceKey }: Pick<AllStores, 'serviceKey'>,
  log: Log,
): Promise<{ readonly own: OwnRateLimits; readonly shared: RateLimits }> => {
  const { MemoryRateLimits } = await import('./infrastructure/rate-limits/memory.js');
  const own = new MemoryRateLimits();
  if (redisUrl === undefined) return { own, shared: own };
  const { RedisRateLimits } = await import('./infrastructure/rate-limits/redis.js');
  return { own, shared: new RedisRateLimits(redisUrl, { secret: () => serviceKey('rate-limits'), log }) };
};

/** Returns the notifier. A channel writes to the outbox unless the configuration names a server for the channel. */
export const notifierOf = async (
  { smtp, smsWebhook }: Pick<Config, 'smtp' | 'smsWebhook'>,
  outbox: Notifier,
): Promise<Notifier> =>
  byChannel({
    EMAIL: smtp ? (await import('./infrastructure/notifier/smtp.js')).smtpNotifier(smtp) : outbox,
    SMS: smsWebhook ? (await import('./infrastructure/notifier/webhook.js')).webhookNotifier(smsWebhook) : outbox,
  });

/** Opens embedded read models in a directory, either the service's or new ones for a replay. */
export const openEmbeddedViews = async (directory: string): Promise<Views> => {
  const { SqliteViews } = await import('./infrastructure/views/sqlite/views.js');
  return new SqliteViews(directory);
};
