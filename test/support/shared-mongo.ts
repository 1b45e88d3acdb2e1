// Starts one MongoDB for all files of a run, because a JVM for each file would take longer than the file's tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { MongoProcess, mongoSource } from './mongo-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the MongoDB of the run. Absent if there is none, or if no project needs one. */
    readonly mongoUrl: string | undefined;
  }
}

const WITHOUT_MONGODB = ['unit', 'embedded'];

/**
 * Provides the server that MONGODB_URL names, or starts one if a project needs it. Returns a function that ends the
 * server.
 */
export const setup = async ({ provide, vitest }: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const source = mongoSource();
  if (source.kind === 'running') provide('mongoUrl', source.url);
  const isNeeded = vitest.projects.some(({ name }) => !WITHOUT_MONGODB.includes(name));
  if (source.kind !== 'program' || !isNeeded) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'clinical-protocols-mongodb-'));
  const server = await MongoProcess.on(source, directory);
  await server.start();
  provide('mongoUrl', server.url);
  return async () => {
    await server.end('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
};
