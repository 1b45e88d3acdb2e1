import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { startWorkerThread, type WorkerReports } from '../src/worker-host.js';

const program = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

const recorded = () => {
  const calls: unknown[] = [];
  const recording =
    (name: string) =>
    (...given: unknown[]) =>
      void calls.push([name, ...given]);
  const names = ['advanced', 'wrote', 'unlogged', 'folded', 'stopped', 'withoutKey', 'tampered'] as const;
  const reports = Object.fromEntries(names.map((name) => [name, recording(name)])) as unknown as WorkerReports;
  return { calls, reports };
};

it('passes on what the thread reports, and waits until the thread has ended', async () => {
  const { calls, reports } = recorded();
  const close = startWorkerThread(
    program(`
      import { parentPort, workerData } from 'node:worker_threads';
      parentPort.postMessage({ name: 'advanced', given: ['users', '0001'] });
      parentPort.once('message', () => {
        parentPort.postMessage({ name: 'stopped', given: [workerData.role, true] });
        setTimeout(() => process.exit(), 50);
      });`),
    reports,
  );
  await close();
  expect(calls).toEqual([
    ['advanced', 'users', '0001'],
    ['stopped', 'worker', true],
  ]);
});

it.each([
  ['an error that nothing handles', "throw new Error('the worker is broken')", 'the worker is broken'],
  ['an end that nobody asked for', '', 'the worker thread exited with code 0'],
])('ends the process after %s in the thread', (_, code, message) => {
  const host = new URL('../dist/worker-host.js', import.meta.url).href;
  const script = `
    import { startWorkerThread } from '${host}';
    setInterval(() => {}, 1_000);
    startWorkerThread(new URL('${program(code).href.replaceAll("'", '%27')}'), {});`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain(message);
});
