// A TCP relay in front of a server. A frozen relay accepts connections and forwards no byte, like the kernel for a
// suspended process.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { HOST } from '../free-port.js';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export class Relay {
  readonly #port: number;
  readonly #pairs = new Set<Pair>();
  #listener: Server | undefined;
  #isFrozen = false;

  /** Clients connect to `port`. */
  constructor(port: number) {
    this.#port = port;
  }

  /** Starts to relay to the port `target`. */
  async start(target: number): Promise<void> {
    this.#isFrozen = false;
    this.#listener = createServer((client) => this.#accept(client, target)).listen(this.#port, HOST);
    await once(this.#listener, 'listening');
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const { client, server } of this.#pairs) {
      client.unpipe(server);
      server.unpipe(client);
    }
  }

  /** Forwards the bytes that have arrived meanwhile, and all later ones. */
  thaw(): void {
    this.#isFrozen = false;
    for (const pair of this.#pairs) join(pair);
  }

  /** Resets every connection and accepts no more. */
  async kill(): Promise<void> {
    const listener = this.#listener;
    if (listener === undefined) return;
    this.#listener = undefined;
    const closed = new Promise((resolve) => listener.close(resolve));
    for (const { client } of this.#pairs) client.resetAndDestroy();
    await closed;
  }

  #accept(client: Socket, target: number): void {
    const pair = { client, server: connect(target, HOST) };
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      pair.server.destroy();
    };
    for (const socket of [client, pair.server]) socket.on('error', end).on('close', end);
    if (!this.#isFrozen) join(pair);
  }
}

const join = ({ client, server }: Pair): void => {
  client.pipe(server);
  server.pipe(client);
};
