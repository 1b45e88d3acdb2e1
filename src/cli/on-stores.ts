// Opens the stores in the environment for a command of the operator's tool.
import { type Config, readConfig } from '../config.js';
import { type Access, INSPECTING, mustExist, type StoreName, WRITING } from '../embedded-stores.js';
import { watchSealing } from '../infrastructure/sealing/watch.js';
import type { AllStores } from '../infrastructure/stores.js';
import { allProjections } from '../projections/all.js';
import { openStores } from '../stores.js';
import { log } from './log.js';

/** Runs a task on the stores and closes them. Creates stores that are missing. */
export const runOnStores = (task: (stores: AllStores) => Promise<void>): Promise<void> =>
  runIn(readConfig(process.env), WRITING, task);

/**
 * Runs a task that only reads the stores. Rejects if one of the `needed` stores is missing. Other missing stores appear
 * empty, and are not created.
 */
export const inspectStores = async (
  needed: readonly StoreName[] | undefined,
  task: (stores: AllStores) => Promise<void>,
): Promise<void> => {
  const config = readConfig(process.env);
  mustExist(config, needed);
  await runIn(config, INSPECTING, task);
};

/** Runs a task on the stores and closes them. */
export const runIn = async <T>(config: Config, access: Access, task: (stores: AllStores) => Promise<T>): Promise<T> => {
  const listeners = {
    onError: (error: Error) => log.warn({ err: error }, 'a store failed'),
    sealing: watchSealing(log),
  };
  const stores = await openStores(config, listeners, access);
  try {
    await stores.admit();
    for (const projection of allProjections) await stores.views.prepare(projection);
    return await task(stores);
  } finally {
    await stores.close();
  }
};
