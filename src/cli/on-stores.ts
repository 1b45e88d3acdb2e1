// Opens the stores that the environment names for a command of the operator's tool.
import { requirePasswordLength } from '../auth/passwords/rules.js';
import { readConfig } from '../config.js';
import { watchSealing } from '../infrastructure/sealing/watch.js';
import { allProjections } from '../projections/all.js';
import { type AllStores, LOOSE_FILES, openStores } from '../stores.js';
import { log } from './log.js';

/** Runs a task on the stores and closes them. */
export const runOnStores = async (task: (stores: AllStores) => Promise<void>): Promise<void> => {
  const config = readConfig(process.env);
  requirePasswordLength(config.passwordMinLength);
  const stores = await openStores(config, {
    onError: (error) => log.warn({ err: error }, 'a store failed'),
    sealing: watchSealing(log),
    onLooseFiles: (files) => log.warn({ files }, LOOSE_FILES),
  });
  try {
    await stores.format.check();
    for (const projection of allProjections) await stores.views.prepare(projection);
    await task(stores);
  } finally {
    await stores.close();
  }
};
