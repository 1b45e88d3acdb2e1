// The witness of transparency-dev as a process (test/go/witness).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { compiled } from './go.js';

/** Where a witness listens, and its verifier key. */
export interface GoWitness {
  readonly url: string;
  readonly key: string;
}

/** Starts a witness that trusts the log of this verifier key, until the end of the test. */
export const startGoWitness = async (logKey: string): Promise<GoWitness> => {
  // Its log repeats what it responds with.
  const child = spawn(compiled('witness'), ['-log', logKey], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.stdin.end();
    await exited;
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return JSON.parse(line) as GoWitness;
};
