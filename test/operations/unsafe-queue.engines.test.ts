// A service whose Redis may lose jobs, from outside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { programFile } from '../support/process.js';
import { clientOf, newRedisServer, withRedisServer } from '../support/redis.js';

interface Readiness {
  readonly faults?: readonly { readonly code: string }[];
}

/** Starts a service, calls `task`, and returns the lines of its output and its standard error. */
const outputOfService = async (
  environment: Readonly<Record<string, string>>,
  task: (url: string, signal: (name: NodeJS.Signals) => void) => Promise<void>,
) => {
  const PORT = `${await freePort()}`;
  const env = { DATA_DIR: temporaryDirectory(), PORT, ...environment };
  const child = spawn(process.execPath, [programFile('main')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = [text(child.stdout), text(child.stderr)];
  await task(`http://127.0.0.1:${PORT}`, (signal) => void child.kill(signal));
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  const [out = '', err] = await Promise.all(written);
  return { err, lines: out.trim().split('\n') };
};

const expectFaults = (url: string, codes: readonly string[]) =>
  eventually(async () => {
    const response = await fetch(`${url}/readyz`);
    const { faults = [] } = (await response.json()) as Readiness;
    expect([response.status, faults.map(({ code }) => code)]).toEqual([200, codes]);
  });

const UNSAFE = ['queue-unsafe'];

withRedisServer('a service whose Redis may lose jobs', () => {
  it.each([
    ['maxmemory_policy is allkeys-lru', ['maxmemory-policy', 'allkeys-lru'], '+info', UNSAFE],
    ['aof_enabled is 0', ['appendonly', 'no'], '+info', UNSAFE],
    ['its settings are unknown', ['appendonly', 'yes'], '-info', []],
  ] as const)('says so in one line, and nothing on standard error: %s', async (words, setting, right, codes) => {
    const redis = await newRedisServer();
    await redis.start();
    const root = clientOf(redis.url);
    await root.config('SET', ...setting);
    await root.call('ACL', 'SETUSER', 'clinic', 'on', '>secret', '~*', '&*', '+@all', '-@dangerous', right);
    const REDIS_URL = redis.url.replace('redis://', 'redis://clinic:secret@');
    const { err, lines } = await outputOfService({ REDIS_URL }, (url) => expectFaults(url, codes));
    const said = lines.filter((line) => line.includes(words));
    expect(said.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining({ level: 40 })]);
    expect([err, lines.join().includes('secret')]).toEqual(['', false]);
  });
});

it('what a library or Node.js writes to standard error is a line of the log', async () => {
  const library = `process.on('SIGUSR2', () => {
    console.warn('a warning', 7);
    console.error(new Error('an error\\nof two lines'));
    process.emitWarning('outdated');
  })`;
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(library)}` };
  const { err, lines } = await outputOfService(environment, async (url, signal) => {
    await expectFaults(url, []);
    signal('SIGUSR2');
    await expectFaults(url, []);
  });
  expect(err).toBe('');
  const warnings = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  const said = ['a warning 7', 'an error\nof two lines', 'outdated'];
  expect(warnings.filter(({ msg }) => said.includes(msg)).map(({ level, msg }) => [level, msg])).toEqual(
    said.map((msg) => [40, msg]),
  );
});
