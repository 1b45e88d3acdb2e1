// Classifies errors of the Redis client.
import { messageOf, RightMissing, StoreUnavailable } from './errors.js';

// The error of a script has another code, and does not name the command in the script.
const NO_RIGHT = /(?:NOPERM|ERR(?= unknown command| The user executing)) (.*?)(?:(?: script: \w{40}|, with args ).*)?$/;

/** Returns what a call of a store in Redis rejects with that failed with `error`. */
export const redisFailure = (store: string, error: unknown): StoreUnavailable => {
  if (error instanceof StoreUnavailable) return error;
  const [, right] = NO_RIGHT.exec(messageOf(error)) ?? [];
  return right === undefined ? new StoreUnavailable(store, error) : new RightMissing(store, right, error);
};
