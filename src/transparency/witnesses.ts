// Asks witnesses for cosignatures of checkpoints (C2SP tlog-witness). A witness cosigns a checkpoint only if the tree contains
// every tree of the log that it cosigned before, so an operator who rewrites the log cannot show the new one to the witness.

import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import { isCosignature } from './cosignature.js';
import type { Hash } from './merkle.js';
import { parsedLine, type Verifier } from './note.js';

/** A witness: its key, and the URL below which it accepts checkpoints. */
export interface Witness {
  readonly verifier: Verifier;
  readonly url: string;
}

/** A signed checkpoint that witnesses are asked to cosign. */
export interface Submission {
  readonly note: string;
  readonly size: number;
  /** Returns the proof that the tree of an older size is a prefix of this tree. */
  readonly consistencyProof: (oldSize: number) => Promise<readonly Hash[]>;
}

/** What the witnesses are asked with. */
export interface WitnessesOptions {
  readonly witnesses: readonly Witness[];
  /** Returns the size of the newest signed tree, which another worker may have grown meanwhile. */
  readonly newestSize: () => Promise<number>;
  readonly log: Log;
  /** How long all requests to one witness may take together. */
  readonly timeoutMs?: number;
  /** How long a witness is left alone after its first failure. Each further failure doubles the time. */
  readonly backoffMs?: number;
}

const TIMEOUT_MS = 3_000;
const BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;
// A few signature lines. Keys of other types may have signatures of some thousand bytes.
const MOST_BYTES = 16_384;

/** A witness that knows a log of this origin that is not ours: the log was rewritten or rolled back, or a key was copied. */
class Contradiction extends Error {}

// The sizes are in the log alone: /readyz tells strangers nothing of how the log grows.
const DETAIL =
  'The log was rewritten or rolled back, or its key is used elsewhere: it is not the log that witnesses have cosigned. The lines of the worker at `error` say more. See docs/operations.md, Copies of checkpoints. The witnesses are:';

// What the statuses of the protocol mean for the operator.
const REASONS: Readonly<Record<number, string>> = {
  403: 'it does not trust the key of this log',
  404: 'it does not know the origin of this log',
};

/** The witnesses of a log. */
export class Witnesses {
  readonly #asked: readonly AskedWitness[];
  readonly #closing = new AbortController();

  constructor({ witnesses, ...options }: WitnessesOptions) {
    this.#asked = witnesses.map((witness) => new AskedWitness(witness, options, this.#closing.signal));
  }

  /**
   * Asks every witness that has not cosigned the checkpoint yet. Resolves to the lines of the cosignatures that verify, after
   * the timeout at the latest, and never rejects. A witness that failed is not asked before its next turn.
   */
  async ask(submission: Submission): Promise<readonly string[]> {
    const lines = await Promise.all(this.#asked.map((each) => each.ask(submission)));
    return lines.filter((line) => line !== undefined);
  }

  /** Returns the fault of the witnesses that know another log of this origin; undefined if none does. */
  fault(): Fault | undefined {
    const names = this.#asked.filter(({ contradicts }) => contradicts).map(({ name }) => name);
    return names.length === 0
      ? undefined
      : { code: 'audit-witness-contradicts', detail: `${DETAIL} ${names.join(', ')}.` };
  }

  /** Ends the requests that run. */
  close(): void {
    this.#closing.abort();
  }
}

type Asking = Omit<WitnessesOptions, 'witnesses'>;

/** What a witness responded with. */
interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A witness, what is known of it, and when it is asked next. */
class AskedWitness {
  readonly #witness: Witness;
  readonly #options: Asking;
  readonly #closing: AbortSignal;
  /** The size that the witness cosigned last, as far as this process knows. */
  #size = 0;
  #failures = 0;
  #notBefore = 0;
  /** Whether the witness knows another log of this origin. */
  contradicts = false;

  constructor(witness: Witness, options: Asking, closing: AbortSignal) {
    this.#witness = witness;
    this.#options = options;
    this.#closing = closing;
  }

  get name(): string {
    return this.#witness.verifier.name;
  }

