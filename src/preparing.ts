// Prepares the stores at the start of a process. Retries while an engine is down: until it is up, the service is alive but
// not ready.
import { setTimeout as pause } from 'node:timers/promises';
import { type Config, ConfigurationError } from './config.js';
import { StoresApart, UnknownFormat } from './infrastructure/errors.js';
import { MasterKeyUnknown } from './infrastructure/keys/wrapping.js';
import type { Log } from './infrastructure/log.js';
import type { AllStores } from './infrastructure/stores.js';
import { allProjections } from './projections/all.js';
import { checkOrigin, OriginDiffers } from './transparency/origin.js';

const RETRY_MS = 1_000;

type IsStopping = () => boolean;

/**
 * Checks that the stores belong to this configuration. With the wrong master keys, personal data could not be read, and
 * new data could not be read later. This program could misread stores of another format. A different origin names
 * another log. Makes the first keys of a new vault. Rejects with `ConfigurationError`, `UnknownFormat` or `StoresApart`.
 */
export const checkVault = (
  { keyring, vault }: AllStores,
  { logOrigin }: Config,
  log: Log,
  isStopping: IsStopping,
): Promise<void> =>
  retrying('check the vault', log, isStopping, async () => {
    await keyring.check();
    await checkOrigin(vault, logOrigin);
    // The first key makes the file of the master keys, without which nobody can back up the stores.
    await keyring.serviceKey('opaque');
  });

/** Creates the read models that are missing or of another log. */
export const prepareViews = ({ views, format }: AllStores, log: Log, isStopping: IsStopping): Promise<void> =>
  retrying('prepare the read models', log, isStopping, async () => {
    const id = (await format.check())?.log ?? null;
    await Promise.all(allProjections.map((projection) => views.prepare(projection, id)));
  });

/** Judges the stores of a new installation until it has its first event: another log may begin beside the same vault. */
export const judgeNew = async ({ judge }: Pick<AllStores, 'judge'>, isStopping: IsStopping): Promise<void> => {
  // A store that is unavailable is asked again, and the judge itself reports a contradiction.
  while (!isStopping() && (await judge().catch(() => undefined)) === undefined) {
    await pause(RETRY_MS, undefined, { ref: false });
  }
};

/** Runs a task until it succeeds, or `isStopping`. Rejects with an error that ends the start. */
export const retrying = async (
  what: string,
  log: Log,
  isStopping: IsStopping,
  task: () => Promise<unknown>,
): Promise<void> => {
  while (!isStopping()) {
    try {
      await task();
      return;
    } catch (cause) {
      const error = ofSetting(cause);
      if ([UnknownFormat, StoresApart, ConfigurationError].some((kind) => error instanceof kind)) throw error;
      log.warn({ err: error }, `failed to ${what}; will retry`);
      await pause(RETRY_MS);
    }
  }
};

/** Returns an error as one of the configuration, if its cause is a setting. */
export const ofSetting = (error: unknown): unknown => {
  if (error instanceof MasterKeyUnknown) return new ConfigurationError([`MASTER_KEY: ${error.message}`]);
  return error instanceof OriginDiffers ? new ConfigurationError([`LOG_ORIGIN: ${error.message}`]) : error;
};
