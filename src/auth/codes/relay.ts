// Moves the messages of codes from the vault to their queue. There is no other way into the queue, so a message that
// waited because a process was killed or the queue was unavailable takes the same path as every other message.
import { Bell } from '../../infrastructure/bell.js';
import type { Vault } from '../../infrastructure/vault/vault.js';
import type { Work } from '../../infrastructure/work/work.js';
import { CODE_KIND, changeCode, codeOf, type OwnersCodes, type StoredCode } from './code-records.js';
import { deliveryOf } from './deliveries.js';
import { removeUnsent, type UnsentRecord, unsentAfter } from './unsent-codes.js';
import { codeLimits } from './vault-codes.js';

// How often to check for messages of other processes, and to retry an unavailable queue.
const POLL_MS = 1_000;
const PAGE = 100;

// A request stores the code right after the record of its message. If the code is missing after this time, the request
// has failed.
const STORING_MS = 60_000;
// The lifetime of a code that waited longer starts again when it is sent, so that the user has the full time.
const RESTART_LIFE_MS = codeLimits.resendMs;
// The owner's record must outlive the code.
const MAX_WAIT_MS = codeLimits.windowMs - codeLimits.lifeMs;

/** The dependencies of the relay. */
export interface RelayDependencies {
  readonly vault: Vault;
  readonly work: Pick<Work, 'enqueue'>;
  /** Called once for each outage of the vault or the queue. */
  readonly onFailure: (error: unknown) => void;
  /** Called with the id of a code that waited too long. The code is not sent. */
  readonly onLate: (id: string) => void;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Relays messages to the queue. Any number of processes may run a relay; a message that two of them move is sent once.
 */
export class Relay {
  readonly #dependencies: Required<RelayDependencies>;
  readonly #bell = new Bell();
  #isFailing = false;
  #isClosed = false;

  /** Starts the relay. */
  constructor(dependencies: RelayDependencies) {
    this.#dependencies = { now: Date.now, ...dependencies };
    void this.#run();
  }

  /** Makes the relay check for messages now. During an outage, the relay waits for its next retry. */
  readonly wake = (): void => {
    if (!this.#isFailing) this.#bell.ring();
  };

  /** Stops the relay. Another process, or the next start, moves the remaining messages. */
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
      await this.#bell.wait(POLL_MS);
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
      if (waitedMs > MAX_WAIT_MS) onLate(id);
      else if (code !== undefined) await this.#enqueue(unsent, code);
    }
    await removeUnsent(vault, id);
  }

  async #enqueue({ key: id, value: { record, language } }: UnsentRecord, code: StoredCode): Promise<void> {
    const { vault, work, now } = this.#dependencies;
    const issuedAt = now();
    if (issuedAt - code.issuedAt > RESTART_LIFE_MS) {
      const expiresAt = issuedAt + codeLimits.lifeMs;
      await changeCode(vault, { record, id }, (waited) => ({ ...waited, issuedAt, expiresAt }));
    }
    await work.enqueue(deliveryOf({ record, language }, id));
  }
}