  async ask(submission: Submission): Promise<string | undefined> {
    const [text, lines] = partsOf(submission.note);
    if (performance.now() < this.#notBefore || this.#closing.aborted || this.#lineIn(lines, text)) return undefined;
    try {
      const line = this.#lineIn(await this.#cosignatures(submission), text);
      if (line === undefined) throw new Error('its response has no valid cosignature of the checkpoint by its key');
      this.#succeeded(submission.size);
      return line;
    } catch (error) {
      if (!this.#closing.aborted) this.#failed(error);
      return undefined;
    }
  }

  /** Returns the signature lines that the witness responds with. */
  async #cosignatures(submission: Submission): Promise<string> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closing]);
    const from = Math.min(this.#size, submission.size);
    const first = await this.#post(submission, from, signal);
    if (first.status !== 409) return accepted(first);
    const named = /^(0|[1-9]\d{0,14})\n?$/.test(first.body) ? Number(first.body) : from;
    if (named > submission.size) await this.#requireNewer(named);
    if (named === from) throw new Contradiction(`it knows another tree of ${from} leaves`);
    this.#size = named;
    return accepted(await this.#post(submission, named, signal));
  }

  // Another worker may have had a larger tree cosigned.
  async #requireNewer(size: number): Promise<never> {
    const newest = await this.#options.newestSize();
    if (newest >= size) throw new Error('it has cosigned a newer checkpoint of this log');
    throw new Contradiction(`it has cosigned a tree of ${size} leaves, but this log has only ${newest}`);
  }

  async #post({ note, consistencyProof }: Submission, from: number, signal: AbortSignal): Promise<Answer> {
    const proof = await consistencyProof(from);
    const body = [`old ${from}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');
    // A redirect is not followed: the checkpoint is for the witness that the operator named.
    const request = { method: 'POST', body, redirect: 'manual', signal } as const;
    const response = await fetch(`${this.#witness.url.replace(/\/$/, '')}/add-checkpoint`, request).catch(unreachable);
    return { status: response.status, body: await textOf(response) };
  }

  /** Returns the line that is a valid cosignature of a checkpoint's text by this witness. */
  #lineIn(lines: string, text: string): string | undefined {
    return lines.split('\n').find((line) => {
      const signature = parsedLine(line);
      return signature !== undefined && isCosignature(text, signature, this.#witness.verifier);
    });
  }

  #succeeded(size: number): void {
    const witness = this.name;
    if (this.#failures > 0) this.#options.log.info({ witness }, 'the witness cosigns again');
    this.#size = size;
    this.#failures = 0;
    this.#notBefore = 0;
    this.contradicts = false;
  }

  #failed(error: unknown): void {
    const { log, backoffMs = BACKOFF_MS } = this.#options;
    const witness = this.name;
    if (error instanceof Contradiction) {
      if (!this.contradicts) log.error({ witness, err: error }, 'a witness knows another log of this origin');
      this.contradicts = true;
    } else if (this.#failures === 0) {
      log.warn({ witness, err: error }, 'a witness does not cosign; asking it again later');
    }
    this.#notBefore = performance.now() + Math.min(backoffMs * 2 ** this.#failures, LONGEST_BACKOFF_MS);
    this.#failures += 1;
  }
}

/** Returns the text of a note and its signature lines. */
const partsOf = (note: string): readonly [text: string, lines: string] => {
  const end = note.lastIndexOf('\n\n') + 1;
  return [note.slice(0, end), note.slice(end + 1)];
};

const accepted = ({ status, body }: Answer): string => {
  if (status === 422) throw new Contradiction('it knows a tree that is not a prefix of this log');
  if (status !== 200) throw new Error(REASONS[status] ?? `it responded with ${status}`);
  return body;
};

// The reason is in the cause, which the log leaves out.
const unreachable = (error: Error & { readonly cause?: { readonly code?: unknown } }): never => {
  throw new Error(`it cannot be reached, or did not respond in time: ${String(error.cause?.code ?? error.name)}`);
};

const textOf = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`its response is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
