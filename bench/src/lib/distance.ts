// A server at a distance: a proxy on the loopback that holds back whatever passes, each way, for half a round trip.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Opens a proxy to a port of the loopback; gives its own port. */
export const atDistance = async (port: number, roundTripMs: number): Promise<number> => {
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    passOn(near, far, roundTripMs / 2);
    passOn(far, near, roundTripMs / 2);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxy.unref();
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
};

const passOn = (from: Socket, to: Socket, delayMs: number): void => {
  from.setNoDelay(true);
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.end(), delayMs));
};
