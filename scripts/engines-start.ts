// npm run engines:start -- DIRECTORY [NAME...]: starts replacements for the distributed engines, for users without
// Docker: a MongoDB or its stand-in, Redis, and the test server that behaves like EventStoreDB. Each engine listens on
// a free loopback port and keeps its data under DIRECTORY, which also holds a master key for the vault. SIGINT or
// SIGTERM stops all engines.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { masterKeyText } from '../src/infrastructure/keys/master-key.js';
import { MasterKeyFile } from '../src/infrastructure/keys/master-key-file.js';
import { EventStoreDbServer } from '../test/support/eventstoredb/server.js';
import { MongoProcess, mongoSource } from '../test/support/mongo-server.js';
import { noRedisServer, RedisProcess } from '../test/support/redis-server.js';

interface Engine {
  readonly variable: string;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Maps the name of each engine to a function that starts it with its data in a directory. */
const ENGINES: Readonly<Record<string, (directory: string) => Promise<Engine>>> = {
  eventstoredb: async (directory) => {
    const server = new EventStoreDbServer({ directory });
    await server.start();
    return { variable: 'EVENTSTORE_URL', url: server.url, stop: () => server.stop() };
  },
  mongodb: async (directory) => {
    const source = mongoSource();
    if (source.kind === 'none') throw new Error(source.reason);
    if (source.kind === 'running') return { variable: 'MONGODB_URL', url: source.url, stop: async () => {} };
    const mongo = await MongoProcess.on(source, directory);
    await mongo.start();
    return { variable: 'MONGODB_URL', url: mongo.url, stop: () => mongo.end('SIGTERM') };
  },
  redis: async (directory) => {
    if (noRedisServer !== undefined) throw new Error(noRedisServer);
    const redis = await RedisProcess.on(directory);
    await redis.start();
    return { variable: 'REDIS_URL', url: redis.url, stop: () => redis.end('SIGTERM') };
  },
};

const start = (directory: string, name: string): Promise<Engine> => {
  const engine = ENGINES[name];
  if (engine === undefined) throw new Error(`unknown engine ${name}: choose from ${Object.keys(ENGINES).join(', ')}`);
  mkdirSync(join(directory, name), { recursive: true });
  return engine(join(directory, name));
};

const main = async (): Promise<void> => {
  const [path = './data/engines', ...names] = process.argv.slice(2);
  const directory = resolve(path);
  const wanted = names.length === 0 ? Object.keys(ENGINES) : names;
  const engines = await Promise.all(wanted.map((name) => start(directory, name)));
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
