// Sends the demo's requests, and prints each request, its shortened response, and tables.
import { setTimeout as pause } from 'node:timers/promises';

/** The address of the service. */
export const base = process.env['BASE_URL'] ?? `http://127.0.0.1:${process.env['PORT'] ?? 3000}`;

/** The options of a request. */
export interface RequestOptions {
  readonly body?: unknown;
  /** The `origin` header, which is recorded with the event. */
  readonly origin?: string;
  /** An error status that does not stop the demo. */
  readonly allowedStatus?: number;
}

const TIMEOUT_MS = 60_000;

// The Consistency-Token of the last write, which reads send to see that write.
let lastWritten: string | undefined;
// The access token of the acting user; undefined if nobody is signed in.
let bearer: string | undefined;

/** Sets the access token of the following requests. */
export const actAs = (token: string | undefined): void => {
  bearer = token;
};

/** Returns whether an anonymous caller may read a path. */
export const allowsAnonymous = async (path: string): Promise<boolean> => (await fetch(`${base}${path}`)).status !== 401;

/** Signs in and returns the access token. Does not print the request and the response, because they contain secrets. */
export const signInWith = async (email: string, password: string): Promise<string> => {
  const body = { type: 'USERPASS', platform: 'WEB', email, password };
  const response = await send('POST', '/auth-service/auth', { body }, { 'app-name': 'demo' });
  if (!response.ok) throw new Error(`${email} cannot sign in: ${response.status} ${await response.text()}`);
  sayRequest('POST', '/auth-service/auth');
  say(`    response  ${response.status} ${email} is signed in`);
  return ((await response.json()) as { token: string }).token;
};

export const say = (text = '') => console.log(text);

export const chapter = (title: string) => say(`\n${title}\n${'-'.repeat(title.length)}`);

/** Returns a value as JSON, shortened if it is long. */
export const short = (value: unknown, longest = 150): string => {
  const text = JSON.stringify(value) ?? 'no body';
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
};

/** Sends a request, prints it and returns the response. Rejects if the response is an unexpected error. */
export const call = async <T>(method: string, path: string, options: RequestOptions = {}): Promise<T> => {
  const response = await send(method, path, options);
  const body = (await response.json()) as T;
  sayRequest(method, path, options.body);
  say(`    response  ${response.status} ETag ${response.headers.get('etag') ?? '-'}  ${short(body)}`);
  if (!response.ok && response.status !== options.allowedStatus) {
    throw new Error(`${method} ${path} failed with ${response.status}: ${JSON.stringify(body)}`);
  }
  return body;
};

/** Requests JSON lines, prints their number, and returns them. */
export const callForLines = async <T>(path: string): Promise<readonly T[]> => {
  const response = await send('GET', path, {}, { accept: 'application/x-ndjson' });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path} failed with ${response.status}: ${text}`);
  const lines = text.split('\n').filter((line) => line !== '');
  sayRequest('GET', path);
  say(`    response  ${response.status} ${response.headers.get('content-type')}  ${lines.length} lines`);
  return lines.map((line) => JSON.parse(line) as T);
};

/** Prints a table. Each column is as wide as its widest cell, at most `widest` characters. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[], widest = 44): void => {
  const lines = [headings, ...rows].map((line) => line.map((cell) => cutTo(cell, widest)));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const [head = [], ...body] = lines;
  for (const line of [text(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(text)]) {
    say(`    ${line.trimEnd()}`);
  }
};

const cutTo = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

const sayRequest = (method: string, path: string, body?: unknown) =>
  say(`  ${method} ${path}${body === undefined ? '' : `\n    sent      ${short(body)}`}`);

// Reads and erasures are retried until the read model or the store is available again.
const mayRetry = (method: string, { status }: Response) => status === 503 && ['GET', 'DELETE'].includes(method);

const send = async (method: string, path: string, options: RequestOptions, headers: Record<string, string> = {}) => {
  const until = Date.now() + TIMEOUT_MS;
  let response = await sendOnce(method, path, requestOf(method, options, headers));
  while (mayRetry(method, response) && Date.now() < until) {
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    say(`  (retrying ${method} ${path} in ${seconds} s: ${await response.text()})`);
    await pause(seconds * 1_000);
    response = await sendOnce(method, path, requestOf(method, options, headers));
  }
  return response;
};

const sendOnce = async (method: string, path: string, request: RequestInit): Promise<Response> => {
  const response = await fetch(`${base}${path}`, request);
  if (method !== 'GET') lastWritten = response.headers.get('consistency-token') ?? lastWritten;
  return response;
};

const requestOf = (method: string, { body, origin }: RequestOptions, headers: Record<string, string>) => ({
  method,
  headers: {
    ...headers,
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(origin !== undefined && { origin }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(method === 'GET' && lastWritten !== undefined && { 'consistency-token': lastWritten }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});
