// The verifier as its own file: loaded by Node.js itself, as an auditor runs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Ended } from '../support/process.js';

/** Whose signatures are believed. */
export interface Trust {
  readonly keys: readonly string[];
  readonly witnesses?: readonly string[];
}

/** A checkpoint whose signatures hold. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly said: readonly string[];
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

const url = new URL('../../verifier/verify.mjs', import.meta.url);

/** The file of the verifier. */
export const verifierFile = fileURLToPath(url);

/** What the verifier exports. */
export const verifier: Verifier = await import(/* @vite-ignore */ url.href);

/** What became of a verification: the lines of the verifier, or why it failed. */
export interface Verdict {
  readonly code: number;
  readonly said: string;
}

/** Returns the verdict of the verifier as the command line gives it. */
export const verdictOf = async (verified: Promise<readonly string[]>): Promise<Verdict> => {
  try {
    return { code: 0, said: (await verified).join('\n') };
  } catch (error) {
    const { exitCode = 2, message } = error as Error & { readonly exitCode?: number };
    return { code: exitCode, said: message };
  }
};

/** Runs the verifier as a program of its own. */
export const runVerifier = async (...given: readonly string[]): Promise<Ended> => {
  const child = spawn(process.execPath, [verifierFile, ...given], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, out, err };
};
