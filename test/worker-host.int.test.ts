import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { startWorkerThread } from '../src/worker-host.js';

const STARTED =
  "import { parentPort, workerData } from 'node:worker_threads';\nconst report = (name, ...given) => parentPort.postMessage({ name, given });\nreport('started');";
const program = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

const recorded = () => {
  const calls: unknown[] = [];
  const recording =
    (name: string) =>
    (...given: readonly unknown[]): void =>
      void calls.push([name, ...given]);
  const reports = {
    advanced: recording('advanced'),
    wrote: recording('wrote'),
    unlogged: recording('unlogged'),
    failed: recording('failed'),
    folded: recording('folded'),
    stopped: recording('stopped'),
    withoutKey: recording('withoutKey'),
    tampered: recording('tampered'),
  };
  return { calls, reports };
};

it('passes on what the thread reports, and waits until the thread has ended', async () => {
  const { calls, reports } = recorded();
  const code = `${STARTED}
    report('advanced', 'users', '0001');
    parentPort.once('message', () => {
      report('stopped', workerData.role, true);
      setTimeout(() => process.exit(), 50);
    });`;
  const close = await startWorkerThread(program(code), reports);
  await close();
  expect(calls).toEqual([
    ['advanced', 'users', '0001'],
    ['stopped', 'worker', true],
  ]);
});

it('rejects if the thread could not close everything', async () => {
  const code = `${STARTED}
    parentPort.once('message', () => process.exit(1));`;
  const close = await startWorkerThread(program(code), recorded().reports);
  await expect(close()).rejects.toThrow('exited with code 1');
});

it.each([
  ['fails', "throw new Error('the worker is broken')", 'the worker is broken'],
  ['ends', '', 'the worker thread exited with code 0'],
])('rejects if the thread %s before it has started', async (_, code, message) => {
  await expect(startWorkerThread(program(code), recorded().reports)).rejects.toThrow(message);
});

it.each([
  ['an error that nothing handles', "throw new Error('the worker is broken')", 'the worker is broken'],
  ['an end that nobody asked for', '', 'the worker thread exited with code 0'],
])('ends the process after %s in the thread', (_, later, message) => {
  const host = new URL('../dist/worker-host.js', import.meta.url).href;
  const code = `${STARTED}
    setTimeout(() => { ${later} }, 50);`;
  const script = `
    import { startWorkerThread } from '${host}';
    setInterval(() => {}, 1_000);
    await startWorkerThread(new URL(${JSON.stringify(program(code).href)}), {});`;
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(child.status).toBe(1);
  expect(child.stderr).toContain(message);
});
