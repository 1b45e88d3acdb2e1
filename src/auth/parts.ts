// What the parts of authentication share: their dependencies and the operator's settings.
import type { Claims } from '../commands/claims.js';
import type { CommandHandler } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import type { Codes } from './codes/codes.js';
import type { PromiseListener } from './decisions/promises.js';
import type { Passwords } from './passwords/passwords.js';
import type { SignInFailures } from './sessions/failures.js';
import type { Sessions } from './sessions/sessions.js';
import type { ServiceAccount } from './tokens/custom-tokens.js';

export interface AuthParts {
  /** Handles commands, and ends the user's sessions after an event that requires it. */
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly failures: SignInFailures;
  readonly codes: Codes;
}

export interface AuthSettings {
  /** The public URL of the service and issuer of its tokens; undefined if it has none. */
  readonly publicUrl?: string | undefined;
  /** The account that signs custom tokens; undefined: the service's own key signs them. */
  readonly serviceAccount?: ServiceAccount | undefined;
  /** Whether users must prove their e-mail address before they can sign in. Default: false. */
  readonly isActivationRequired?: boolean;
  /** Whether a password that an administrator chose works only once. Default: false. */
  readonly isInitialPasswordUsedOnce?: boolean;
  /** Multiplies the hourly limits on messages. Default: 1. */
  readonly quotaFactor?: number;
  /** Whether an approved profile needs a new approval after a change that it depends on. Default: false. */
  readonly isReapprovalRequired?: boolean;
  /** The country calling codes to which SMS may be sent; undefined: every country. */
  readonly smsCallingCodes?: readonly string[] | undefined;
  /** Absent if decisions send no messages. */
  readonly decisionMessages?: PromiseListener | undefined;
  /** Called with the error of a task that failed after the response was sent. */
  readonly onError?: (error: unknown) => void;
  /** Called when a message waits for the relay. If absent, the relay finds the message when it polls. */
  readonly onUnsentCode?: () => void;
}
