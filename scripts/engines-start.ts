// npm run engines:start -- DIRECTORY [NAME...]: starts replacements for the distributed engines, for users without
// Docker: a MongoDB or its stand-in, Redis, and the test server that behaves like EventStoreDB. Each engine listens on
// a free loopback port and keeps its data under DIRECTORY, which also holds a master key for the vault. SIGINT or
// SIGTERM stops all engines.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { masterKeyText } from '../src/infrastructure/sealing/master-key.js';
import { MasterKeyFile } from '../src/infrastructure/sealing/master-key-file.js';
import { EventStoreDbServer } from '../test/support/eventstoredb/server.js';
import { MongoProcess, mongoSource } from '../test/support/mongo-server.js';
import { noRedisServer, RedisProcess } from '../test/support/redis-server.js';

interface Engine {
  readonly variable: string;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const folder = (parent: string, name: string): string => {
  const path = join(parent, name);
  mkdirSync(path, { recursive: true });
  return path;
};

const startEventStore = async (directory: string): Promise<Engine> => {
  const server = new EventStoreDbServer({ directory: folder(directory, 'eventstoredb') });
  await server.start();
  return { variable: 'EVENTSTORE_URL', url: server.url, stop: () => server.stop() };
};

const startMongo = async (directory: string): Promise<Engine> => {
  const source = mongoSource();
  if (source.kind === 'none') throw new Error(source.reason);
  if (source.kind === 'running') return { variable: 'MONGODB_URL', url: source.url, stop: async () => {} };
  const mongo = await MongoProcess.on(source, folder(directory, 'mongodb'));
  await mongo.start();
  return { variable: 'MONGODB_URL', url: mongo.url, stop: () => mongo.end('SIGTERM') };
};

const startRedis = async (directory: string): Promise<Engine> => {
  if (noRedisServer !== undefined) throw new Error(noRedisServer);
  const redis = await RedisProcess.on(folder(directory, 'redis'));
  await redis.start();
  return { variable: 'REDIS_URL', url: redis.url, stop: () => redis.end('SIGTERM') };
};

const ENGINES = { eventstoredb: startEventStore, mongodb: startMongo, redis: startRedis } as const;

/** Returns the functions that start the named engines, or all engines if there are no names. */
const startersOf = (names: readonly string[]) => {
  const unknown = names.filter((name) => !Object.hasOwn(ENGINES, name));
  if (unknown.length > 0)
    throw new Error(`unknown engine ${unknown.join(', ')}: choose from ${Object.keys(ENGINES).join(', ')}`);
  return Object.entries(ENGINES).flatMap(([name, start]) =>
    names.length === 0 || names.includes(name) ? [start] : [],
  );
};

const main = async (): Promise<void> => {
  const [path = './data/engines', ...names] = process.argv.slice(2);
  const directory = resolve(path);
  const engines = await Promise.all(startersOf(names).map((start) => start(directory)));
  // The user pastes these lines into another terminal.
  for (const { variable, url } of engines) console.log(`export ${variable}='${url}'`);
  // For a trial only: the operator of a real service creates the master key and never prints it.
  const masterKey = masterKeyText(new MasterKeyFile(join(directory, 'master.key')).current());
  console.log(`export MASTER_KEY='${masterKey}'`);
  const stop = async () => {
    await Promise.all(engines.map((engine) => engine.stop()));
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
};

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
