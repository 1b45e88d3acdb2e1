// Opens the stores in the environment for a command of the operator's tool.
import { requirePasswordLength } from '../auth/passwords/rules.js';
import { type Config, readConfig } from '../config.js';
import { existingPlaces, LOOSE_FILES, type Places, placesIn, type StoreName } from '../embedded-stores.js';
import { watchSealing } from '../infrastructure/sealing/watch.js';
import { allProjections } from '../projections/all.js';
import { type AllStores, openStores } from '../stores.js';
import { log } from './log.js';

/** Runs a task on the stores and closes them. Creates stores that are missing. */
export const runOnStores = (task: (stores: AllStores) => Promise<void>): Promise<void> => {
  const config = readConfig(process.env);
  return runIn(config, placesIn(config), task);
};

/** Runs a task that only reads the stores. Creates no store, and rejects if a needed store is missing. */
export const inspectStores = async (
  needed: readonly StoreName[],
  task: (stores: AllStores) => Promise<void>,
): Promise<void> => {
  const config = readConfig(process.env);
  const places = existingPlaces(config, needed);
  try {
    await runIn(config, places, task);
  } finally {
    places.remove();
  }
};

/** Runs a task on the stores in `places` and closes them. */
export const runIn = async <T>(config: Config, places: Places, task: (stores: AllStores) => Promise<T>): Promise<T> => {
  requirePasswordLength(config.passwordMinLength);
  const listeners = {
    onError: (error: Error) => log.warn({ err: error }, 'a store failed'),
    sealing: watchSealing(log),
    onLooseFiles: (files: readonly string[]) => log.warn({ files }, LOOSE_FILES),
  };
  const stores = await openStores(config, listeners, places);
  try {
    await stores.admit();
    for (const projection of allProjections) await stores.views.prepare(projection);
    return await task(stores);
  } finally {
    await stores.close();
  }
};
