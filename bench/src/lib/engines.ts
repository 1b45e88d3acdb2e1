// Runs the EventStoreDB of the tests in a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** An engine that runs until it is stopped. */
export interface Engine {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the test server that behaves like EventStoreDB. The server keeps its data in a directory. */
export const startEventStoreDb = async (directory: string): Promise<Engine> => {
  const script = ['--import', 'tsx', 'scripts/engines-start.ts', directory, 'eventstoredb'];
  const child = spawn(process.execPath, script, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /^export EVENTSTORE_URL='([^']+)'/.exec(line)?.[1];
    if (url !== undefined) return { url, stop };
  }
  throw new Error('the test server of EventStoreDB did not start');
};
