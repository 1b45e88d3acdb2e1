// Runs the distributed engines of the tests, each in a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuSecondsOf } from './cpu.js';
import type { Settings } from './processes.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** An engine of the tests (`scripts/engines-start.ts`). */
export type EngineName = 'eventstoredb' | 'mongodb' | 'redis';

/** An engine that runs until it is stopped. */
export interface Engine {
  /** The variables with which the service finds the engine, and a master key. */
  readonly environment: Settings;
  /** Returns the CPU seconds that the engine has used so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Starts an engine, which keeps its data in a directory. */
export const startEngine = async (directory: string, name: EngineName): Promise<Engine> => {
  const script = ['--import', 'tsx', 'scripts/engines-start.ts', directory, name];
  const child = spawn(process.execPath, script, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  // Not SIGKILL: the process must stop its own children.
  const kill = () => child.kill('SIGTERM');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  const environment: Record<string, string> = {};
  for await (const line of createInterface(child.stdout)) {
    const [, variable, value] = /^export (\w+)='([^']+)'/.exec(line) ?? [];
    if (variable === undefined || value === undefined) continue;
    environment[variable] = value;
    const { pid } = child;
    if (variable === 'MASTER_KEY' && pid !== undefined)
      return { environment, stop, cpuSeconds: () => cpuWithChildren(pid) };
  }
  throw new Error(`${name} did not start`);
};

// MongoDB and Redis are children of the process that starts them.
const cpuWithChildren = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + cpuSecondsOf(one), 0);
};
