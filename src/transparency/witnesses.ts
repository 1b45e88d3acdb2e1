// Asks witnesses to cosign checkpoints (C2SP tlog-witness). A witness cosigns a checkpoint only if the tree contains
// every tree of the log that the witness cosigned before. An operator who rewrites the log therefore gets no
// cosignature for the result.

import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import { isCosignature } from './cosignature.js';
import type { Hash } from './merkle.js';
import { parsedLine, type Verifier } from './note.js';

/** A witness: its key, and the base URL at which it accepts checkpoints. */
export interface Witness {
  readonly verifier: Verifier;
  readonly url: string;
}

/** A signed checkpoint to cosign. */
export interface Submission {
  readonly note: string;
  readonly size: number;
  /** Returns the proof that the tree of an older size is a prefix of this tree. */
  readonly consistencyProof: (oldSize: number) => Promise<readonly Hash[]>;
}

/** The options of requests to witnesses. */
export interface WitnessesOptions {
  readonly witnesses: readonly Witness[];
  /** Returns the size of the newest signed tree, which another worker may have grown in the meantime. */
  readonly newestSize: () => Promise<number>;
  readonly log: Log;
  /** The time limit for all requests to one witness together, in milliseconds. */
  readonly timeoutMs?: number;
  /** The delay after the first failure of a witness, in milliseconds. Each further failure doubles it. */
  readonly backoffMs?: number;
}

const TIMEOUT_MS = 3_000;
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 5 * 60_000;
// Enough for a few signature lines. Signatures of other key types may have some thousand bytes.
const MAX_BYTES = 16_384;

/**
 * Signals that a witness knows a different log of this origin: the log was rewritten or rolled back, or a key was
 * copied.
 */
class Contradiction extends Error {}

// The detail omits tree sizes, because /readyz is public and must not reveal how the log grows.
const DETAIL =
  'The log was rewritten or rolled back, or its key is used elsewhere: it differs from the log that witnesses have cosigned. The `error` lines in the log of the worker have the details. See docs/operations.md, Copies of checkpoints. The witnesses are:';

// The meaning of the protocol's statuses for the operator.
const REASONS: Readonly<Record<number, string>> = {
  403: 'it does not trust the key of this log',
  404: 'it does not know the origin of this log',
};

/** The witnesses of a log. */
export class Witnesses {
  readonly #clients: readonly WitnessClient[];
  readonly #closing = new AbortController();

  constructor({ witnesses, ...options }: WitnessesOptions) {
    this.#clients = witnesses.map((witness) => new WitnessClient(witness, options, this.#closing.signal));
  }

  /**
   * Asks every witness that has not cosigned the checkpoint yet. Returns the lines of valid cosignatures, after the
   * timeout at the latest. Never rejects. A witness that failed is not asked again until its delay is over.
   */
  async cosign(submission: Submission): Promise<readonly string[]> {
    const lines = await Promise.all(this.#clients.map((each) => each.cosign(submission)));
    return lines.filter((line) => line !== undefined);
  }

  /** Returns the fault of witnesses that know a different log of this origin; undefined if there are none. */
  fault(): Fault | undefined {
    const names = this.#clients.filter(({ contradicts }) => contradicts).map(({ name }) => name);
    return names.length === 0
      ? undefined
      : { code: 'audit-witness-contradicts', detail: `${DETAIL} ${names.join(', ')}.` };
  }

  /** Aborts the running requests. */
  close(): void {
    this.#closing.abort();
  }
}

type ClientOptions = Omit<WitnessesOptions, 'witnesses'>;

/** The response of a witness. */
interface WitnessResponse {
  readonly status: number;
  readonly body: string;
}

/** A witness, its last cosigned size, and the time of the next request. */
class WitnessClient {
  readonly #witness: Witness;
  readonly #options: ClientOptions;
  readonly #closing: AbortSignal;
  /** The last size that the witness cosigned, as far as this process knows. */
  #size = 0;
  #failures = 0;
  #notBefore = 0;
  /** Whether the witness knows a different log of this origin. */
  contradicts = false;

  constructor(witness: Witness, options: ClientOptions, closing: AbortSignal) {
    this.#witness = witness;
    this.#options = options;
    this.#closing = closing;
  }

  get name(): string {
    return this.#witness.verifier.name;
  }

  async cosign(submission: Submission): Promise<string | undefined> {
    const [text, lines] = partsOf(submission.note);
    if (performance.now() < this.#notBefore || this.#closing.aborted || this.#lineIn(lines, text)) return undefined;
    try {
      const line = this.#lineIn(await this.#cosignatures(submission), text);
      if (line === undefined) throw new Error('its response has no valid cosignature of the checkpoint with its key');
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

  // The witness may have cosigned a larger tree for another worker.
  async #requireNewer(size: number): Promise<never> {
    const newest = await this.#options.newestSize();
    if (newest >= size) throw new Error('it has cosigned a newer checkpoint of this log');
    throw new Contradiction(`it has cosigned a tree of ${size} leaves, but this log has only ${newest}`);
  }

  async #post({ note, consistencyProof }: Submission, from: number, signal: AbortSignal): Promise<WitnessResponse> {
    const proof = await consistencyProof(from);
    const body = [`old ${from}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');
    // Redirects are not followed, because the checkpoint is meant only for the configured witness.
    const request = { method: 'POST', body, redirect: 'manual', signal } as const;
    const response = await fetch(`${this.#witness.url.replace(/\/$/, '')}/add-checkpoint`, request).catch(unreachable);
    return { status: response.status, body: await textOf(response) };
  }

  /** Returns the line with a valid cosignature by this witness; undefined if there is none. */
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
      if (!this.contradicts) log.error({ witness, err: error }, 'a witness knows a different log of this origin');
      this.contradicts = true;
    } else if (this.#failures === 0) {
      log.warn({ witness, err: error }, 'a witness does not cosign; will retry');
    }
    this.#notBefore = performance.now() + Math.min(backoffMs * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
  }
}

/** Returns the text of a note and its signature lines. */
const partsOf = (note: string): readonly [text: string, lines: string] => {
  const end = note.lastIndexOf('\n\n') + 1;
  return [note.slice(0, end), note.slice(end + 1)];
};

const accepted = ({ status, body }: WitnessResponse): string => {
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
