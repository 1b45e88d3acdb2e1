// The HTTP server around the application: limits, responses to requests that the parser of Node.js rejects, and a
// graceful shutdown.
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express, Response } from 'express';
import { v7 } from 'uuid';
import { type ProblemFormat, problemJson } from '../problems/formats.js';
import type { ProblemCode } from '../problems/problem-kinds.js';
import { Problem } from '../problems/problems.js';
import { contextOf } from '../response/request-context.js';
import { bareSecurityHeaders } from '../response/security-headers.js';
import { atMostEvery } from './at-most-every.js';
import { messageClassesOf } from './message-classes.js';
import { oneAtATime } from './pipelining.js';

export interface HttpServer {
  /** The URL of the server, for example `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Stops accepting connections, waits up to `graceMs` for running requests, then closes the remaining connections. */
  close(graceMs: number): Promise<void>;
}

/** The limits on clients. Times are in milliseconds. */
const LIMITS = {
  headersTimeout: 10_000,
  /** The time to receive a complete request. */
  requestTimeout: 30_000,
  /** The interval of the checks for both timeouts. */
  connectionsCheckingInterval: 1_000,
  /**
   * The idle time between the requests of a connection. It is longer than the timeout of proxies. Otherwise a proxy could
   * send a request on a connection that is just closing.
   */
  keepAliveTimeout: 65_000,
  /** How long an active connection may be silent, for example because the client does not read its response. */
  silentMs: 120_000,
  /** The maximum size of all headers of a request in bytes. */
  maxHeaderSize: 16_384,
  maxConnections: 10_000,
  /** The maximum number of requests that wait behind others on their connections, for all connections together. */
  maxWaiting: 4_000,
};
const REPORT_INTERVAL_MS = 60_000;
// The time for a client to read why its request was rejected.
const LINGER_MS = 1_000;

export interface ListenOptions {
  readonly limits?: Partial<typeof LIMITS>;
  /** Called at most once a minute if a new connection was closed because there are too many connections. */
  readonly onFull?: (maxConnections: number) => void;
}

/** Starts the server. Rejects if the address is unavailable. */
export const listen = async (
  app: Express,
  host: string,
  port: number,
  { limits = {}, onFull = () => undefined }: ListenOptions = {},
): Promise<HttpServer> => {
  const { silentMs, maxConnections, maxWaiting, ...timeouts } = { ...LIMITS, ...limits };
  const classes = messageClassesOf(app);
  const settings = { ...timeouts, ...classes, requireHostHeader: false };
  const server = createServer(settings, oneAtATime(app, maxWaiting));
  server.timeout = silentMs;
  server.maxConnections = maxConnections;
  server.on(
    'drop',
    atMostEvery(REPORT_INTERVAL_MS, () => onFull(maxConnections)),
  );
  server.on('clientError', refuseOn(server));
  // Ignores expectations other than 100-continue (RFC 9110, 10.1.1). Without this listener, Node.js responds with 417.
  // Asks for a body only when it is read, because a request that is refused before needs no body.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  return { url, close: (graceMs) => close(server, graceMs) };
};

const close = async (server: Server, graceMs: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // The pending response on a kept-alive connection asks the client to close it.
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
};

const REFUSALS: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/** Returns a listener that responds to malformed and slow requests and closes their connections. */
const refuseOn = (server: Server) => {
  const currentResponses = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => currentResponses.set(socket, response));

  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const current = currentResponses.get(socket);
    if (!socket.writable || isBeingSent(current) || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const code = REFUSALS[error.code ?? ''] ?? 'malformed-request';
    const response = rawResponse(code, formatFor(current));
    // A late request must neither be processed nor hold the connection.
    if (code === 'request-timeout') socket.end(response, () => socket.destroy());
    else socket.end(response, () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
  };
};

const isBeingSent = (response: ServerResponse | undefined): boolean =>
  response?.headersSent === true && !response.writableFinished;

// A request that cannot be parsed has no path. The path of a request whose body is late is known.
const formatFor = (current: ServerResponse | undefined): ProblemFormat =>
  current === undefined || current.writableFinished
    ? problemJson
    : (contextOf(current as Response)?.problems ?? problemJson);

const rawResponse = (code: ProblemCode, format: ProblemFormat): string => {
  const problem = new Problem(code);
  const requestId = v7();
  const body = format.write(problem, requestId, false);
  const headers = {
    ...bareSecurityHeaders,
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'Content-Type': `${format.type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${fields.join('')}\r\n${body}`;
};
