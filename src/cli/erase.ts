// `npm run cli -- erase`: erases a person.

import { userCommands } from '../domain/user/user.js';
import type { AllStores } from '../infrastructure/stores.js';
import { ErasureUnfinished, eraseUser } from '../operations/erase-user.js';
import { Progress } from '../projections/progress.js';
import { serviceOf } from '../service.js';
import { operatorContext } from './operator.js';

const TIMEOUT_MS = 60_000;

/** Erases a person. */
export const erase = async (
  stores: AllStores,
  options: { readonly user: string; readonly reason: string },
): Promise<void> => {
  const userId = options.user;
  const reason = userCommands.EraseUser.shape.reason.safeParse(options.reason);
  if (!reason.success) {
    throw new Error(
      'Pass a --reason of 1 to 500 characters, at least one of them visible. The reason must not name anyone.',
    );
  }
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const erasure = { userId, reason: reason.data, timeoutMs: TIMEOUT_MS };
  const { revision } = await eraseUser(service, erasure, operatorContext()).catch(unfinished);
  console.log(`user ${userId} was erased at revision ${revision} of their stream`);
};

const unfinished = (error: unknown): never => {
  if (!(error instanceof ErasureUnfinished)) throw error;
  throw new Error(
    'The erasure is recorded and the key is deleted, but the read models are behind. Start a worker and run the command again.',
  );
};
