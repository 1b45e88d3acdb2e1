// Starts and stops every baseline.
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

/** Listens on a free port and prints the address. Exits on SIGTERM. */
export const serve = (app: Express): void => {
  const server = app.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
  });
  process.once('SIGTERM', () => process.exit(0));
};
