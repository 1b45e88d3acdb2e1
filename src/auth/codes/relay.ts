// Moves the messages of codes from the vault to their queue. This is the only way into the queue: a message that waited
// because a process was killed or the queue was away takes the same steps as a message of this moment.
import { Bell } from '../../infrastructure/bell.js';
import type { Vault } from '../../infrastructure/vault/vault.js';
import type { Work } from '../../infrastructure/work/work.js';
import { CODE_KIND, changeCode, codeOf, type OwnersCodes, type StoredCode } from './code-records.js';
import { deliveryOf } from './deliveries.js';
import { removeUnsent, type UnsentRecord, unsentAfter } from './unsent-codes.js';
import { codeLimits } from './vault-codes.js';

// How often the messages of other processes are looked for, and how soon a queue that is away is tried again.
const POLL_MS = 1_000;
const PAGE = 100;

// A request stores the code right after its record here. If the code is not there by then, the request has failed.
const STORING_MS = 60_000;
// A code that waited longer is as good as new from now on: the person gets all of its life.
const FRESH_MS = codeLimits.resendMs;
// The owner's record must outlive the code.
const MOST_WAIT_MS = codeLimits.windowMs - codeLimits.lifeMs;

/** What the relay works with, and who hears of it. */
export interface RelayDependencies {
  readonly vault: Vault;
  readonly work: Work;
  /** Hears of an outage of the vault or of the queue, once. */
  readonly onFailure: (error: unknown) => void;
  /** Hears of a code that waited too long to be of use. It is not sent. */
  readonly onLate: (id: string) => void;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** The relay of a process. Any number of processes may run one: a message that two of them move is sent once. */
export class Relay {
  readonly #dependencies: Required<RelayDependencies>;
  readonly #bell = new Bell();
  #isFailing = false;
  #isClosed = false;

  /** Begins to move what waits. */
  constructor(dependencies: RelayDependencies) {
    this.#dependencies = { now: Date.now, ...dependencies };
    void this.#run();
  }

  /** Makes the relay look for messages now, unless a store is away: then it looks when it tries again. */
  readonly wake = (): void => {
    if (!this.#isFailing) this.#bell.ring();
  };

  /** Stops the relay. What still waits is moved by another process, or after the next start. */
  close(): void {
    this.#isClosed = true;
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#moveAll();
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing && !this.#isClosed) this.#dependencies.onFailure(error);
        this.#isFailing = true;
      }
      await this.#bell.heard(POLL_MS);
    }
  }

  async #moveAll(): Promise<void> {
    let page: readonly UnsentRecord[] = [];
    do {
      page = await unsentAfter(this.#dependencies.vault, page.at(-1)?.key, PAGE);
      for (const unsent of page) {
        if (this.#isClosed) return;
        await this.#move(unsent);
      }
    } while (page.length === PAGE);
  }

  async #move(unsent: UnsentRecord): Promise<void> {
    const { vault, onLate, now } = this.#dependencies;
    const { key: id, value } = unsent;
    const waitedMs = now() - value.issuedAt;
    const kept = await vault.get<OwnersCodes>({ kind: CODE_KIND, key: value.record });
    const code = codeOf(kept?.value, id)?.code;
    if (code === undefined && waitedMs < STORING_MS) return;
    if (!code?.isSent) {
      if (waitedMs > MOST_WAIT_MS) onLate(id);
      else if (code !== undefined) await this.#enqueue(unsent, code);
    }
    await removeUnsent(vault, id);
  }

  async #enqueue({ key: id, value: { record, language, cause } }: UnsentRecord, code: StoredCode): Promise<void> {
    const { vault, work, now } = this.#dependencies;
    const issuedAt = now();
    if (issuedAt - code.issuedAt > FRESH_MS) {
      const expiresAt = issuedAt + codeLimits.lifeMs;
      await changeCode(vault, { record, id }, (waited) => ({ ...waited, issuedAt, expiresAt }));
    }
    await work.enqueue(deliveryOf({ record, language, ...(cause && { cause }) }, id));
  }
}
