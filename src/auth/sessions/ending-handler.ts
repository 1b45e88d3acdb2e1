// Ends the sessions of a user after an event that requires it.
import type { CommandHandler } from '../../commands/handle-command.js';
import { endsSessions } from '../../domain/user/events.js';
import { user } from '../../domain/user/user.js';
import { ignoreUnavailable } from '../../infrastructure/errors.js';
import type { Sessions } from './sessions.js';

/** Returns a handler that also ends a user's sessions after an event that requires it, before the promise resolves. */
export const endingSessions =
  (handle: CommandHandler, sessions: Sessions): CommandHandler =>
  async (decider, target, command, context) => {
    const outcome = await handle(decider, target, command, context);
    if (decider.aggregate === user.aggregate && outcome.events.some(endsSessions)) {
      // While the vault is unavailable, the recorded event ends each session at its next refresh, within 15 minutes.
      await sessions.endAllOf(outcome.id).catch(ignoreUnavailable);
    }
    return outcome;
  };
