// Composes authentication: sign-in, sign-up, sessions, codes and password changes.
import type { CommandHandler } from '../commands/handle-command.js';
import { endsSessions } from '../domain/user/consequences.js';
import { user } from '../domain/user/user.js';
import { ignoreUnavailable } from '../infrastructure/errors.js';
import type { AllStores } from '../infrastructure/stores.js';
import { Codes } from './codes/codes.js';
import { ContactChanges } from './contact-changes.js';
import type { AuthParts, AuthSettings } from './parts.js';
import { PasswordChanges } from './password-changes.js';
import { SignInFailures } from './sessions/failures.js';
import { Sessions } from './sessions/sessions.js';
import { SignIns } from './sign-ins.js';
import { SignUps } from './sign-up.js';
import { AccessTokens, DEFAULT_ISSUER } from './tokens/access-tokens.js';
import { customTokens } from './tokens/custom-tokens.js';
import { SigningKeys } from './tokens/signing-keys.js';

type AuthDependencies = Pick<AllStores, 'vault' | 'serviceKey'> &
  Pick<AuthParts, 'handle' | 'streams' | 'claims' | 'passwords'>;

export type Auth = ReturnType<typeof authOf>;

export const authOf = (dependencies: AuthDependencies, settings: AuthSettings) => {
  const { vault, serviceKey } = dependencies;
  const { publicUrl: issuer = DEFAULT_ISSUER, serviceAccount, quotaFactor, onUnsentCode = () => {} } = settings;
  const signingKeys = new SigningKeys(vault, serviceKey);
  const sessions = new Sessions(vault, serviceKey);
  const handle = endingSessions(dependencies.handle, sessions);
  const failures = new SignInFailures(vault, serviceKey);
  const codes = new Codes({ vault, serviceKey, onUnsent: onUnsentCode, factor: quotaFactor });
  const parts = { ...dependencies, handle, sessions, failures, codes };
  const tokens = new AccessTokens(signingKeys, issuer);
  const customToken = customTokens(serviceAccount, signingKeys, issuer);
  const signIns = new SignIns({ ...parts, tokens, customToken }, settings);
  return {
    signIns,
    signUps: new SignUps(parts, settings),
    passwordChanges: new PasswordChanges(parts),
    contactChanges: new ContactChanges(parts, settings),
    sessions,
    signingKeys,
    handle,
    /** Identifies the bearer of an access token, from data up to 5 s old or as of now, and the user of a session. */
    guard: {
      bearerOf: (token: string) => signIns.bearerOf(token),
      currentBearerOf: (token: string, mayHaveExpired?: boolean) => signIns.currentBearerOf(token, mayHaveExpired),
      holderOf: async (sessionId: string) => (await sessions.get(sessionId))?.userId,
    },
  };
};

/** Returns a handler that also ends a user's sessions after an event that requires it, before the promise resolves. */
const endingSessions =
  (handle: CommandHandler, sessions: Sessions): CommandHandler =>
  async (decider, target, command, context) => {
    const outcome = await handle(decider, target, command, context);
    if (decider.aggregate === user.aggregate && outcome.events.some(endsSessions)) {
      // While the vault is unavailable, the recorded event ends each session: at once for writes, within 5 s for reads.
      await sessions.endAllOf(outcome.id).catch(ignoreUnavailable);
    }
    return outcome;
  };
