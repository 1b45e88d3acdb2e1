// Starts processes that share the distributed engines, or one process on a directory.
import { onTestFinished } from 'vitest';
import type { ClientResponse } from './client.js';
import { Directories } from './directory.js';
import { Engines, type EngineUrls } from './engines-of-file.js';
import { WorkerProcess } from './process.js';
import { Server } from './server.js';

/** Starts distributed engines that end with the test. Returns the environment of the processes that share them. */
export const startEngines = async (): Promise<EngineUrls> => {
  const directories = new Directories();
  const engines = new Engines(directories);
  onTestFinished(() => engines.end().then(() => directories.remove()));
  await engines.start();
  return engines.urls;
};

/** Starts a server that ends with the test; `more` is added to its environment. */
export const startServer = async (
  directory: string,
  roles: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Server> => {
  const server = new Server(directory, { ...more, ROLES: roles });
  onTestFinished(() => server.stop().then(() => undefined));
  await server.start();
  return server;
};

/** Starts a worker that ends with the test. */
export const startWorker = async (
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<WorkerProcess> => {
  const worker = await WorkerProcess.start(directory, environment);
  onTestFinished(() => worker.stop().then(() => undefined));
  return worker;
};

/** Returns the header with which a reader sees a write. */
export const tokenOf = ({ headers }: ClientResponse): { 'Consistency-Token': string } => ({
  'Consistency-Token': headers.get('consistency-token') ?? '',
});
