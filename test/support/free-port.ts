// A port of this machine that nobody listens on.
import { once } from 'node:events';
import { createServer } from 'node:net';

export const HOST = '127.0.0.1';

/** Finds one; it is free until somebody else takes it. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};
