// Finds free ports on this machine.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

export const HOST = '127.0.0.1';

// Below the ports that systems assign to outgoing connections (from 32768 on Linux, 49152 elsewhere). Otherwise such a
// connection could take the port while its server is stopped.
const LOWEST = 10_240;
const HIGHEST = 32_767;
const ATTEMPTS = 100;

/**
 * Returns a free port. A server can stop and start again on the port, unless another program takes the port meanwhile.
 */
export const freePort = async (): Promise<number> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`found no free port in ${ATTEMPTS} attempts`);
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
