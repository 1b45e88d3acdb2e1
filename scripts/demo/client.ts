// Sends the demo's requests and prints them: each request, its shortened response, and tables.
import { setTimeout as pause } from 'node:timers/promises';

/** The address of the service. */
export const base = process.env['BASE_URL'] ?? `http://127.0.0.1:${process.env['PORT'] ?? 3000}`;

/** The parts of a request beside its method and path. */
export interface Asked {
  readonly body?: unknown;
  /** The address from which it comes, the `origin` header. It is recorded with the event. */
  readonly origin?: string;
  /** A response with this status is not a failure of the demo. */
  readonly mayAnswer?: number;
}

const PATIENCE_MS = 60_000;

// Reads are at least as new as the last write.
let lastWritten: string | undefined;
// The access token of the acting user; undefined if nobody is signed in.
let bearer: string | undefined;

/** Sets the access token of the following requests. */
export const actAs = (token: string | undefined): void => {
  bearer = token;
};

/** Returns whether an anonymous caller may read a path. */
export const callsAsNobody = async (path: string): Promise<boolean> => (await fetch(`${base}${path}`)).status !== 401;

/** Signs in and returns the access token. Does not print the request and the response, because they contain secrets. */
export const signInBy = async (email: string, password: string): Promise<string> => {
  const body = { type: 'USERPASS', platform: 'WEB', email, password };
  const response = await send('POST', '/auth-service/auth', { body }, { 'app-name': 'demo' });
  if (!response.ok) throw new Error(`${email} cannot sign in: ${response.status} ${await response.text()}`);
  tell('POST', '/auth-service/auth');
  say(`    answered  ${response.status} ${email} is signed in`);
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
export const call = async <T>(method: string, path: string, asked: Asked = {}): Promise<T> => {
  const response = await send(method, path, asked);
  const answer = (await response.json()) as T;
  tell(method, path, asked.body);
  say(`    answered  ${response.status} ETag ${response.headers.get('etag') ?? '-'}  ${short(answer)}`);
  if (!response.ok && response.status !== asked.mayAnswer) {
    throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  }
  return answer;
};

/** Requests JSON lines, prints how many came, and returns them. */
export const callForLines = async <T>(path: string): Promise<readonly T[]> => {
  const response = await send('GET', path, {}, { accept: 'application/x-ndjson' });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`);
  const lines = text.split('\n').filter((line) => line !== '');
  tell('GET', path);
  say(`    answered  ${response.status} ${response.headers.get('content-type')}  ${lines.length} lines`);
  return lines.map((line) => JSON.parse(line) as T);
};

/** Prints rows under their headings, each column as wide as its widest cell, at most `widest`. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[], widest = 44): void => {
  const lines = [heads, ...rows].map((line) => line.map((cell) => cutTo(cell, widest)));
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const [head = [], ...body] = lines;
  for (const line of [text(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(text)]) {
    say(`    ${line.trimEnd()}`);
  }
};

const cutTo = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

const tell = (method: string, path: string, body?: unknown) =>
  say(`  ${method} ${path}${body === undefined ? '' : `\n    sent      ${short(body)}`}`);

// Reads and erasures may be retried until a read model or a store is available again.
const mayAskAgain = (method: string, { status }: Response) => status === 503 && ['GET', 'DELETE'].includes(method);

const send = async (method: string, path: string, asked: Asked, headers: Record<string, string> = {}) => {
  const until = Date.now() + PATIENCE_MS;
  let response = await sendOnce(method, path, requestOf(method, asked, headers));
  while (mayAskAgain(method, response) && Date.now() < until) {
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    say(`  (${method} ${path} is to be asked again in ${seconds} s: ${await response.text()})`);
    await pause(seconds * 1_000);
    response = await sendOnce(method, path, requestOf(method, asked, headers));
  }
  return response;
};

const sendOnce = async (method: string, path: string, request: RequestInit): Promise<Response> => {
  const response = await fetch(`${base}${path}`, request);
  if (method !== 'GET') lastWritten = response.headers.get('consistency-token') ?? lastWritten;
  return response;
};

const requestOf = (method: string, { body, origin }: Asked, headers: Record<string, string>) => ({
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
