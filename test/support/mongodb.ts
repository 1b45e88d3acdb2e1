// Provides databases on the MongoDB of the run (shared-mongo.ts) that no other test uses.
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, inject, it, type TestContext } from 'vitest';
import { temporaryDirectory } from './directory.js';
import { MongoProcess, mongoSource } from './mongo-server.js';

/** The databases of one test or service. */
export class Mongo {
  readonly #names: string[] = [];

  /** Returns the URL of new databases. */
  newUrl(): string {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    this.#names.push(name);
    return withDatabase(inject('mongoUrl') ?? '', name);
  }

  /** Drops the databases from the server that MONGODB_URL names. A server of the run ends with the run. */
  async end(): Promise<void> {
    const source = mongoSource();
    if (source.kind !== 'running') return;
    const client = new MongoClient(source.url);
    const databases = this.#names.flatMap((name) => [`${name}_views`, `${name}_vault`]);
    for (const name of databases) await client.db(name).dropDatabase();
    await client.close();
  }
}

/** Declares tests that need a MongoDB. If there is none, declares one skipped test with the reason. */
export const withMongo = (name: string, declare: (mongo: Mongo) => void): void => {
  const source = mongoSource();
  if (source.kind === 'none') {
    it(name, ({ skip }) => skip(source.reason));
    return;
  }
  const mongo = new Mongo();
  afterAll(() => mongo.end());
  declare(mongo);
};

/** Starts a server that a test may stop, kill and start again. It is killed at the end of the test. */
export const startMongoServer = async ({ skip, onTestFinished }: TestContext): Promise<MongoProcess> => {
  const source = mongoSource();
  if (source.kind === 'running') skip('MONGODB_URL names a server that a test cannot stop');
  const server = await MongoProcess.on(source, temporaryDirectory());
  await server.start();
  onTestFinished(() => server.end('SIGKILL'));
  return server;
};

/** Returns the URL with another database. The authentication database stays the same. */
const withDatabase = (url: string, name: string): string => {
  const [, hosts = '', database = '', options = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
  const signsIn = hosts.includes('@') && !options.includes('authSource=');
  const all = [options, signsIn ? `authSource=${database || 'admin'}` : ''].filter(Boolean).join('&');
  return `${hosts}/${name}${all && `?${all}`}`;
};
