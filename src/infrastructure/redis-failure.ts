// Classifies errors of the Redis client.
import { messageOf, RightMissing, StoreUnavailable } from './errors.js';

// A script names the command that it may not run behind words of its own.
const NO_RIGHT = /NOPERM (.*)/;

/** Returns what a call of a store in Redis rejects with that failed with `error`. */
export const redisFailure = (store: string, error: unknown): StoreUnavailable => {
  if (error instanceof StoreUnavailable) return error;
  const [, right] = NO_RIGHT.exec(messageOf(error)) ?? [];
  return right === undefined ? new StoreUnavailable(store, error) : new RightMissing(store, right, error);
};
