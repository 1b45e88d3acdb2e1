// Sign-in, refresh and sign-out. Combines passwords, sessions, tokens and the security log.
import type { CommandContext } from '../commands/context.js';
import { comparableEmail } from '../domain/comparable.js';
import type { Of } from '../domain/decider.js';
import {
  type failureReasons,
  type platforms,
  securityLog,
  type securityLogCommands,
  type signOutWays,
} from '../domain/security-log.js';
import {
  isActivated,
  isEnabled,
  type RegisteredUser,
  rolesOf,
  type User,
  type UserFields,
} from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { withDeadline } from '../infrastructure/async.js';
import type { AuthParts, AuthSettings } from './parts.js';
import type { Matched } from './passwords/passwords.js';
import { Refused, type RefusedCode } from './refused.js';
import { signInUser } from './registration.js';
import type { Continued, Session } from './sessions/sessions.js';
import type { AccessTokens, Bearer } from './tokens/access-tokens.js';

interface SignInParts extends AuthParts {
  readonly tokens: AccessTokens;
  /** Issues a user's token for Firebase. */
  readonly customToken: (userId: string) => Promise<string>;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly platform: (typeof platforms)[number];
  readonly appName: string | null;
  /** The IP address of the client. */
  readonly address: string;
  /** Counts a sign-in with the right password. Rejects if the user has signed in too often; nothing is recorded then. */
  readonly count: (userId: string) => Promise<void>;
}

export interface Tokens {
  readonly token: string;
  readonly refreshToken: string;
  readonly session: Session;
}

interface SignedIn extends Tokens {
  readonly authToken: string;
  readonly user: UserFields;
}

// With the time for which `Sessions` remembers its result, less than 5 s.
const LOG_DEADLINE_MS = 900;

type FailureReason = (typeof failureReasons)[number];

/** Signs users in and out. Calls reject with `Refused`, and with `StoreUnavailable` while a store is unavailable. */
export class SignIns {
  readonly #parts: SignInParts;
  readonly #settings: AuthSettings;
  readonly #afterResponses = new Set<Promise<void>>();

  constructor(parts: SignInParts, settings: AuthSettings) {
    this.#parts = parts;
    this.#settings = settings;
  }

  /** Signs a user in. An unknown e-mail address and a wrong password lead to the same error after the same work. */
  async signIn(credentials: Credentials, by: CommandContext): Promise<SignedIn> {
    const { address } = credentials;
    const email = comparableEmail(credentials.email);
    const found = await this.#parts.failures.attempt({ email, address }, () => this.#userWith(email, credentials, by));
    if (found === undefined) throw new Refused('sign-in-refused');
    const signedIn = await this.#begin(found.state, credentials, by);
    this.#afterResponse(this.#parts.passwords.renew(signedIn.user.id, credentials.password, found.matched));
    return signedIn;
  }

