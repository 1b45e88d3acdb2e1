// The errors of authentication. The HTTP layer maps each code to a status.

export type RefusedCode =
  | 'sign-in-refused'
  | 'user-disabled'
  | 'too-many-failures'
  | 'refresh-refused'
  | 'session-not-found'
  | 'activation-required'
  | 'password-change-required'
  | 'code-refused'
  | 'too-many-codes'
  | 'current-password-refused'
  | 'other-user';

/**
 * Signals that a sign-in or another authentication request is rejected. `retryAfterS`: the seconds after which the
 * client may retry. `extensions`: additional members of the problem document.
 */
export class Refused extends Error {
  constructor(
    readonly code: RefusedCode,
    readonly retryAfterS?: number,
    readonly extensions: Readonly<Record<string, string>> = {},
  ) {
    super(code);
    this.name = 'Refused';
  }
}
