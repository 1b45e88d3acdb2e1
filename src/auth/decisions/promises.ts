// Stores the message about a decision before the decision, so that no decision is without its message, even if the
// process is killed in between. The relay moves the message to its queue.
import { recordedNothing } from '../../commands/context.js';
import type { CommandHandler } from '../../commands/handle-command.js';
import { statusTypes } from '../../domain/user/events.js';
import { user, type userCommands } from '../../domain/user/user.js';
import { ignoreUnavailable } from '../../infrastructure/errors.js';
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

/** Whether a command may decide on a profile of which its user must learn. `isOwn`: whether the user sent it. */
const deciding: { readonly [T in keyof typeof userCommands]?: Decides } = {
  ApproveProfile: () => true,
  RejectProfile: () => true,
  ResubmitProfile: (_, isOwn) => !isOwn,
  ReviseUser: ({ reapproval }) => reapproval === true,
};
type Decides = (data: { readonly reapproval?: boolean }, isOwn: boolean) => boolean;

const decides = ({ type, data }: { readonly type: string; readonly data: unknown }, isOwn: boolean): boolean =>
  deciding[type as keyof typeof deciding]?.(data as never, isOwn) ?? false;

/** Returns a handler that also stores a message for the user before a decision on the user's profiles. */
export const promisingMessages =
  (handle: CommandHandler, { vault, onUnstored }: PromiseListener & { readonly vault: Vault }): CommandHandler =>
  async (decider, target, command, context) => {
    const isUser = decider.aggregate === user.aggregate;
    if (!isUser || !decides(command, context.actor.id === target)) return handle(decider, target, command, context);
    const key = context.ids.eventId(0);
    const promise = entryOfPromise(key, { userId: target, at: Date.now() });
    await vault.insert(promise).catch((error: unknown) => onUnstored(error, { userId: target, eventId: key }));
    const takeBack = () => removePromise(vault, key).catch(ignoreUnavailable);
    const outcome = await handle(decider, target, command, context).catch(async (error: unknown) => {
      // After any other error, the decision may have been recorded, and the message must stay.
      if (recordedNothing(error)) await takeBack();
      throw error;
    });
    if (!outcome.events.some(({ type }) => statusTypes.some((each) => each === type))) await takeBack();
    return outcome;
  };
