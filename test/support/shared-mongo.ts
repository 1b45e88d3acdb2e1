// One MongoDB for all files of a project: a JVM for each would take longer than their tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { MongoProcess, mongoSource } from './mongo-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the MongoDB of the project is; absent where each file that needs one has its own, or one that was given. */
    readonly mongoUrl: string | undefined;
  }
}

/** Starts it where none is given and one can be had; gives what ends it. */
export const setup = async ({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const source = mongoSource();
  if (source.kind !== 'program') return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'clinical-protocols-mongodb-'));
  const server = await MongoProcess.on(source, directory);
  await server.start();
  provide('mongoUrl', server.url);
  return async () => {
    await server.end('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
};
