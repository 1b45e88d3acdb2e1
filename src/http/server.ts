// The HTTP server around the application: limits, answers to what Node's parser refuses, and a stop that drains.
import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { v7 } from 'uuid';
import { Problem, type ProblemCode, problemDocument } from './problems.js';

/** A listening server. */
export interface HttpServer {
  /** Its address, for example `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Takes no new connection, lets running requests finish for at most `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** Listens; rejects where the address cannot be had. */
export const listen = async (app: Express, host: string, port: number): Promise<HttpServer> => {
  const timeouts = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 };
  const server = createServer({ ...timeouts, requireHostHeader: false }, app);
  server.on('clientError', refuse);
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
  // A connection that is kept alive is told to end with the answer that it waits for.
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

const refuse = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem = new Problem(REFUSALS[error.code ?? ''] ?? 'malformed-request');
  const body = problemDocument(problem, v7());
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      `Content-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
};
