// How a sign-in, or what follows from one, is refused.

/** Why it is refused. The HTTP status is not its business. */
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
 * A sign-in, or what follows from one, is refused. `retryAfterS`: in how many seconds it may be tried again; `extensions`:
 * what else the client is told of it.
 */
export class Refused extends Error {
  readonly code: RefusedCode;
  readonly retryAfterS: number | undefined;
  readonly extensions: Readonly<Record<string, string>>;

  constructor(code: RefusedCode, retryAfterS?: number, extensions: Readonly<Record<string, string>> = {}) {
    super(code);
    this.name = 'Refused';
    this.code = code;
    this.retryAfterS = retryAfterS;
    this.extensions = extensions;
  }
}
