// Processes that share a directory, and what the tests of them ask.
import { expect, onTestFinished } from 'vitest';
import { type Page, type Protocol, successful } from '../http/samples.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { WorkerProcess } from '../support/process.js';
import { Server } from '../support/server.js';

/** Starts a server that ends with the test. */
export const startServer = async (directory: string, roles: string): Promise<Server> => {
  const server = new Server(directory, { ROLES: roles });
  await server.start();
  onTestFinished(() => server.stop().then(() => undefined));
  return server;
};

/** Starts a worker that ends with the test. */
export const startWorker = async (directory: string): Promise<WorkerProcess> => {
  const worker = await WorkerProcess.start(directory);
  onTestFinished(() => worker.stop().then(() => undefined));
  return worker;
};

/** What a reader sends to see a write. */
export const tokenOf = ({ headers }: Answer): { 'Consistency-Token': string } => ({
  'Consistency-Token': headers.get('consistency-token') ?? '',
});

/** The names of the protocols that a server lists. */
export const namesIn = async (server: Server, headers = {}): Promise<string[]> =>
  successful(await server.get<Page<Protocol>>('/protocols?limit=200', headers)).body.items.map(({ name }) => name);

/** Resolves when a server lists a protocol of this name. */
export const isListed = (server: Server, name: string): Promise<void> =>
  eventually(async () => expect(await namesIn(server)).toContain(name));
