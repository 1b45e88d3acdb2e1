// Signing in, going on, signing out: what holds passwords, sessions, tokens and the security log together.
import type { Claims } from '../../commands/claims.js';
import type { CommandContext } from '../../commands/context.js';
import type { CommandHandler } from '../../commands/handle-command.js';
import type { Streams } from '../../commands/streams.js';
import { ownerOf } from '../../commands/uniqueness.js';
import { newUuid } from '../../commands/uuid.js';
import { comparableEmail } from '../../domain/comparable.js';
import type { Of } from '../../domain/decider.js';
import {
  type failureReasons,
  type platforms,
  securityLog,
  type securityLogCommands,
  type signOutWays,
} from '../../domain/security-log.js';
import {
  isActivated,
  isEnabled,
  type RegisteredUser,
  rolesOf,
  type User,
  type UserFields,
} from '../../domain/user/state.js';
import { user } from '../../domain/user/user.js';
import type { BackgroundTasks } from '../background-tasks.js';
import type { Passwords } from '../passwords/passwords.js';
import { Refused, type RefusedCode } from '../refused.js';
import type { AccessTokens, Bearer } from '../tokens/access-tokens.js';
import type { CustomTokens } from '../tokens/custom-tokens.js';
import type { SignInFailures } from './failures.js';
import type { Continued, Session, Sessions } from './sessions.js';

/** What signing in takes. */
export interface SignInDependencies {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly tokens: AccessTokens;
  readonly customTokens: CustomTokens;
  readonly failures: SignInFailures;
  readonly background: BackgroundTasks;
  /** Whether a user who has proved no contact yet may not sign in. */
  readonly isActivationRequired: boolean;
  /** Whether a password that an administrator chose works once only. */
  readonly isInitialPasswordUsedOnce: boolean;
}

/** Who wants to sign in, and by which client. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly platform: (typeof platforms)[number];
  readonly appName: string | null;
  /** Where the request comes from. */
  readonly address: string;
}

/** An access token, the refresh token that is to be used next, and the session that both are of. */
export interface Tokens {
  readonly token: string;
  readonly refreshToken: string;
  readonly session: Session;
}

/** What a sign-in gives. */
export interface SignedIn extends Tokens {
  readonly authToken: string;
  readonly user: UserFields;
}

/** What a client has to sign out by. */
export interface SignOut {
  readonly tokens: readonly string[];
  readonly refreshToken: string | undefined;
}

type FailureReason = (typeof failureReasons)[number];

/** Signs users in and out. Calls reject with `Refused`, and with `StoreUnavailable` while a store is away. */
export class SignIns {
  readonly #dependencies: SignInDependencies;

  constructor(dependencies: SignInDependencies) {
    this.#dependencies = dependencies;
  }

