// A port of this machine that nobody listens on.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

export const HOST = '127.0.0.1';

// Below those that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere): else somebody's
// connection could take the port while its server is stopped, even one that is meant for it.
const LOWEST = 10_240;
const HIGHEST = 32_767;
const ATTEMPTS = 100;

/** Finds one; it is free until somebody else takes it, also while a server is stopped and started again on it. */
export const freePort = async (): Promise<number> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port among ${ATTEMPTS} that were tried`);
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};
