// Reads everything that a set of engines stores as bytes, so that a test can search for what must not be stored.

import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { bytesUnder } from '../support/canaries.js';
import type { Engines } from './sets.js';

/**
 * Returns the bytes of each store by its name. Files of embedded engines count for the store that they are named after.
 */
export const storedIn = async ({ directory, environment, logged }: Engines): Promise<ReadonlyMap<string, Buffer>> => {
  const { MONGODB_URL, REDIS_URL } = environment;
  const stores = new Map<string, Buffer>([
    ['DATA_DIR', bytesUnder(directory)],
    ['facts', Buffer.concat([bytesUnder(directory, 'facts'), Buffer.from(JSON.stringify(logged()))])],
    ['views', bytesUnder(directory, 'views')],
    ['vault', bytesUnder(directory, 'vault')],
  ]);
  if (MONGODB_URL !== undefined) for (const [name, bytes] of await inMongoDb(MONGODB_URL)) stores.set(name, bytes);
  if (REDIS_URL !== undefined) stores.set('Redis', await inRedis(REDIS_URL));
  return stores;
};

/** Returns the collections of each database under the last part of the database's name. */
const inMongoDb = async (url: string): Promise<readonly (readonly [string, Buffer])[]> => {
  const client = new MongoClient(url);
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    const all = databases.map(async ({ name }) => {
      const collections = await client.db(name).listCollections({}, { nameOnly: true }).toArray();
      const documents = collections.map((each) => client.db(name).collection(each.name).find({}).toArray());
      const kind = name.slice(name.lastIndexOf('_') + 1);
      return [kind, Buffer.from(JSON.stringify([collections, await Promise.all(documents)]))] as const;
    });
    return await Promise.all(all);
  } finally {
    await client.close();
  }
};

/** Returns every key with its value in the dump format of Redis, without compression. */
const inRedis = async (url: string): Promise<Buffer> => {
  const redis = new Redis(url);
  try {
    await redis.config('SET', 'rdbcompression', 'no');
    const keys = await redis.keys('*');
    // A lock or a delayed job may expire between the two calls. Then Redis has nothing to dump.
    const values: (Buffer | null)[] = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    return Buffer.concat([Buffer.from(keys.join('\n')), ...values.filter((value) => value !== null)]);
  } finally {
    redis.disconnect();
  }
};
