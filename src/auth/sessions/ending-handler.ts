// Ends the sessions of a user with the decision that takes them away.
import type { CommandHandler } from '../../commands/handle-command.js';
import { endsSessions } from '../../domain/session-ends.js';
import { user } from '../../domain/user/user.js';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import type { Sessions } from './sessions.js';

/** Handles commands as `handle` does; an event that ends a user's sessions has ended them when it resolves. */
export const endingSessions =
  (handle: CommandHandler, sessions: Sessions): CommandHandler =>
  async (decider, target, command, context) => {
    const outcome = await handle(decider, target, command, context);
    if (decider.aggregate === user.aggregate && outcome.events.some(endsSessions)) {
      await sessions.endAllOf(outcome.id).catch(unlessAway);
    }
    return outcome;
  };

/**
 * For sessions that cannot be ended while the vault is away: what ends them is recorded, and each finds that out when it is
 * refreshed. Until then no more is lost than 15 minutes.
 */
export const unlessAway = (error: unknown): void => {
  if (!(error instanceof StoreUnavailable)) throw error;
};
