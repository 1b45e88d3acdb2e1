// How a sign-in, or what follows from one, is refused.

/** Why it is refused. The HTTP status is not its business. */
export type RefusedCode =
  | 'sign-in-refused'
  | 'user-disabled'
  | 'too-many-failures'
  | 'refresh-refused'
  | 'session-not-found'
  | 'activation-required'
  | 'code-refused'
  | 'too-many-codes';

/** A sign-in, a refresh or the end of a session is refused. `retryAfterS`: in how many seconds it may be tried again. */
export class Refused extends Error {
  readonly code: RefusedCode;
  readonly retryAfterS: number | undefined;

  constructor(code: RefusedCode, retryAfterS?: number) {
    super(code);
    this.name = 'Refused';
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}
