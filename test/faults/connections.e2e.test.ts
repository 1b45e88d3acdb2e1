// Opens connections that stay idle. The long run opens nearly as many as a process accepts.
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
// This is several times what a connection takes, because the measurement includes garbage.
const MOST_KIB = 64;

const server = new Server(temporaryDirectory());
const sockets: Socket[] = [];
beforeAll(() => server.start());
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

/** Returns how many KiB of memory the server uses. */
const residentKiB = (): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', `${server.pid}`], { encoding: 'utf8' }).trim());

/** Opens `count` connections, some at a time, and waits for a response on each. */
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
  `${CONNECTIONS} idle connections take little memory each, and the server serves other connections`,
  async () => {
    // The heap has its working size after a few hundred connections.
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
