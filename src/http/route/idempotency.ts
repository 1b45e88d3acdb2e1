// Idempotency-Key: a request with the same key and payload gets the stored response for a day. The record is written
// before any work and contains the seed of the command's ids, so that a retry after a crash can find out whether the
// command succeeded. The body of a large response is not stored, but made again from the streams.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type CommandIds, type Seed, seededIds } from '../../commands/ids.js';
import type { Walker } from '../../commands/walks.js';
import { user } from '../../domain/user/user.js';
import { settlesWithin } from '../../infrastructure/async.js';
import { canonicalJson } from '../../infrastructure/canonical-json.js';
import { openText, type SealedText, sealText } from '../../infrastructure/sealed/sealed-text.js';
import type { RecordKey, VaultRecord } from '../../infrastructure/vault/vault.js';
import { Waits } from '../../infrastructure/waits.js';
import type { ServiceStores } from '../../service.js';
import { Problem, problemOf } from '../problems/problems.js';
import type { StoredResponse } from '../response/sending.js';
import type { Made } from './remaking.js';

/** The kind of the records in the vault, and the name of the key of their digests. */
const STORED_RESPONSE = 'idempotency';
const KEPT_MS = 24 * 60 * 60 * 1_000;
// How long a request may run before another request with its key takes over, and how long the other request waits for
// the response.
const TURN_MS = 10_000;
const POLL_MS = 50;
/** The longest body that is stored, in bytes. */
const STORED_BODY = 4_096;

/** The identity of a request. Requests with equal identities are repetitions of one request. */
export interface RequestIdentity {
  readonly caller: string;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly key: string;
  /** The body, parsed. */
  readonly payload: unknown;
  /** Who waits for the body of an earlier response. */
  readonly walker: Walker;
}

/** The result of a request. */
interface Done {
  readonly answer: StoredResponse;
  /** From what the body can be made again. */
  readonly made: Made;
}

/** A response as it is stored: without its body if `made` is there. */
type KeptResponse = StoredResponse & Partial<Pick<Done, 'made'>>;

type Work = (ids: CommandIds, resumed: boolean) => Promise<Done>;

/** The record of a request: a digest of its body, and its response once the request is complete. */
interface RequestRecord {
  /** A keyed digest of the body. */
  readonly payload: string;
  /** The seed of the command's ids. */
  readonly seed: Seed;
  /** The deadline of the request that does the work; absent once the response is stored. */
  readonly workingUntil?: number;
  readonly answer?: KeptResponse;
  /** The response as sealed JSON, if it is personal. */
  readonly sealed?: SealedText;
}

/** Handles each request once and replays its response to repetitions. */
export class Idempotency {
  readonly #stores: Pick<ServiceStores, 'vault' | 'serviceKey' | 'personKeys'>;
  readonly #remake: (made: Made, walker: Walker) => Promise<string>;
  readonly #working = new Map<string, Promise<unknown>>();
  readonly #waits = new Waits();

  /** `remake` makes the body of an earlier response again. */
  constructor(
    stores: Pick<ServiceStores, 'vault' | 'serviceKey' | 'personKeys'>,
    remake: (made: Made, walker: Walker) => Promise<string>,
  ) {
    this.#stores = stores;
    this.#remake = remake;
  }

