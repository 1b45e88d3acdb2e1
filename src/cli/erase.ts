// `npm run cli -- erase`: erases a person.
import { parseArgs } from 'node:util';
import { operatorContext } from '../commands/operator.js';
import { userCommands } from '../domain/user.js';
import { eraseUser } from '../http/erasure.js';
import { Problem } from '../http/problems.js';
import { serviceOf } from '../http/service.js';
import { Progress } from '../projections/progress.js';
import type { AllStores } from '../stores.js';
import type { Commands } from './command.js';
import { UsageError } from './usage-error.js';

const PATIENCE_MS = 60_000;

const erase = async (stores: AllStores, ...given: readonly (string | undefined)[]): Promise<void> => {
  const { user: userId, reason: said } = erasureOptions(given);
  const reason = userCommands.EraseUser.shape.reason.safeParse(said);
  if (userId === undefined || !reason.success) {
    throw new UsageError('say whom by --user ID and why by --reason "…": 1 to 500 characters that name nobody');
  }
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const erasure = { userId, reason: reason.data, patienceMs: PATIENCE_MS };
  const { revision } = await eraseUser(service, erasure, operatorContext()).catch(unfinished);
  console.log(`user ${userId} is erased, by the event at revision ${revision} of their stream`);
};

const erasureOptions = (given: readonly (string | undefined)[]) => {
  const args = given.filter((word) => word !== undefined);
  try {
    return parseArgs({ args, options: { user: { type: 'string' }, reason: { type: 'string' } } }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const unfinished = (error: unknown): never => {
  if (!(error instanceof Problem) || error.code !== 'erasure-unfinished') throw error;
  throw new Error('the key is deleted and the erasure recorded, but no worker runs or it lags: say it again later');
};

/** The command that erases a person. */
export const eraseCommands: Commands = {
  erase: {
    usage: 'erase --user ID --reason "…"',
    purpose: 'deletes the key of a person and all that vault and read models hold of them; cannot be undone',
    run: erase,
  },
};