  async refresh(refreshToken: string, by: CommandContext): Promise<Tokens> {
    let token = '';
    // Issued before the refresh token is rotated. If the log is unavailable, the client's token stays valid.
    const used = await this.#parts.sessions.refresh(refreshToken, async (session) => {
      token = await this.#tokenOf(session, 'refresh-refused');
    });
    if (used.outcome === 'reused') await this.#record(used.session.userId, reuseOf(used.session), by);
    if (used.outcome !== 'continued') throw new Refused('refresh-refused');
    return { token, refreshToken: used.refreshToken, session: used.session };
  }

  /**
   * Returns the session of two tokens, with the current refresh token; undefined if a token is invalid or they belong
   * to different sessions.
   */
  async sessionOf(
    { token, refreshToken }: Pick<Tokens, 'token' | 'refreshToken'>,
    by: CommandContext,
  ): Promise<Tokens | undefined> {
    const { tokens } = this.#parts;
    const [bearer, found] = await Promise.all([tokens.verify(token), this.#examine(refreshToken, by)]);
    if (found === undefined || bearer === undefined) return undefined;
    const { session, refreshToken: next } = found;
    return bearer.sessionId === session.id ? { token, refreshToken: next, session } : undefined;
  }

  /** Returns whether the given tokens are valid now and belong to one session. */
  async areValid(
    { token, refreshToken }: { readonly [T in 'token' | 'refreshToken']: string | undefined },
    by: CommandContext,
  ): Promise<boolean> {
    if (refreshToken === undefined) return token === undefined || (await this.bearerOf(token)) !== undefined;
    const found = token === undefined ? this.#examine(refreshToken, by) : this.sessionOf({ token, refreshToken }, by);
    return (await found) !== undefined;
  }

  /** Returns whether a session is active. Reads the session and the user's stream, as `currentBearerOf` does. */
  async isActive(sessionId: string): Promise<boolean> {
    const { sessions, streams } = this.#parts;
    const session = await sessions.get(sessionId);
    return session !== undefined && isOpen(session, (await streams.fresh(user, session.userId)).state);
  }

  /**
   * Returns the bearer of an access token; undefined if the token is invalid, or if its session or an event of the user
   * ended the session more than 5 s ago.
   */
  async bearerOf(token: string): Promise<Bearer | undefined> {
    const { tokens, sessions } = this.#parts;
    const bearer = await tokens.verify(token);
    return bearer !== undefined && (await sessions.isLive(bearer.sessionId, this.#isOpen)) ? bearer : undefined;
  }

  /** Returns whether no event has ended a session: no event at all, or while the log is silent, no event known here. */
  readonly #isOpen = async ({ userId, epoch }: Session): Promise<boolean> => {
    const { streams } = this.#parts;
    const reading = withDeadline(streams.fresh(user, userId), LOG_DEADLINE_MS);
    const state = (await reading.catch(() => streams.known(user, userId)))?.state;
    // A session that is newer than the known events began after another process had read later events.
    return state === undefined || state.status === 'unknown' || state.sessionEpoch <= epoch;
  };

  /**
   * Returns the bearer of an access token, with the bearer's current roles; undefined if the token is invalid. Reads
   * the session and the user's stream, so that a revocation by any process takes effect immediately. `mayHaveExpired`: a
   * token that was verified before may have expired since.
   */
  async currentBearerOf(token: string, mayHaveExpired?: boolean): Promise<Bearer | undefined> {
    const { tokens, sessions, streams } = this.#parts;
    const bearer = await tokens.verify(token, 0, mayHaveExpired);
    if (bearer === undefined) return undefined;
    const { userId, sessionId } = bearer;
    const [session, { state }] = await Promise.all([sessions.get(sessionId), streams.fresh(user, userId)]);
    if (session?.userId !== userId || !isOpen(session, state)) return undefined;
    return { ...bearer, roles: rolesOf(state) };
  }

  /** Ends the sessions of these access tokens, valid or expired, and of a refresh token. Ignores other tokens. */
  async signOut(given: readonly string[], refreshToken: string | undefined, by: CommandContext): Promise<void> {
    const { tokens, sessions } = this.#parts;
    const signedIn = await Promise.all(given.map((token) => tokens.sessionIn(token)));
    const refreshed = refreshToken === undefined ? undefined : await sessions.idIn(refreshToken);
    const ids = [...signedIn, refreshed].filter((id) => id !== undefined);
    for (const id of new Set(ids)) await this.#end(await sessions.get(id), 'sign-out', by);
  }

  /** Ends a session of a user. Rejects with `session-not-found` if the user has no such session. */
  async end(userId: string, sessionId: string, by: CommandContext): Promise<void> {
    const session = await this.#parts.sessions.get(sessionId);
    if (session?.userId !== userId) throw new Refused('session-not-found');
    await this.#end(session, 'session-list', by);
  }

  /** Resolves when all work that responses did not wait for has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#afterResponses);
  }

  /** Examines a refresh token. If the token is old, records the reuse, which has ended the session. */
  async #examine(refreshToken: string, by: CommandContext): Promise<Continued | undefined> {
    const found = await this.#parts.sessions.examine(refreshToken);
    if (found.outcome === 'reused') await this.#record(found.session.userId, reuseOf(found.session), by);
    return found.outcome === 'continued' ? found : undefined;
  }

  async #userWith(
    email: string,
    { password, count }: Credentials,
    by: CommandContext,
  ): Promise<{ readonly state: RegisteredUser; readonly matched: Matched } | undefined> {
    const { passwords } = this.#parts;
    const { isActivationRequired, isInitialPasswordUsedOnce } = this.#settings;
    // Read before verifying the password: if the password changes in between, the session epoch is outdated and the new
    // session is rejected.
    const { userId, loaded } = await signInUser(this.#parts, email);
    const { state } = loaded;
    const matched = await passwords.match(userId, password);
    if (userId === undefined) return undefined;
    if (matched === undefined) {
      this.#recordFailure(userId, 'wrong-password', by);
      return undefined;
    }
    await count(userId);
    if (!isEnabled(state)) throw this.#refusedAs('user-disabled', userId, by);
    if (isActivationRequired && !isActivated(state)) throw this.#refusedAs('activation-required', userId, by);
    if (isInitialPasswordUsedOnce && (await passwords.isInitialUsed(userId))) {
      throw this.#refusedAs('password-change-required', userId, by);
    }
    return { state, matched };
  }

  #refusedAs(code: RefusedCode & FailureReason, userId: string, by: CommandContext): Refused {
    this.#recordFailure(userId, code, by);
    // The caller knows the password, so the reference for requesting a code may be revealed.
    return new Refused(code, undefined, code === 'activation-required' ? { ownerRef: userId } : {});
  }

  // The response does not wait: nothing is recorded for an unknown user, and timing must not reveal that.
  #recordFailure(userId: string, reason: FailureReason, by: CommandContext): void {
    this.#afterResponse(this.#record(userId, { type: 'RecordFailedSignIn', data: { reason } }, by));
  }

  #afterResponse(work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => this.#settings.onError?.(error))
      .finally(() => this.#afterResponses.delete(task));
    this.#afterResponses.add(task);
  }

  async #begin(state: RegisteredUser, client: Credentials, by: CommandContext): Promise<SignedIn> {
    const { fields, sessionEpoch } = state;
    const { platform, appName } = client;
    const { customToken, sessions, passwords } = this.#parts;
    const newSession = { userId: fields.id, platform, appName, epoch: sessionEpoch };
    const { session, refreshToken } = await sessions.start(newSession);
    // An event that ended all sessions in the meantime may have missed this session.
    const token = await this.#tokenOf(session, 'sign-in-refused');
    // Only now, so that a failure before this leaves the user a password. Another sign-in may have been faster.
    if (this.#settings.isInitialPasswordUsedOnce && !(await passwords.useInitial(fields.id))) {
      await sessions.end(session.id);
      throw this.#refusedAs('password-change-required', fields.id, by);
    }
    const entry = { type: 'RecordSignIn', data: { sessionId: session.id, platform } } as const;
    await this.#record(fields.id, entry, { ...by, actor: { id: fields.id, roles: rolesOf(state) } });
    return { token, refreshToken, session, authToken: await customToken(fields.id), user: fields };
  }

  /** Returns an access token of a session. Ends the session and rejects if its user may no longer have it. */
  async #tokenOf(session: Session, otherwise: RefusedCode): Promise<string> {
    const { streams, sessions, tokens } = this.#parts;
    const { id, userId, createdAt } = session;
    const { state } = await streams.fresh(user, userId);
    if (!isOpen(session, state)) {
      await sessions.end(id);
      throw new Refused(otherwise);
    }
    return tokens.issue({ userId, sessionId: id, roles: rolesOf(state), authTime: Math.floor(createdAt / 1_000) });
  }

  async #end(session: Session | undefined, way: (typeof signOutWays)[number], by: CommandContext): Promise<void> {
    if (session === undefined || !(await this.#parts.sessions.end(session.id))) return;
    const entry = { type: 'RecordSignOut', data: { sessionId: session.id, by: way } } as const;
    // The holder of a session's tokens acts as its user, even if the access token has expired.
    const isKnown = by.actor.id === session.userId;
    await this.#record(session.userId, entry, isKnown ? by : { ...by, actor: { id: session.userId, roles: [] } });
  }

  async #record(userId: string, entry: Of<typeof securityLogCommands>, by: CommandContext): Promise<void> {
    const { precondition: _, ...context } = by;
    await this.#parts.handle(securityLog, userId, entry, { ...context, ids: by.ids.part('security log') });
  }
}

/** Returns whether no event of the user has ended the session. */
const isOpen = ({ epoch }: Session, state: User): boolean => isEnabled(state) && state.sessionEpoch === epoch;

const reuseOf = ({ id }: Session) => ({ type: 'RecordSessionReuse', data: { sessionId: id } }) as const;
