// The data directory of the embedded stores: its files and their permissions.
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { ConfigurationError } from './config.js';
import { ensureDirectory } from './infrastructure/durable-files.js';
import { codeOf, messageOf } from './infrastructure/errors.js';
import type { Log } from './infrastructure/log.js';
import { BACKED_UP_FILES, type BackedUp, UNFINISHED } from './operations/backup.js';
import type { EngineSettings } from './settings/engines.js';

export const STORE_FILES = {
  ...BACKED_UP_FILES,
  views: 'views.sqlite',
  work: 'work.sqlite',
} as const;

export type StoreName = keyof typeof STORE_FILES;

/**
 * What a program does with the stores. Only `use` creates a missing master key. `inspect` does not claim the format of
 * the stores. `restore` goes on if the data directory contains an unfinished restore.
 */
export type Opening = 'use' | 'inspect' | 'restore';

/** Returns the embedded stores, which have no URL. */
export const embeddedStores = ({ eventStoreUrl, mongoDbUrl, redisUrl }: EngineSettings): readonly StoreName[] => [
  ...(eventStoreUrl === undefined ? (['facts'] as const) : []),
  ...(mongoDbUrl === undefined ? (['views', 'vault'] as const) : []),
  ...(redisUrl === undefined ? (['work'] as const) : []),
];

export const fileOf = ({ dataDirectory }: Pick<EngineSettings, 'dataDirectory'>, store: StoreName): string =>
  join(dataDirectory, STORE_FILES[store]);

/** Returns whether an embedded store has no file, or one of 0 bytes, which holds no store either. */
export const lacksFile = (config: EngineSettings, store: StoreName): boolean =>
  embeddedStores(config).includes(store) && !statSync(fileOf(config, store), { throwIfNoEntry: false })?.size;

/** Returns the file of event log or vault, or the variable that names its server. */
export const placeOf = (config: EngineSettings, store: BackedUp): string =>
  embeddedStores(config).includes(store) ? fileOf(config, store) : SERVERS[store];

const SERVERS = { facts: 'EVENTSTORE_URL', vault: 'MONGODB_URL' } as const;

/** Throws `ConfigurationError` if a data directory contains an unfinished restore. */
export const mustBeFinished = (directory: string): void => {
  if (!existsSync(join(directory, UNFINISHED))) return;
  throw new ConfigurationError([`DATA_DIR: a restore into ${directory} was interrupted: run the same restore again`]);
};

/**
 * Makes the data directory, which only its user may enter (0700), and has this process make all files for its user
 * alone (0600). Throws `ConfigurationError` if it cannot be used. That of another user must be open to its group alone.
 */
export const makeDirectory = (directory: string, log?: Pick<Log, 'warn'>): void => {
  // A thread has the mask of its process, and cannot set it.
  if (isMainThread) process.umask(0o077);
  try {
    ensureDirectory(directory);
    // The volume of a service can be of root and open to a group. The tool, which passes no log, must leave it so.
    if (log !== undefined || process.geteuid?.() !== 0) chmodSync(directory, 0o700);
  } catch (error) {
    if (codeOf(error) !== 'EPERM' || (statSync(directory).mode & 0o022) !== 0o020) throw unusable(error);
    log?.warn(`DATA_DIR: the mode of ${directory} cannot be set to 0700, so its group may replace files`);
  }
};

export const unusable = (error: unknown): ConfigurationError =>
  new ConfigurationError([`DATA_DIR: ${messageOf(error)}: use a directory that this user owns and can write to`]);

/** Throws `ConfigurationError` if the data directory lacks one of these stores, although they are embedded. */
export const mustExist = (
  config: EngineSettings,
  stores: readonly StoreName[] = Object.keys(STORE_FILES) as StoreName[],
): void => {
  const { dataDirectory } = config;
  mustBeFinished(dataDirectory);
  const missing = embeddedStores(config)
    .filter((store) => stores.includes(store))
    .filter((store) => lacksFile(config, store))
    .map((store) => STORE_FILES[store]);
  if (missing.length === 0) return;
  const fault = `DATA_DIR: ${resolve(dataDirectory)} has no ${missing.join(' and ')}. Set DATA_DIR to the directory of the stores; this command does not create them.`;
  throw new ConfigurationError([fault]);
};