  /** Signs in. An unknown e-mail and a wrong password are the same refusal, after the same work. */
  async signIn(credentials: Credentials, by: CommandContext): Promise<SignedIn> {
    const { address } = credentials;
    const email = comparableEmail(credentials.email);
    const state = await this.#dependencies.failures.attempt({ email, address }, () =>
      this.#userWith(email, credentials.password, by),
    );
    if (state === undefined) throw new Refused('sign-in-refused');
    return this.#begin(state, credentials, by);
  }

  /** Uses a refresh token. */
  async refresh(refreshToken: string, by: CommandContext): Promise<Tokens> {
    let token = '';
    // Made before the refresh token is spent: where the facts are away, the one that the client has stays good.
    const used = await this.#dependencies.sessions.refresh(refreshToken, async (session) => {
      token = await this.#tokenOf(session, 'refresh-refused');
    });
    if (used.outcome === 'reused') await this.#record(used.session.userId, reuseOf(used.session), by);
    if (used.outcome !== 'continued') throw new Refused('refresh-refused');
    return { token, refreshToken: used.refreshToken, session: used.session };
  }

  /**
   * The session of tokens that belong together and are both valid now, with the refresh token that is to be used next;
   * undefined where they do not, or are not.
   */
  async sessionOf(
    { token, refreshToken }: Pick<Tokens, 'token' | 'refreshToken'>,
    by: CommandContext,
  ): Promise<Tokens | undefined> {
    const { tokens } = this.#dependencies;
    const [bearer, found] = await Promise.all([tokens.verify(token), this.#examine(refreshToken, by)]);
    if (found === undefined || bearer === undefined) return undefined;
    const { session, refreshToken: next } = found;
    const isSame = bearer.sessionId === session.id && bearer.userId === session.userId;
    return isSame ? { token, refreshToken: next, session } : undefined;
  }

  /** Returns whether every token that is given is valid now, and both are of one session. */
  async areValid(
    { token, refreshToken }: { readonly [T in 'token' | 'refreshToken']: string | undefined },
    by: CommandContext,
  ): Promise<boolean> {
    if (refreshToken === undefined) return token === undefined || (await this.bearerOf(token)) !== undefined;
    const found = token === undefined ? this.#examine(refreshToken, by) : this.sessionOf({ token, refreshToken }, by);
    return (await found) !== undefined;
  }

  /** Returns whether a session goes on. Reads the session and the user's stream, as `bearerNow` does. */
  async goesOn(sessionId: string): Promise<boolean> {
    const { sessions, streams } = this.#dependencies;
    const session = await sessions.get(sessionId);
    return session !== undefined && isOpen(session, (await streams.fresh(user, session.userId)).state);
  }

  /** Returns who bears an access token; undefined if it does not hold, or its session ended more than 5 s ago. */
  async bearerOf(token: string): Promise<Bearer | undefined> {
    const { tokens, sessions } = this.#dependencies;
    const bearer = await tokens.verify(token);
    return bearer !== undefined && (await sessions.isLive(bearer.sessionId)) ? bearer : undefined;
  }

  /**
   * Returns who bears an access token, with the roles that the bearer has now; undefined if the token does not hold. Reads
   * the session and the user's stream, so that whatever any process took away is gone at once.
   */
  async bearerNow(token: string): Promise<Bearer | undefined> {
    const { tokens, sessions, streams } = this.#dependencies;
    const bearer = await tokens.verify(token, 0);
    if (bearer === undefined) return undefined;
    const { userId, sessionId } = bearer;
    const [session, { state }] = await Promise.all([sessions.get(sessionId), streams.fresh(user, userId)]);
    if (session?.userId !== userId || !isOpen(session, state)) return undefined;
    return { ...bearer, roles: rolesOf(state) };
  }

  /** Ends the sessions that these tokens are of, as far as they are of any. */
  async signOut(of: SignOut, by: CommandContext): Promise<void> {
    const { tokens, sessions } = this.#dependencies;
    const bearers = await Promise.all(of.tokens.map((token) => tokens.verify(token)));
    const refreshed = of.refreshToken === undefined ? undefined : await sessions.idIn(of.refreshToken);
    const ids = [...bearers.map((bearer) => bearer?.sessionId), refreshed].filter((id) => id !== undefined);
    for (const id of new Set(ids)) await this.#end(await sessions.get(id), 'sign-out', by);
  }

  /** Ends one of a user's own sessions. Rejects with `session-not-found` where it is none. */
  async end(userId: string, sessionId: string, by: CommandContext): Promise<void> {
    const session = await this.#dependencies.sessions.get(sessionId);
    if (session?.userId !== userId) throw new Refused('session-not-found');
    await this.#end(session, 'session-list', by);
  }

  /** Examines a refresh token. Records that it was spent, which ends its session. */
  async #examine(refreshToken: string, by: CommandContext): Promise<Continued | undefined> {
    const found = await this.#dependencies.sessions.examine(refreshToken);
    if (found.outcome === 'reused') await this.#record(found.session.userId, reuseOf(found.session), by);
    return found.outcome === 'continued' ? found : undefined;
  }

  /** The user, where there is one with this e-mail and password. */
  async #userWith(email: string, password: string, by: CommandContext): Promise<RegisteredUser | undefined> {
    const { streams, claims, passwords, isActivationRequired, isInitialPasswordUsedOnce } = this.#dependencies;
    const userId = await ownerOf({ streams, claims }, user, { what: 'user-email', value: email });
    // The stream of somebody is read on the way; so one is read for nobody, too. It is read before the password is looked
    // at: what ends all sessions while that takes its time, a new password above all, ends the one that begins by it.
    const { state } = await streams.load(user, userId ?? newUuid());
    const isRight = await passwords.verify(userId, password);
    if (userId === undefined) return undefined;
    if (!isRight) {
      this.#recordFailure(userId, 'wrong-password', by);
      return undefined;
    }
    if (!isEnabled(state)) throw this.#refusedAs('user-disabled', userId, by);
    if (isActivationRequired && !isActivated(state)) throw this.#refusedAs('activation-required', userId, by);
    if (isInitialPasswordUsedOnce && !(await passwords.useInitial(userId))) {
      throw this.#refusedAs('password-change-required', userId, by);
    }
    return state;
  }

  #refusedAs(code: RefusedCode & FailureReason, userId: string, by: CommandContext): Refused {
    this.#recordFailure(userId, code, by);
    // Whoever knows the password may know by what to ask for a code.
    return new Refused(code, undefined, code === 'activation-required' ? { ownerRef: userId } : {});
  }

  // Not waited for: of nobody nothing is recorded, and that must not show.
  #recordFailure(userId: string, reason: FailureReason, by: CommandContext): void {
    this.#dependencies.background.run(() => this.#record(userId, { type: 'RecordFailedSignIn', data: { reason } }, by));
  }

  async #begin(state: RegisteredUser, client: Credentials, by: CommandContext): Promise<SignedIn> {
    const { fields, sessionEpoch } = state;
    const { platform, appName } = client;
    const { customTokens, sessions } = this.#dependencies;
    const of = { userId: fields.id, platform, appName, epoch: sessionEpoch };
    const { session, refreshToken } = await sessions.start(of);
    // What took the sessions away meanwhile may have missed this one.
    const token = await this.#tokenOf(session, 'sign-in-refused');
    const entry = { type: 'RecordSignIn', data: { sessionId: session.id, platform } } as const;
    await this.#record(fields.id, entry, { ...by, actor: { id: fields.id, roles: rolesOf(state) } });
    return { token, refreshToken, session, authToken: await customTokens.issue(fields.id), user: fields };
  }

  /** An access token of a session, unless its user may not have it any more: then it is ended. */
  async #tokenOf(session: Session, otherwise: RefusedCode): Promise<string> {
    const { streams, sessions, tokens } = this.#dependencies;
    const { id, userId, createdAt } = session;
    const { state } = await streams.fresh(user, userId);
    if (!isOpen(session, state)) {
      await sessions.end(id);
      throw new Refused(otherwise);
    }
    return tokens.issue({ userId, sessionId: id, roles: rolesOf(state), authTime: Math.floor(createdAt / 1_000) });
  }

  async #end(session: Session | undefined, how: (typeof signOutWays)[number], by: CommandContext): Promise<void> {
    if (session === undefined || !(await this.#dependencies.sessions.end(session.id))) return;
    const entry = { type: 'RecordSignOut', data: { sessionId: session.id, by: how } } as const;
    // Whoever holds a session's tokens is its user, also where the access token has expired.
    const isKnown = by.actor.id === session.userId;
    await this.#record(session.userId, entry, isKnown ? by : { ...by, actor: { id: session.userId, roles: [] } });
  }

  async #record(userId: string, entry: Of<typeof securityLogCommands>, by: CommandContext): Promise<void> {
    const { precondition: _, ...context } = by;
    await this.#dependencies.handle(securityLog, userId, entry, { ...context, ids: by.ids.part('security log') });
  }
}

/** Returns whether nothing decided about a user has ended a session. */
const isOpen = ({ epoch }: Session, state: User): boolean => isEnabled(state) && state.sessionEpoch === epoch;

const reuseOf = ({ id }: Session) => ({ type: 'RecordSessionReuse', data: { sessionId: id } }) as const;
