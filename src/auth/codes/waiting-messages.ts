// The messages that wait in the vault. A message is stored before the code or the change that it announces, so that
// neither is ever without its message, even if the process, the vault or the queue fails in between. The relay
// (relay.ts) removes a message after its job is enqueued.
import { pagesOfKind, type Vault, type VaultEntry, type VaultRecord } from '../../infrastructure/vault/vault.js';
import { codeLimits } from './limits.js';
import type { Language } from './texts.js';

/** A message that a user must get after a change, in the language of the request. Its codes are not issued yet. */
export interface Notice {
  readonly purpose: 'account-created' | 'email-change';
  readonly userId: string;
  readonly language: Language;
}

/** The message of a code. It contains no contact. Its key is the id of the code. */
export interface CodeMessage {
  /** The key of the record that holds the code. */
  readonly record: string;
  readonly language: Language;
}

/** `at` is when the message was stored, or when the last attempt to issue its codes began, in epoch milliseconds. */
export type WaitingMessage = (Notice | CodeMessage) & { readonly at: number };

const KIND = 'message';
/** How many waiting messages of each kind are counted. */
export const MAX_COUNTED = 1_000;
// A day longer than any code waits for its message, so that the relay reports what is late. An outage of days must not
// fill the vault.
const RETENTION_MS = codeLimits.invitationLifeMs + 86_400_000;

/** Returns the vault entry for a waiting message. It is erased with the person. */
export const entryOfMessage = (id: string, value: WaitingMessage, person: string | null): VaultEntry => ({
  ...{ kind: KIND, key: id, value },
  expiresAt: value.at + RETENTION_MS,
  subject: person ?? undefined,
});

/** Yields all waiting messages, sorted by key. */
export async function* waitingMessages(vault: Vault): AsyncGenerator<VaultRecord<WaitingMessage>> {
  for await (const page of pagesOfKind<WaitingMessage>(vault, KIND)) yield* page;
}

export const removeMessage = (vault: Vault, id: string): Promise<boolean> => vault.remove({ kind: KIND, key: id });

/** Returns the number of codes whose messages wait for the queue, counted among the first 1,000 messages. */
export const countUnqueued = async (vault: Vault): Promise<number> => {
  const messages = await vault.ofKind<WaitingMessage>(KIND, undefined, MAX_COUNTED);
  return messages.filter(({ value }) => 'record' in value).length;
};
