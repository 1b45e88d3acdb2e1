// Standard output that takes no lines of the log: a full disk, and pipes whose readers stop or leave.
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInstitution } from '../http/support/samples.js';
import { Client } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { freePort, HOST } from '../support/free-port.js';
import { programFile } from '../support/process.js';

const STOP_MS = 10_000;

interface Running {
  readonly client: Client;
  readonly child: ChildProcess;
}

/** Starts a service whose log nobody needs to read: it is known to be ready by its port. */
const startService = async (
  stdout: 'pipe' | number,
  under: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<Running> => {
  const port = await freePort();
  const env = { DATA_DIR: temporaryDirectory(), PORT: `${port}`, RATE_LIMITS: 'off', ...more };
  const [command = '', ...given] = [...under, process.execPath, programFile('main')];
  const stdio: StdioOptions = ['ignore', stdout, 'inherit'];
  const child = spawn(command, given, { env, stdio });
  onTestFinished(() => void child.kill('SIGKILL'));
  const client = new Client(() => `http://${HOST}:${port}`);
  await eventually(async () => expect((await client.get('/readyz')).status).toBe(200));
  return { client, child };
};

const droppedLines = async ({ client }: Running): Promise<number> =>
  Number(/^log_lines_dropped_total (\d+)$/m.exec((await client.get<string>('/metrics')).body)?.[1]);

/** Sends requests, each of which is a line of the log, until lines were dropped. Returns how many lines were. */
const loggedUntilDropped = async (running: Running): Promise<number> => {
  for (let round = 1; round <= 100; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => running.client.get('/livez')));
    const dropped = await droppedLines(running);
    if (dropped > 0) return dropped;
  }
  throw new Error('no line of 10,000 was dropped');
};

/** Sends SIGTERM. Returns the exit code; undefined if the process has not ended in time. */
const stopped = async ({ child }: Running): Promise<number | null | undefined> => {
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  child.kill('SIGTERM');
  const late = pause(STOP_MS, undefined, { ref: false });
  return Promise.race([ended, late]);
};

const expectServing = async ({ client }: Running): Promise<void> => {
  expect((await client.get('/livez')).status).toBe(200);
  await createInstitution(client);
};

/** Returns the parsed lines. Each complete line but at most one, which was cut, must be JSON. */
const linesOf = (text: string): readonly unknown[] => {
  const lines = text.split('\n').filter((line) => line !== '');
  const parsed = lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
  expect(lines.length - parsed.length).toBeLessThanOrEqual(1);
  return parsed;
};

describe('a service whose log is on a full disk', () => {
  // The file system is in the mount namespace of the service and disappears with it.
  const MOUNT = 'mount -t tmpfs -o size=256k none "$LOG_DIR"';
  const inNamespace = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];

  const missing = (): string | undefined => {
    const [command = '', ...given] = [...inNamespace, MOUNT];
    const tried = spawnSync(command, given, { env: { ...process.env, LOG_DIR: temporaryDirectory() } });
    return tried.status === 0 ? undefined : 'this user may not mount a file system in a mount namespace';
  };

  it('serves, counts the lines that it drops, writes lines again once there is room, and ends on SIGTERM', async (test) => {
    const reason = missing();
    test.skip(reason !== undefined, reason);
    const LOG_DIR = temporaryDirectory();
    const redirected = `${MOUNT} && exec "$0" "$@" >> "$LOG_DIR/log"`;
    const running = await startService('pipe', [...inNamespace, redirected], { LOG_DIR });
    const inside = (name: string) => join(`/proc/${running.child.pid}/root`, LOG_DIR, name);
    writeFileSync(inside('filler'), Buffer.alloc(200 * 1024));

    await loggedUntilDropped(running);
    await expectServing(running);

    rmSync(inside('filler'));
    const marked = '11111111-1111-4111-8111-111111111111';
    await eventually(async () => {
      await running.client.get('/livez', { traceparent: `00-${marked.replaceAll('-', '')}-0000000000000001-01` });
      expect(linesOf(readFileSync(inside('log'), 'utf8')).length).toBeGreaterThan(0);
      expect(readFileSync(inside('log'), 'utf8')).toContain(marked.replaceAll('-', ''));
    });

    writeFileSync(inside('filler'), Buffer.alloc(100 * 1024));
    await loggedUntilDropped(running);
    expect(await stopped(running)).toBe(0);
  });
});

describe('a service whose log goes to a pipe', () => {
  it('serves while nobody reads, drops and counts lines, writes again once somebody reads, and ends on SIGTERM', async () => {
    const fifo = join(temporaryDirectory(), 'fifo');
    expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
    const end = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(end));
    const into = openSync(fifo, constants.O_WRONLY);
    const running = await startService(into);
    closeSync(into);

    await loggedUntilDropped(running);
    await expectServing(running);
    const before = await droppedLines(running);
    expect(before).toBeGreaterThan(0);

    const marked = 'abcdefabcdefabcdefabcdefabcdefab';
    await eventually(async () => {
      await running.client.get('/livez', { traceparent: `00-${marked}-0000000000000001-01` });
      expect(readAvailable(end)).toContain(marked);
    });

    await loggedUntilDropped(running);
    expect(await stopped(running)).toBe(0);
  });

  it('ends on SIGTERM while the reader of a socket does not read', async () => {
    const running = await startService('pipe');
    await loggedUntilDropped(running);
    await expectServing(running);
    expect(await stopped(running)).toBe(0);
  });

  it('serves, and ends on SIGTERM, after the reader is gone', async () => {
    const running = await startService('pipe');
    running.child.stdout?.destroy();
    await loggedUntilDropped(running);
    await expectServing(running);
    expect(await stopped(running)).toBe(0);
  });
});

const readAvailable = (end: number): string => {
  const parts: string[] = [];
  const buffer = Buffer.alloc(64 * 1024);
  try {
    for (let read = -1; read !== 0; ) {
      read = readSync(end, buffer);
      parts.push(buffer.toString('latin1', 0, read));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return parts.join('');
};
