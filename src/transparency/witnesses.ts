// Asks witnesses to cosign checkpoints (C2SP tlog-witness). A witness cosigns a checkpoint only if the tree contains
// every tree of the log that the witness cosigned before. An operator who rewrites the log therefore gets no
// cosignature for the result.

import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import type { Hash } from './merkle.js';
import { isCosignature, parsedLine, type Verifier } from './note.js';

/** A witness: its key, and the base URL at which it accepts checkpoints. */
export interface Witness {
  readonly verifier: Verifier;
  readonly url: string;
}

export interface Submission {
  readonly note: string;
  readonly size: number;
  /** Returns the proof that the tree of an older size is a prefix of this tree. */
  readonly consistencyProof: (oldSize: number) => Promise<readonly Hash[]>;
}

export interface WitnessesOptions {
  readonly witnesses: readonly Witness[];
  /** Returns the size of the newest signed tree, which another worker may have grown in the meantime. */
  readonly newestSize: () => Promise<number>;
  readonly log: Log;
  /** The time limit of a request, in milliseconds. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
// Enough for a few signature lines. Signatures of other key types may have some thousand bytes.
const MAX_BYTES = 16_384;

/**
 * Signals that a witness knows a different log of this origin: the log was rewritten or rolled back, or a key was
 * copied.
 */
class Contradiction extends Error {}

// The detail omits tree sizes, because /readyz is public and must not reveal how the log grows.
const DETAIL =
  'The log was rewritten or rolled back, or its key is used elsewhere: it differs from the log that witnesses have cosigned. The `error` lines in the log of the worker have the details. See docs/operations.md, Witnesses. The witnesses are:';

// The meaning of the protocol's statuses for the operator.
const REASONS: Readonly<Record<number, string>> = {
  403: 'it does not trust the key of this log',
  404: 'it does not know the origin of this log',
};

export class Witnesses {
  readonly #options: WitnessesOptions;
  readonly #closing = new AbortController();
  /** The last size that each witness has cosigned, as far as this process knows. */
  readonly #sizes = new Map<Witness, number>();
  /** Why each witness that failed did not cosign. */
  readonly #failures = new Map<Witness, unknown>();

  constructor(options: WitnessesOptions) {
    this.#options = options;
  }

  /**
   * Asks every witness that has not cosigned the checkpoint yet. Returns the lines of valid cosignatures, after two
   * timeouts at the latest. Never rejects.
   */
  async cosign(submission: Submission): Promise<readonly string[]> {
    const lines = await Promise.all(this.#options.witnesses.map((witness) => this.#ask(witness, submission)));
    return lines.filter((line) => line !== undefined);
  }

  /** Returns the fault of witnesses that know a different log of this origin; undefined if there are none. */
  fault(): Fault | undefined {
    const contradicting = [...this.#failures].filter(([, error]) => error instanceof Contradiction);
    if (contradicting.length === 0) return undefined;
    const names = contradicting.map(([{ verifier }]) => verifier.name).join(', ');
    return { code: 'audit-witness-contradicts', detail: `${DETAIL} ${names}.` };
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(witness: Witness, submission: Submission): Promise<string | undefined> {
    if (lineIn(submission.note, submission.note, witness) !== undefined) return undefined;
    try {
      const line = lineIn(await this.#response(witness, submission), submission.note, witness);
      if (line === undefined) throw new Error('its response has no valid cosignature of the checkpoint with its key');
      this.#sizes.set(witness, submission.size);
      const hadFailed = this.#failures.delete(witness);
      if (hadFailed) this.#options.log.info({ witness: witness.verifier.name }, 'the witness cosigns again');
      return line;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failed(witness, error);
      return undefined;
    }
  }

  /** Returns the signature lines that the witness responds with. */
  async #response(witness: Witness, submission: Submission): Promise<string> {
    const from = Math.min(this.#sizes.get(witness) ?? 0, submission.size);
    const first = await this.#post(witness, submission, from);
    if (first.status !== 409) return accepted(first);
    const named = /^(0|[1-9]\d{0,14})\n?$/.test(first.body) ? Number(first.body) : from;
    if (named > submission.size) throw await this.#errorOfLarger(named);
    if (named === from) throw new Contradiction(`it knows another tree of ${from} leaves`);
    return accepted(await this.#post(witness, submission, named));
  }

  // The witness may have cosigned a larger tree for another worker.
  async #errorOfLarger(size: number): Promise<Error> {
    const newest = await this.#options.newestSize();
    return newest >= size
      ? new Error('it has cosigned a newer checkpoint of this log')
      : new Contradiction(`it has cosigned a tree of ${size} leaves, but this log has only ${newest}`);
  }

  async #post({ url }: Witness, { note, consistencyProof }: Submission, from: number) {
    const proof = await consistencyProof(from);
    const body = [`old ${from}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');
    const signal = AbortSignal.any([AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS), this.#closing.signal]);
    // Redirects are not followed, because the checkpoint is meant only for the configured witness.
    const request = { method: 'POST', body, redirect: 'manual', signal } as const;
    const response = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, request).catch(unreachable);
    return { status: response.status, body: await textOf(response) };
  }

  #failed(witness: Witness, error: unknown): void {
    const known = this.#failures.get(witness);
    // A contradiction stays until the witness cosigns.
    if (known instanceof Contradiction || (known !== undefined && !(error instanceof Contradiction))) return;
    this.#failures.set(witness, error);
    const [{ log }, fields] = [this.#options, { witness: witness.verifier.name, err: error }];
    if (error instanceof Contradiction) log.error(fields, 'a witness knows a different log of this origin');
    else log.warn(fields, 'a witness does not cosign; will retry');
  }
}

/** Returns the line with a valid cosignature of the checkpoint in `note` by a witness; undefined if there is none. */
const lineIn = (lines: string, note: string, { verifier }: Witness): string | undefined => {
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
  return lines.split('\n').find((line) => {
    const signature = parsedLine(line);
    return signature !== undefined && isCosignature(text, signature, verifier);
  });
};

const accepted = ({ status, body }: { readonly status: number; readonly body: string }): string => {
  if (status === 422) throw new Contradiction('it knows a tree that is not a prefix of this log');
  if (status !== 200) throw new Error(REASONS[status] ?? `it responded with ${status}`);
  return body;
};

// The message includes the reason from the cause, because the log omits causes.
const unreachable = (error: Error & { readonly cause?: { readonly code?: unknown } }): never => {
  throw new Error(`it is unreachable, or did not respond in time: ${String(error.cause?.code ?? error.name)}`);
};

const textOf = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`its response is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
