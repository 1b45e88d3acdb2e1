// Stores the message about a decision before the decision, so that no decision is without its message, even if the
// process is killed in between. The relay moves the message to its queue.
import type { AppendGuard } from '../../commands/uniqueness.js';
import { decidesStatus } from '../../domain/user/consequences.js';
import { pagesOfKind, type Vault, type VaultEntry } from '../../infrastructure/vault/vault.js';
import { MAX_COUNTED } from '../codes/waiting-messages.js';

const KIND = 'decision-message';
// A message that waits longer is not sent.
const RETENTION_MS = 86_400_000;

/** A message about a decision on a user. Its key is the id of the first event of the decision. `at`: when it was stored. */
export interface PromisedMessage {
  readonly userId: string;
  readonly at: number;
}

/** Returns the vault entry of a message about a decision. It is erased with the person. */
export const entryOfPromise = (key: string, { userId, at }: PromisedMessage): VaultEntry => ({
  ...{ kind: KIND, key, value: { userId, at } },
  ...{ expiresAt: at + RETENTION_MS, subject: userId },
});

/** Yields the messages that wait for their queue, page by page. */
export const promisesIn = (vault: Vault) => pagesOfKind<PromisedMessage>(vault, KIND);

export const removePromise = (vault: Vault, key: string): Promise<boolean> => vault.remove({ kind: KIND, key });

/** Removes the messages that wait. */
export const removePromises = async (vault: Vault): Promise<void> => {
  for await (const page of promisesIn(vault)) for (const { key } of page) await removePromise(vault, key);
};

/** Returns the number of messages that wait for their queue, counted to 1,000. */
export const countPromises = async (vault: Vault): Promise<number> =>
  (await vault.ofKind(KIND, undefined, MAX_COUNTED)).length;

export interface PromiseListener {
  /** Called if the message about a decision cannot be stored. `eventId` is the id of the first event of the decision. */
  readonly onUnstored: (error: unknown, decision: { readonly userId: string; readonly eventId: string }) => void;
}

/** Returns a guard that works as `guard` does, and stores a message for the user before a decision is appended. */
export const promisingMessages =
  (guard: AppendGuard, { vault, onUnstored }: PromiseListener & { readonly vault: Vault }): AppendGuard =>
  (attempt, append) => {
    const { id: userId, events, isStale, context } = attempt;
    const isOwn = context.actor.id === userId;
    const isNews = events.some((event) => decidesStatus(event) && !(isOwn && event.type === 'UserProfileResubmitted'));
    if (isStale || !isNews) return guard(attempt, append);
    const eventId = context.ids.eventId(0);
    return guard(attempt, async () => {
      const promise = entryOfPromise(eventId, { userId, at: Date.now() });
      await vault.insert(promise).catch((error: unknown) => onUnstored(error, { userId, eventId }));
      return append();
    });
  };
