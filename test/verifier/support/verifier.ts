// Loads the verifier with Node.js itself and runs it as a program, as an auditor does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ProgramResult } from '../../support/process.js';

/** The trusted verifier keys. */
export interface Trust {
  readonly keys: readonly string[];
  readonly witnesses?: readonly string[];
}

/** A verified checkpoint. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly info: readonly string[];
}

interface Verifier {
  readonly verifyEvidence: (text: string, trust: Trust) => Promise<readonly string[]>;
  readonly verifyCheckpoint: (text: string, trust: Trust) => Promise<Checkpoint>;
  readonly verifyConsistency: (
    old: Checkpoint,
    now: Checkpoint,
    proof: readonly Uint8Array[],
  ) => Promise<readonly string[]>;
}

const url = new URL('../../../verifier/verify.mjs', import.meta.url);

/** The path of the verifier. */
export const verifierFile = fileURLToPath(url);

/** The exports of the verifier. */
export const verifier: Verifier = await import(/* @vite-ignore */ url.href);

/** The result of a verification: the exit code, and the output or the error message. */
export interface Verdict {
  readonly code: number;
  readonly report: string;
}

/** Returns the exit code and the output that the command line would give. */
export const verdictOf = async (verified: Promise<readonly string[]>): Promise<Verdict> => {
  try {
    return { code: 0, report: (await verified).join('\n') };
  } catch (error) {
    const { exitCode = 2, message } = error as Error & { readonly exitCode?: number };
    return { code: exitCode, report: message };
  }
};

/** Runs the verifier as a separate process. */
export const runVerifier = async (...given: readonly string[]): Promise<ProgramResult> => {
  const child = spawn(process.execPath, [verifierFile, ...given], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, out, err };
};
