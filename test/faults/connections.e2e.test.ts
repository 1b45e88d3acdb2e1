// Clients that hold connections and send nothing. The long form opens nearly as many as a process takes.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { openSocket } from '../support/raw-http.js';
import { repetitions } from '../support/repetitions.js';
import { Server } from '../support/server.js';

const CONNECTIONS = repetitions('CONNECTIONS');
const AT_ONCE = 100;
// Several times what a connection takes: garbage is in what is measured, too.
const MOST_KIB = 64;

const server = new Server(temporaryDirectory());
const sockets: Socket[] = [];
beforeAll(() => server.start());
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

/** Returns how many KiB of memory the server has in use. */
const residentKiB = (): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', `${server.pid}`], { encoding: 'utf8' }).trim());

/** Opens so many connections, some at a time, each of which has a request answered. */
const openConnections = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, openConnection));
  }
};

const openConnection = async (): Promise<void> => {
  const socket = await openSocket(server.url);
  sockets.push(socket);
  socket.write('GET /protocols?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
};

it(
  `${CONNECTIONS} connections that are idle take little memory each, and others are served`,
  async () => {
    // The heap has its working size after a few hundred.
    await openConnections(300);
    const before = residentKiB();
    await openConnections(CONNECTIONS);
    const each = (residentKiB() - before) / CONNECTIONS;
    process.stdout.write(`an idle connection takes ${each.toFixed(1)} KiB\n`);
    expect(each).toBeLessThan(MOST_KIB);
    expect((await server.get('/livez')).status).toBe(200);
  },
  120_000 + CONNECTIONS * 50,
);
