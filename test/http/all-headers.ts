// Sends requests over bare sockets and returns all headers of the response. A word replaces each value that varies.
import type { Client } from '../support/client.js';
import { sendRaw } from '../support/raw-http.js';

export type Fields = Readonly<Record<string, string>>;

export const PROBLEM = 'application/problem+json; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';
const UNIFORM = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";

/** The headers that every response has: those of helmet and Node.js, and `Connection` because the test asks for it. */
export const COMMON: Fields = {
  'content-security-policy': UNIFORM,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
  'x-request-id': 'ID',
  date: 'DATE',
  connection: 'close',
};

const VARIABLE: readonly (readonly [name: string, pattern: RegExp, word: string])[] = [
  ['x-request-id', /^[0-9a-f-]{36}$/, 'ID'],
  ['date', /GMT$/, 'DATE'],
  ['location', /^\/[a-z-/]+[0-9a-f-]{36}$/, 'LOCATION'],
  ['consistency-token', /^[\w-]{20,}$/, 'TOKEN'],
  ['content-length', /^[1-9]\d*$/, 'BYTES'],
  ['last-modified', /GMT$/, 'DATE'],
  ['etag', /^"[\w-]{43}"$/, 'DIGEST'],
  ['link', /^<\/[^>]+cursor=[\w-]+>; rel="next"$/, 'NEXT'],
];

const withWords = (headers: Headers): Fields => {
  const fields = Object.fromEntries(headers);
  for (const [name, pattern, word] of VARIABLE) if (pattern.test(fields[name] ?? '')) fields[name] = word;
  return fields;
};

export interface Request {
  readonly method?: string;
  readonly headers?: Fields;
  readonly json?: unknown;
}

/** Returns the status and the headers of the response. */
export const ask = async (server: Client & { readonly url: string }, path: string, request: Request = {}) => {
  const body = request.json === undefined ? '' : JSON.stringify(request.json);
  const headers = {
    Host: 'localhost',
    Connection: 'close',
    ...(body !== '' && { 'Content-Type': 'application/json', 'Content-Length': `${Buffer.byteLength(body)}` }),
    ...request.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const response = await sendRaw(
    server.url,
    `${request.method ?? 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`,
  );
  return [response.status, withWords(response.headers)] as const;
};
