// Runs the witness of transparency-dev as a separate process (test/go/witness).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { compileGo } from './go.js';

/** The address and the verifier key of a witness. */
export interface GoWitness {
  readonly url: string;
  readonly key: string;
}

/** Starts a witness that trusts the log with a verifier key. The witness runs until the end of the test. */
export const startGoWitness = async (logKey: string): Promise<GoWitness> => {
  // Its standard error is ignored, because it only repeats the responses.
  const child = spawn(compileGo('witness'), ['-log', logKey], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.stdin.end();
    await exited;
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return JSON.parse(line) as GoWitness;
};
