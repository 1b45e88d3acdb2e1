// Starts processes that share a directory, and reads from them.
import { expect, onTestFinished } from 'vitest';
import { type Page, type Protocol, successful } from '../http/samples.js';
import type { ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { WorkerProcess } from '../support/process.js';
import { Server } from '../support/server.js';

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

/** Returns the names of the protocols that a server lists, of one institution if it is given. */
export const namesIn = async (server: Server, headers = {}, institutionId?: string): Promise<string[]> => {
  const path = `/protocols?limit=200${institutionId === undefined ? '' : `&institutionId=${institutionId}`}`;
  return successful(await server.get<Page<Protocol>>(path, headers)).body.items.map(({ name }) => name);
};

/** Resolves when a server lists a protocol of this name. */
export const isListed = (server: Server, name: string): Promise<void> =>
  eventually(async () => expect(await namesIn(server)).toContain(name));
