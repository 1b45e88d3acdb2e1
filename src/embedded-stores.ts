// The data directory of the embedded stores: its files, and their locations for commands that may not create them.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigurationError } from './config.js';
import { BACKED_UP_FILES } from './operations/backup-format.js';
import { UNFINISHED } from './operations/restore.js';
import type { EngineSettings } from './settings/engines.js';

/** The file of each embedded store in the data directory. */
export const STORE_FILES = {
  ...BACKED_UP_FILES,
  views: 'views.sqlite',
  work: 'work.sqlite',
} as const;

export type StoreName = keyof typeof STORE_FILES;

/** The locations of the embedded stores, and whether a missing key may be created. */
export interface Places {
  readonly directoryOf: (store: StoreName) => string;
  readonly creates: boolean;
  /** Whether the program may write to the stores. */
  readonly writes: boolean;
  /** Whether the data directory may contain an unfinished restore. */
  readonly mayBeUnfinished?: boolean;
}

/** Returns the places for a program that creates missing stores. */
export const placesIn = ({ dataDirectory }: Pick<EngineSettings, 'dataDirectory'>): Places => ({
  directoryOf: () => dataDirectory,
  creates: true,
  writes: true,
});

/** Returns the embedded stores, which have no URL. */
export const embeddedStores = ({ eventStoreUrl, mongoDbUrl, redisUrl }: EngineSettings): readonly StoreName[] => [
  ...(eventStoreUrl === undefined ? (['facts'] as const) : []),
  ...(mongoDbUrl === undefined ? (['views', 'vault'] as const) : []),
  ...(redisUrl === undefined ? (['work'] as const) : []),
];

/** Throws `ConfigurationError` if a data directory contains an unfinished restore. */
export const mustBeFinished = (directory: string): void => {
  if (!existsSync(join(directory, UNFINISHED))) return;
  throw new ConfigurationError([`DATA_DIR: a restore into ${directory} was cut off: run the same restore again`]);
};

/** The log message about files with loose permissions. */
export const LOOSE_FILES =
  'other users of this machine could read or write these files; their modes are now 0600. Find out whether anyone did.';

/** Makes the data directory, readable only by its user. Throws `ConfigurationError` if it cannot be used. */
export const makeDirectory = (directory: string, onLooseFiles: (files: readonly string[]) => void): void => {
  process.umask(0o077);
  try {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o700);
    const loose = tightened(directory);
    if (loose.length > 0) onLooseFiles(loose);
  } catch (error) {
    throw unusable(error);
  }
};

/** Returns the error for a data directory that cannot be used. */
export const unusable = (error: unknown): ConfigurationError => {
  const cause = error instanceof Error ? error.message : String(error);
  return new ConfigurationError([`DATA_DIR: ${cause}: use a directory that this user owns and can write to`]);
};

const OTHERS = 0o077;

const tightened = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(directory, name))
    .filter((file) => {
      // SQLite removes its own files at any time.
      const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
      if ((mode & OTHERS) === 0) return false;
      chmodSync(file, 0o600);
      return true;
    });

/**
 * Returns the places for a command that creates no store. A missing embedded store that the command does not need is
 * replaced with an empty store in a temporary directory, which `remove` deletes. Throws `ConfigurationError` if the
 * data directory does not have all stores in `needed`, or has neither facts nor vault if `needed` is empty.
 */
export const existingPlaces = (
  config: EngineSettings,
  needed: readonly StoreName[],
): Places & { readonly remove: () => void } => {
  const directory = config.dataDirectory;
  mustBeFinished(directory);
  const embedded = embeddedStores(config);
  const isMissing = (store: StoreName) => !existsSync(join(directory, STORE_FILES[store]));
  const permanent = embedded.filter((store) => store === 'facts' || store === 'vault');
  const missingNeeded = needed.filter((store) => embedded.includes(store) && isMissing(store));
  const missing = needed.length === 0 && permanent.every(isMissing) ? permanent : missingNeeded;
  if (missing.length > 0) throw storesMissing(directory, missing);
  const replaced = embedded.filter(isMissing);
  const temporary = replaced.length > 0 ? mkdtempSync(join(tmpdir(), 'empty-stores-')) : undefined;
  return {
    directoryOf: (store) => (temporary !== undefined && replaced.includes(store) ? temporary : directory),
    creates: false,
    writes: false,
    remove: () => {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    },
  };
};

const storesMissing = (directory: string, stores: readonly StoreName[]): ConfigurationError => {
  const files = stores.map((store) => STORE_FILES[store]).join(' and ');
  const fault = `DATA_DIR: ${resolve(directory)} has no ${files}. Set DATA_DIR to the directory of the stores; this command creates none.`;
  return new ConfigurationError([fault]);
};
