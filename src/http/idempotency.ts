// Idempotency-Key: the same key and payload answers the stored response for a day. The record is made before anything
// is done and holds the seed of the command's ids, so that a retry after a crash finds out whether it happened.
import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type CommandIds, type Seed, seededIds } from '../commands/ids.js';
import type { RecordKey, Vault, VaultRecord } from '../infrastructure/vault/vault.js';
import { Problem, problemOf } from './problems.js';

const KIND = 'idempotency';
const KEPT_MS = 24 * 60 * 60 * 1_000;
// How long a request may work before another with its key takes over, and how long that one waits for its answer.
const TURN_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** A response as it is stored and sent again. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What makes two requests the same. */
export interface RequestIdentity {
  readonly caller: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** The body, parsed. */
  readonly payload: unknown;
}

type Work = (ids: CommandIds, resumed: boolean) => Promise<StoredAnswer>;

interface Kept {
  readonly payload: string;
  readonly seed: Seed;
  /** Until when the request that works on it may take; absent once it is answered. */
  readonly workingUntil?: number;
  readonly answer?: StoredAnswer;
}

/** Answers requests once. */
export class Idempotency {
  readonly #vault: Vault;
  readonly #secret: () => Promise<KeyObject>;
  readonly #working = new Map<string, Promise<unknown>>();

  /** `secret` gives the key of the digests of payloads: a password in one cannot be guessed from its record. */
  constructor(vault: Vault, secret: () => Promise<KeyObject>) {
    this.#vault = vault;
    this.#secret = secret;
  }

  /**
   * Does the work of a request the first time, and gives the stored answer after that; a refused request is not
   * stored. Rejects with `Problem` where the key was used for another payload, or its first request takes too long.
   */
  async once(
    identity: RequestIdentity,
    work: Work,
  ): Promise<{ readonly answer: StoredAnswer; readonly replayed: boolean }> {
    const { caller, method, path, key } = identity;
    const record = { kind: KIND, key: sha256([caller, method, path, key]) };
    const payload = createHmac('sha256', await this.#secret())
      .update(textOf(identity.payload))
      .digest('hex');
    for (const giveUp = Date.now() + TURN_MS; ; ) {
      const mine = await this.#claim(record, payload);
      if (mine?.answer !== undefined) return { answer: mine.answer, replayed: true };
      if (mine?.kept !== undefined) return { answer: await this.#work(record, mine, work), replayed: false };
      if (Date.now() >= giveUp) throw new Problem('request-in-progress', { headers: { 'Retry-After': '1' } });
      await Promise.race([this.#working.get(record.key) ?? pause(LOOK_EVERY_MS), pause(TURN_MS)]);
    }
  }

  /** The stored answer, or the turn to work, or nothing while another request has it. */
  async #claim(key: RecordKey, payload: string) {
    const now = Date.now();
    const seed = { random: randomBytes(16).toString('hex'), at: now };
    const kept: Kept = { payload, seed, workingUntil: now + TURN_MS };
    const isFirst = await this.#vault.insert({ ...key, value: kept, expiresAt: now + KEPT_MS });
    const found = await this.#vault.get<Kept>(key);
    if (found === undefined) return undefined;
    if (isFirst) return { kept, version: found.version, resumed: false };
    if (found.value.payload !== payload) throw new Problem('idempotency-key-reused');
    if (found.value.answer !== undefined) return { answer: found.value.answer };
    return this.#takeOver(key, found);
  }

  async #takeOver(key: RecordKey, { value, version, expiresAt }: VaultRecord<Kept>) {
    if ((value.workingUntil ?? 0) > Date.now()) return undefined;
    const kept = { ...value, workingUntil: Date.now() + TURN_MS };
    const taken = await this.#vault.replace({ ...key, value: kept, expiresAt }, version);
    return taken ? { kept, version: version + 1, resumed: true } : undefined;
  }

  async #work(
    key: RecordKey,
    { kept, version, resumed }: { kept: Kept; version: number; resumed: boolean },
    work: Work,
  ) {
    const working = work(seededIds(kept.seed), resumed).then(
      (answer) => this.#store(key, { ...kept, answer }, version).then(() => answer),
      (error: unknown) => this.#letGo(key, kept, { version, error }),
    );
    this.#working.set(
      key.key,
      working.catch(() => undefined),
    );
    try {
      return await working;
    } finally {
      this.#working.delete(key.key);
    }
  }

  async #store(key: RecordKey, { payload, seed, answer }: Kept, version: number): Promise<void> {
    const value = { payload, seed, answer };
    await this.#vault.replace({ ...key, value, expiresAt: Date.now() + KEPT_MS }, version);
  }

  // A refusal left nothing behind and may be tried anew. Of any other failure the outcome may be unknown: the record
  // stays, free to be taken over, and whoever does looks first whether it happened.
  async #letGo(key: RecordKey, kept: Kept, { version, error }: { version: number; error: unknown }): Promise<never> {
    if (problemOf(error).status < 500) await this.#vault.remove(key, version);
    else
      await this.#vault
        .replace({ ...key, value: { ...kept, workingUntil: 0 }, expiresAt: Date.now() + KEPT_MS }, version)
        .catch(() => false);
    throw error;
  }
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';

const sha256 = (value: unknown): string => createHash('sha256').update(textOf(value)).digest('hex');

const READ_AT_ONCE = 200;

/** Forgets every stored answer that mentions an aggregate by its id. */
export const forgetAnswers = async (vault: Vault, id: string): Promise<void> => {
  for (let after: string | undefined, isMore = true; isMore; ) {
    const records = await vault.ofKind<Kept>(KIND, after, READ_AT_ONCE);
    for (const { key, value } of records) {
      if (value.answer?.body.includes(id)) await vault.remove({ kind: KIND, key });
    }
    after = records.at(-1)?.key;
    isMore = records.length === READ_AT_ONCE;
  }
};
