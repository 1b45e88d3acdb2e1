// Opens the stores in the environment for a command of the operator's tool.
import { pino } from 'pino';
import { type Config, readConfig } from '../config.js';
import { mustExist, type Opening } from '../embedded-stores.js';
import { serializers } from '../infrastructure/log.js';
import { watchSealing } from '../infrastructure/persons/watch.js';
import type { AllStores, LastingStores } from '../infrastructure/stores.js';
import { allProjections } from '../projections/all.js';
import { openLastingStores, openStores } from '../stores.js';

/** The log of a command on standard error, separate from its output. */
export const log = pino({ level: 'warn', serializers }, pino.destination(2));

const listeners = {
  onError: (error: Error) => log.warn({ err: error }, 'a store failed'),
  sealing: watchSealing(log),
};

type Task<Stores> = (stores: Stores) => Promise<void>;

/** Runs a task on the stores and closes them. Creates stores that are missing. */
export const runOnStores = (task: Task<AllStores>): Promise<void> => runIn(readConfig(process.env), 'use', task);

/** Runs a task that only reads the stores. Rejects if one of them is missing. */
export const inspectStores = async (task: Task<AllStores>): Promise<void> => {
  const config = readConfig(process.env);
  mustExist(config);
  await runIn(config, 'inspect', task);
};

/** Runs a task that only reads facts and vault. Rejects if one of them is missing. Creates no other store. */
export const inspectLastingStores = async (task: Task<LastingStores>): Promise<void> => {
  const config = readConfig(process.env);
  mustExist(config, ['facts', 'vault']);
  await admitted(await openLastingStores(config, listeners), task);
};

/** Runs a task on the stores and closes them. */
export const runIn = async <T>(config: Config, access: Opening, task: (stores: AllStores) => Promise<T>): Promise<T> =>
  admitted(await openStores(config, listeners, access), async (stores) => {
    // What only inspects replaces no read model.
    const id = access === 'use' ? ((await stores.format.check())?.log ?? null) : undefined;
    for (const projection of allProjections) await stores.views.prepare(projection, id);
    return task(stores);
  });

const admitted = async <Stores extends LastingStores, T>(
  stores: Stores,
  task: (stores: Stores) => Promise<T>,
): Promise<T> => {
  try {
    await stores.admit();
    return await task(stores);
  } finally {
    await stores.close();
  }
};
