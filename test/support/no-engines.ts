// Finds out whether the distributed engines or their substitutes are available.
import { mongoSource } from './mongo-server.js';
import { givenRedis, noRedisServer } from './redis-server.js';

/** Returns why the engines are unavailable, or undefined if they are available. */
export const noEngines = (): string | undefined => {
  const mongo = mongoSource();
  if (mongo.kind === 'none') return mongo.reason;
  return givenRedis === undefined && noRedisServer !== undefined
    ? `REDIS_URL is not set, and ${noRedisServer}`
    : undefined;
};
