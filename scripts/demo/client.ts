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
  readonly headers?: Readonly<Record<string, string>>;
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

/** Signs in and returns the access token. Does not print the request and the response, because they contain secrets. */
export const signInWith = async (email: string, password: string): Promise<string> => {
  const body = { type: 'USERPASS', platform: 'WEB', email, password };
  const response = await send('POST', '/auth-service/auth', { body, headers: { 'app-name': 'demo' } });
  if (!response.ok) throw new Error(`${email} cannot sign in: ${response.status} ${await response.text()}`);
  say(`  POST /auth-service/auth\n    response  ${response.status} ${email} is signed in`);
  return ((await response.json()) as { token: string }).token;
};

export const say = (text = '') => console.log(text);

export const chapter = (title: string) => say(`\n${title}\n${'-'.repeat(title.length)}`);

/** Returns a text or a value as JSON, shortened if it is long. */
export const short = (value: unknown, longest = 150): string => {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'no body')).replaceAll(/\s+/g, ' ');
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
};

/** Sends a request, prints it and returns the response as text. Rejects if the response is an unexpected error. */
export const callForText = async (method: string, path: string, options: RequestOptions = {}): Promise<string> => {
  const response = await send(method, path, options);
  const text = await response.text();
  const sent = options.body === undefined ? '' : `\n    sent      ${short(options.body)}`;
  say(`  ${method} ${path}${sent}`);
  say(`    response  ${response.status} ETag ${response.headers.get('etag') ?? '-'}  ${short(text.trimEnd())}`);
  if (response.ok || response.status === options.allowedStatus) return text;
  throw new Error(`${method} ${path} failed with ${response.status}: ${text}`);
};

/** Sends a request, prints it and returns the response. Rejects if the response is an unexpected error. */
export const call = async <T>(method: string, path: string, options: RequestOptions = {}): Promise<T> =>
  JSON.parse(await callForText(method, path, options)) as T;

/** Prints a table. Each column is as wide as its widest cell, at most 60 characters. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): void => {
  const lines = [headings, ...rows].map((line) => line.map((cell) => cutTo(cell, 60)));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const [head = [], ...body] = lines;
  for (const line of [text(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(text)]) {
    say(`    ${line.trimEnd()}`);
  }
};

const cutTo = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

// Reads and erasures are retried until the read model or the store is available again, or the log is signed.
const send = async (method: string, path: string, options: RequestOptions): Promise<Response> => {
  for (const until = Date.now() + TIMEOUT_MS; ; ) {
    const response = await fetch(`${base}${path}`, requestOf(method, options));
    if (method !== 'GET') lastWritten = response.headers.get('consistency-token') ?? lastWritten;
    const mayRetry = response.status === 503 && ['GET', 'DELETE'].includes(method) && Date.now() < until;
    if (!mayRetry) return response;
    await pause(Number(response.headers.get('retry-after') ?? 1) * 1_000);
  }
};

const requestOf = (method: string, { body, origin, headers }: RequestOptions): RequestInit => ({
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
