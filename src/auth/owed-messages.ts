// The messages that a user must get after a change. A note is stored before the change is recorded and removed after
// the message is stored. The messages are therefore sent even if the process is killed or the vault fails after the
// change.
import { randomUUID } from 'node:crypto';
import type { Vault, VaultEntry, VaultRecord } from '../infrastructure/vault/vault.js';
import type { Language } from './codes/codes.js';

/** A message that a user must get, in the language of the request. */
export interface Owed {
  readonly userId: string;
  readonly message: 'account-created' | 'email-change';
  readonly language: Language;
}

interface Note extends Owed {
  /** When the last attempt to send the messages started, in epoch milliseconds. */
  readonly since: number;
}

const KIND = 'owed-message';
const PAGE = 100;
// No request and no attempt to send takes longer than this.
const MAX_ATTEMPT_MS = 60_000;
// A message that could not be sent for a day is no longer useful.
const RETENTION_MS = 86_400_000;

/** The notes in a vault. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export class OwedMessages {
  readonly #vault: Vault;
  readonly #now: () => number;

  /** `now` returns epoch milliseconds. */
  constructor(vault: Vault, now: () => number = Date.now) {
    this.#vault = vault;
    this.#now = now;
  }

  /** Stores a note. Returns the function that removes it. */
  async note(owed: Owed): Promise<() => Promise<void>> {
    const key = randomUUID();
    await this.#vault.insert(this.#entryOf(key, owed));
    return async () => {
      await this.#vault.remove({ kind: KIND, key });
    };
  }

  /** Sends every message whose request ended without sending it. A note stays if its `send` rejects. */
  async sendOverdue(send: (owed: Owed) => Promise<unknown>): Promise<void> {
    for await (const { key, value, version } of this.#notes()) {
      const isOverdue = value.since + MAX_ATTEMPT_MS <= this.#now();
      // Only one of the processes that find the note sends it.
      if (!isOverdue || !(await this.#vault.replace(this.#entryOf(key, value), version))) continue;
      await send(value);
      await this.#vault.remove({ kind: KIND, key });
    }
  }

  async *#notes(): AsyncGenerator<VaultRecord<Note>> {
    let page: readonly VaultRecord<Note>[] = [];
    do {
      page = await this.#vault.ofKind<Note>(KIND, page.at(-1)?.key, PAGE);
      yield* page;
    } while (page.length === PAGE);
  }

  #entryOf(key: string, { userId, message, language }: Owed): VaultEntry {
    const since = this.#now();
    const value: Note = { userId, message, language, since };
    return { kind: KIND, key, value, expiresAt: since + RETENTION_MS, subject: userId };
  }
}
