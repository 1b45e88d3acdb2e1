// Whether the distributed engines, or what stands in for them, can be had.
import { mongoSource } from './mongo-server.js';
import { givenRedis, noRedisServer } from './redis-server.js';

/** Why they cannot be had here; undefined where they can. */
export const noEngines = (): string | undefined => {
  const mongo = mongoSource();
  if (mongo.kind === 'none') return mongo.reason;
  return givenRedis === undefined && noRedisServer !== undefined
    ? `REDIS_URL is not set, and ${noRedisServer}`
    : undefined;
};
