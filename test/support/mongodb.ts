// A MongoDB for the tests of a file, and databases on it that no other test has.
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, inject, it, type TestContext } from 'vitest';
import { temporaryDirectory } from './directory.js';
import { MongoProcess, type MongoSource, mongoSource } from './mongo-server.js';

const shared = inject('mongoUrl');
const source: MongoSource = shared === undefined ? mongoSource() : { kind: 'running', url: shared };

/** The MongoDB of a test file, to be used while tests run. */
export class Mongo {
  #server: MongoProcess | undefined;
  readonly #names: string[] = [];

  constructor() {
    beforeAll(async () => {
      if (source.kind === 'program') this.#server = await started();
    });
    afterAll(async () => {
      if (source.kind === 'running') await this.#drop(source.url);
      await this.#server?.end('SIGKILL');
    });
  }

  /** A URL of databases that nobody has used. */
  newUrl(): string {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    this.#names.push(name);
    return withDatabase(source.kind === 'running' ? source.url : (this.#server?.url ?? ''), name);
  }

  async #drop(url: string): Promise<void> {
    const client = new MongoClient(url);
    const databases = this.#names.flatMap((name) => [`${name}_views`, `${name}_vault`]);
    for (const name of databases) await client.db(name).dropDatabase();
    await client.close();
  }
}

/** Declares tests that need a MongoDB; where none is to be had, one skipped test says why. */
export const withMongo = (name: string, declare: (mongo: Mongo) => void): void => {
  if (source.kind === 'none') it(name, ({ skip }) => skip(source.reason));
  else declare(new Mongo());
};

/** Starts a server that a test may stop, kill and start again; it ends with the test. */
export const ownServer = async ({ skip, onTestFinished }: TestContext): Promise<MongoProcess> => {
  if (source.kind === 'running') skip('MONGODB_URL names a server that a test cannot stop');
  const server = await started();
  onTestFinished(() => server.end('SIGKILL'));
  return server;
};

const started = async (): Promise<MongoProcess> => {
  const server = await MongoProcess.on(source, temporaryDirectory());
  await server.start();
  return server;
};

/** The URL with another database; whoever signs in by it still does so where the URL said. */
const withDatabase = (url: string, name: string): string => {
  const [, hosts = '', database = '', options = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
  const signsIn = hosts.includes('@') && !options.includes('authSource=');
  const all = [options, signsIn ? `authSource=${database || 'admin'}` : ''].filter(Boolean).join('&');
  return `${hosts}/${name}${all && `?${all}`}`;
};
