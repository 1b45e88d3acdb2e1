// Starts the service whose release is recorded, as a separate process, and calls it over HTTP.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

export const PASSWORD = 'correct horse battery staple';

/** A running service, used as a client and as its operator would use it. */
export interface Service {
  /** Sends a request and returns the parsed body. Rejects if the status is an error other than `may`. */
  request<T = { readonly id: string }>(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly token?: string | undefined; readonly may?: number },
  ): Promise<T>;
  /** Runs a command of the operator's tool with `input` on its standard input, and returns what it prints. */
  runCli(input: string, ...words: readonly string[]): string;
  /** Returns the one-time code of the next message in the outbox and removes the message. */
  code(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the build in `program` on `directory`. Resolves when the service is ready. */
export const startService = async (program: string, directory: string): Promise<Service> => {
  const env = { ...process.env, DATA_DIR: directory, PORT: '0', AUTH: 'required', RATE_LIMITS: 'off' };
  const child = spawn(process.execPath, [join(program, 'main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await urlOf(child);
  const outbox = join(directory, 'outbox');

  const request: Service['request'] = async <T>(method: string, path: string, { body, token, may } = {} as never) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        origin: 'https://app.hospital.example',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    } as RequestInit);
    const text = await response.text();
    if (response.status >= 400 && response.status !== may) throw new Error(`${method} ${path}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };

  const messages = () => (existsSync(outbox) ? readdirSync(outbox) : []).filter((file) => file.endsWith('.json'));
  const code = async () => {
    let found: readonly string[] = [];
    while (found.length === 0) {
      await pause(100);
      found = messages();
    }
    const [file = ''] = found;
    const { text } = JSON.parse(readFileSync(join(outbox, file), 'utf8')) as { readonly text: string };
    rmSync(join(outbox, file));
    return /\b\d{6}\b/.exec(text)?.[0] ?? '';
  };

  while ((await fetch(`${url}/readyz`)).status !== 200) await pause(100);
  return {
    request,
    runCli: (input, ...words) =>
      execFileSync(process.execPath, [join(program, 'cli.js'), ...words], { env, input, encoding: 'utf8' }),
    code,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
};

const urlOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service exited with code ${code} before it listened`)));
    if (child.stdout === null) throw new Error('the standard output of the service is not connected');
    createInterface(child.stdout).on('line', (line) => {
      const { url } = JSON.parse(line) as { readonly url?: string };
      if (url !== undefined) resolve(url);
    });
  });