  /**
   * Does the work of a request the first time, and returns the stored response after that. Stores neither a rejected
   * request nor a personal response of an erased user. A response that was stored before the erasure is discarded.
   * Rejects with a `Problem` if the key was used for another payload, or if the first request takes too long. Calls
   * `afterWait` after each wait for the first request, and rejects if it rejects.
   */
  async once(
    identity: RequestIdentity,
    work: Work,
    afterWait: () => Promise<void>,
  ): Promise<{ readonly answer: StoredResponse; readonly replayed: boolean }> {
    const { caller, method, path, key } = identity;
    const record = { kind: STORED_RESPONSE, key: sha256([caller, method, path, key]) };
    // Without the key, an attacker cannot guess a password from the digest of its request.
    const payload = createHmac('sha256', await this.#stores.serviceKey(STORED_RESPONSE))
      .update(textOf(identity.payload))
      .digest('hex');
    for (const giveUp = performance.now() + TURN_MS; ; ) {
      const mine = await this.#claim(record, payload);
      if (mine?.answer !== undefined)
        return { answer: await this.#whole(mine.answer, identity.walker), replayed: true };
      if (mine?.kept !== undefined) return { answer: await this.#work(record, mine, work), replayed: false };
      if (performance.now() >= giveUp) throw new Problem('request-in-progress', { headers: { 'Retry-After': '1' } });
      await settlesWithin(this.#working.get(record.key) ?? pause(POLL_MS), TURN_MS);
      await afterWait();
    }
  }

  async #whole({ made, ...answer }: KeptResponse, walker: Walker): Promise<StoredResponse> {
    return made === undefined ? answer : { ...answer, body: await this.#remake(made, walker) };
  }

  /** Returns the stored response or the right to do the work; undefined while another request does the work. */
  async #claim(key: RecordKey, payload: string) {
    const now = Date.now();
    const seed = { random: randomBytes(16).toString('hex'), at: now };
    const kept: RequestRecord = { payload, seed, workingUntil: now + TURN_MS };
    const version = await this.#stores.vault.insert({ ...key, value: kept, expiresAt: now + KEPT_MS });
    if (version !== undefined) return { kept, version, resumed: false };
    const found = await this.#stores.vault.get<RequestRecord>(key);
    if (found === undefined) return undefined;
    if (found.value.payload !== payload) throw new Problem('idempotency-key-reused');
    const { answer, sealed } = found.value;
    if (answer !== undefined) return { answer };
    return sealed === undefined ? this.#takeOver(key, found) : this.#opened(key, sealed, found.version);
  }

  /** Returns a personal response. If one of its users was erased, removes the record and returns undefined. */
  async #opened(key: RecordKey, sealed: SealedText, version: number) {
    const text = await openText(this.#stores.personKeys, sealed, key.key);
    if (text !== undefined) return { answer: JSON.parse(text) as KeptResponse };
    await this.#stores.vault.remove(key, version);
    return undefined;
  }

  async #takeOver(key: RecordKey, { value, version, expiresAt }: VaultRecord<RequestRecord>) {
    const [now, until] = [Date.now(), value.workingUntil ?? 0];
    if (this.#waits.left(`${key.key} ${version}`, until, TURN_MS, now) > 0) return undefined;
    const kept = { ...value, workingUntil: now + TURN_MS };
    const taken = await this.#stores.vault.replace({ ...key, value: kept, expiresAt }, version);
    return taken ? { kept, version: version + 1, resumed: true } : undefined;
  }

  async #work(
    key: RecordKey,
    { kept, version, resumed }: { kept: RequestRecord; version: number; resumed: boolean },
    work: Work,
  ) {
    const working = work(seededIds(kept.seed), resumed).then(
      (done) => this.#store(key, { kept, done }, version).then(() => done.answer),
      (error: unknown) => this.#letGo(key, kept, { version, error }),
    );
    this.#working.set(
      key.key,
      // Waiting requests only need to know that the work has ended. The request that does it reports the error.
      working.catch(() => undefined),
    );
    try {
      return await working;
    } finally {
      this.#working.delete(key.key);
    }
  }

  async #store(
    key: RecordKey,
    { kept: { payload, seed }, done }: { kept: RequestRecord; done: Done },
    version: number,
  ): Promise<void> {
    const stored = await this.#storable(key, keptOf(done), personsIn(done.made));
    if (stored === undefined) {
      await this.#stores.vault.remove(key, version);
      return;
    }
    const value: RequestRecord = { payload, seed, ...stored };
    await this.#stores.vault.replace({ ...key, value, expiresAt: Date.now() + KEPT_MS }, version);
  }

  /** Returns the form in which a response is stored; undefined if one of its users was erased. */
  async #storable(key: RecordKey, answer: KeptResponse, persons: readonly string[]) {
    if (persons.length === 0) return { answer };
    const sealed = await sealText(this.#stores.personKeys, persons, JSON.stringify(answer), key.key);
    return sealed && { sealed };
  }

  // A rejected request changed nothing and may be retried. The outcome of any other failure may be unknown, so the
  // record stays and another request may take it over. That request first checks whether the command succeeded.
  async #letGo(
    key: RecordKey,
    kept: RequestRecord,
    { version, error }: { version: number; error: unknown },
  ): Promise<never> {
    if (problemOf(error).status < 500) await this.#stores.vault.remove(key, version);
    else
      await this.#stores.vault
        .replace({ ...key, value: { ...kept, workingUntil: 0 }, expiresAt: Date.now() + KEPT_MS }, version)
        .catch(() => false);
    throw error;
  }
}

const keptOf = ({ answer, made }: Done): KeptResponse =>
  shownIn(made).length === 0 || Buffer.byteLength(answer.body) <= STORED_BODY ? answer : { ...answer, body: '', made };

const shownIn = (made: Made) => [made].flat();

/** Returns the users whose data a response contains. */
const personsIn = (made: Made): readonly string[] =>
  shownIn(made).flatMap(({ aggregate, id }) => (aggregate === user.aggregate ? [id] : []));

const textOf = (value: unknown): string => (value === undefined ? '' : canonicalJson(value));

const sha256 = (value: unknown): string => createHash('sha256').update(textOf(value)).digest('hex');
