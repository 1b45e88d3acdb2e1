// Sends requests over sockets with as little work as possible: the server's own machine sends twice its peak load.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A response. Status 0 means that the connection was closed or refused. `text` includes the headers. */
export interface RawResponse {
  readonly status: number;
  readonly text: string;
}

const OPENED_AT_ONCE = 100;
const FAILED: RawResponse = { status: 0, text: '' };

/** Returns the text of an HTTP request, as it is written to a socket. */
export const requestText = (method: string, path: string, body?: object): string => {
  const content = body === undefined ? '' : JSON.stringify(body);
  const headers =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(content)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${content}`;
};

const HEALTH = requestText('GET', '/livez');

/** Keeps connections to a server. Each connection carries one request at a time. */
export class Connections {
  readonly #host: string;
  readonly #port: number;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /**
   * Opens `count` connections, some at a time, and gets a response over each of them. A connection can be open for the
   * client long before Node.js accepts it, because libuv accepts one connection in a turn of the event loop.
   */
  async open(count: number): Promise<void> {
    while (this.#all.size < count) {
      const some = Array.from({ length: Math.min(OPENED_AT_ONCE, count - this.#all.size) }, () => this.#open());
      await Promise.all(some.map((connection) => connection.send(HEALTH)));
      this.#idle.push(...some);
    }
  }

  /** Whether a connection is free. */
  get hasFree(): boolean {
    return this.#idle.length > 0;
  }

  /** Sends a request over a free connection, or over a new one if none is free. */
  async send(request: string): Promise<RawResponse> {
    // Takes the connection that was idle longest: the server closes a connection that is idle for too long.
    let connection = this.#idle.shift();
    while (connection?.isClosed) connection = this.#idle.shift();
    connection ??= this.#open();
    const response = await connection.send(request);
    if (response.status === 0) this.#all.delete(connection);
    else this.#idle.push(connection);
    return response;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #open(): Connection {
    const connection = new Connection(connect(this.#port, this.#host).setNoDelay(true));
    this.#all.add(connection);
    return connection;
  }
}

class Connection {
  readonly #socket: Socket;
  #text = '';
  #resolve: (response: RawResponse) => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1');
    socket.on('data', (part: string) => this.#read(part));
    socket.on('error', () => undefined).once('close', () => this.#resolve(FAILED));
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  send(request: string): Promise<RawResponse> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#text = '';
      if (this.#socket.destroyed) resolve(FAILED);
      else this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(part: string): void {
    this.#text += part;
    const head = this.#text.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text.slice(0, head))?.[1] ?? 0);
    if (this.#text.length < head + 4 + length) return;
    this.#resolve({ status: Number(this.#text.slice(9, 12)), text: this.#text });
  }
}

const TURN_MS = 2;

/**
 * Calls `send` at a fixed rate for some seconds, regardless of earlier calls. Passes the time at which each call was
 * due.
 */
export const atRate = async (perSecond: number, seconds: number, send: (dueAt: number) => void): Promise<void> => {
  const startedAt = performance.now();
  for (let sent = 0; sent < perSecond * seconds; ) {
    const due = Math.min(perSecond * seconds, ((performance.now() - startedAt) * perSecond) / 1_000);
    for (; sent < due; sent += 1) send(startedAt + (sent * 1_000) / perSecond);
    await pause(TURN_MS);
  }
};

/** Returns the responses per second that a server gives. Each connection sends one request after another. */
export const peakOf = async (url: string, seconds: number, next: () => string, connections = 64): Promise<number> => {
  const all = new Connections(url);
  const endsAt = performance.now() + seconds * 1_000;
  let responses = 0;
  const one = async () => {
    while (performance.now() < endsAt) {
      const { status, text } = await all.send(next());
      if (status === 0 || status >= 300) throw new Error(`a request failed with ${status}: ${text}`);
      responses += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  all.close();
  return responses / seconds;
};
