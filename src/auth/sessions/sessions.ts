// Sessions. Each has a vault record with the hash of its current refresh token. Each use rotates the token with
// compare-and-set. The reuse of an old token ends the session (RFC 9700, 4.14.2). A session without a record has ended.
import { LRUCache } from 'lru-cache';
import { newUuid } from '../../commands/ids.js';
import type { AllStores } from '../../infrastructure/stores.js';
import type { Vault, VaultRecord } from '../../infrastructure/vault/vault.js';
import { hashOf, newRefreshToken, openSuccessor, sealSuccessor, sessionOf } from '../tokens/refresh-tokens.js';

const DAY_MS = 86_400_000;
/**
 * The lifetime of an unused session, the maximum lifetime, and the time in which a replaced refresh token still returns
 * the newest one, all in milliseconds; and the maximum number of sessions of a user.
 */
export const sessionLimits = { idleMs: 7 * DAY_MS, absoluteMs: 30 * DAY_MS, graceMs: 10_000, ofUser: 100 } as const;

// How many replaced tokens of a session return the newest one.
const MAX_REPLACED = 20;
// Every process rejects an ended session within 5 s of its end.
const LIVENESS_MS = 4_000;

/** A session as its user sees it. Timestamps are epoch milliseconds. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly platform: string;
  readonly appName: string | null;
  readonly createdAt: number;
  /** When the session started, or its refresh token was last used. */
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** The user's `sessionEpoch` when the session started. */
  readonly epoch: number;
}

export interface Continued {
  readonly outcome: 'continued';
  readonly session: Session;
  readonly refreshToken: string;
}

/**
 * The result of using a refresh token. `reused`: the token was old, and the session was ended. `unknown`: no session.
 */
export type Use =
  | Continued
  | { readonly outcome: 'reused'; readonly session: Session }
  | { readonly outcome: 'unknown' };

interface StoredSession extends Omit<Session, 'id' | 'expiresAt'> {
  /** The hash of the current token. */
  readonly current: string;
  /** The hash of the previous token, and the current token sealed with the previous one. */
  readonly parent: { readonly hash: string; readonly successor: string } | null;
  /** The same of the tokens before, oldest first, and when each was replaced. */
  readonly earlier?: readonly (NonNullable<StoredSession['parent']> & { readonly at: number })[];
}

interface Found {
  readonly token: string;
  readonly record: VaultRecord<StoredSession>;
}

/** The sessions in a vault. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export class Sessions {
  readonly #vault: Vault;
  readonly #key: () => ReturnType<AllStores['serviceKey']>;
  readonly #now: () => number;
  readonly #live = new LRUCache<string, Promise<boolean>>({ max: 10_000, ttl: LIVENESS_MS });
  // When this process rotated tokens, by their hashes, on the monotonic clock.
  readonly #spentAt = new LRUCache<string, number>({ max: 10_000 });

  /** `now` returns epoch milliseconds. */
  constructor(vault: Vault, serviceKey: AllStores['serviceKey'], now: () => number = Date.now) {
    this.#vault = vault;
    this.#key = () => serviceKey('refresh-tokens');
    this.#now = now;
  }

  /** Starts a session. Ends the user's least recently used sessions above the limit. */
  async start(client: Pick<Session, 'userId' | 'platform' | 'appName' | 'epoch'>): Promise<Continued> {
    const id = newUuid();
    const now = this.#now();
    const refreshToken = newRefreshToken(id, await this.#key());
    const stored = { ...client, createdAt: now, lastUsedAt: now, current: hashOf(refreshToken), parent: null };
    const entry = entryOf(id, stored);
    await this.#vault.insert(entry);
    await this.#endOldest(client.userId, id);
    return { outcome: 'continued', session: sessionIn(entry), refreshToken };
  }

  /**
   * Uses a refresh token. Two concurrent uses return the same successor. `before` runs before the token is rotated; if
   * it rejects, the token stays valid.
   */
  async refresh(token: string, before: (session: Session) => Promise<void> = async () => {}): Promise<Use> {
    for (;;) {
      const found = await this.#find(token);
      const used = await this.#examined(found);
      if (found === undefined || used.outcome !== 'continued') return used;
      await before(used.session);
      const isCurrent = used.refreshToken === token;
      const continued = isCurrent ? await this.#rotate(found) : used;
      if (continued !== undefined) return continued;
    }
  }

  /**
   * Returns the session of a refresh token and the current token, without rotating it. An old token ends its session,
   * as in `refresh`.
   */
  async examine(token: string): Promise<Use> {
    return this.#examined(await this.#find(token));
  }

  /** Returns the session id of a refresh token, current or old; undefined if this service did not issue the token. */
  async idIn(token: string): Promise<string | undefined> {
    return sessionOf(token, await this.#key());
  }

  /**
   * Returns whether a session is active. Notices an end in another process within 5 s. `isOpen` returns whether the user
   * may still have the session; its result counts for the same time.
   */
  isLive(id: string, isOpen: (session: Session) => Promise<boolean> = async () => true): Promise<boolean> {
    const known = this.#live.get(id);
    if (known !== undefined) return known;
    const isLive = this.get(id).then((session) => session !== undefined && isOpen(session));
    this.#live.set(id, isLive);
    isLive.catch(() => this.#live.delete(id));
    return isLive;
  }

  /** Returns an active session; undefined if the session has ended. */
  async get(id: string): Promise<Session | undefined> {
    const record = await this.#get(id);
    return record && sessionIn(record);
  }

  /** Returns the active sessions of a user, newest first. */
  async ofUser(userId: string): Promise<readonly Session[]> {
    const records = await this.#vault.ofSubject<StoredSession>(KIND, userId);
    return records
      .map((record) => sessionIn(record))
      .filter(({ expiresAt }) => expiresAt > this.#now())
      .toSorted((a, b) => b.createdAt - a.createdAt);
  }

  /** Ends a session. Returns false if it had already ended. */
  async end(id: string): Promise<boolean> {
    const isEnded = await this.#vault.remove({ kind: KIND, key: id });
    this.#live.set(id, Promise.resolve(false));
    return isEnded;
  }

  async endAllOf(userId: string): Promise<void> {
    const records = await this.#vault.ofSubject<StoredSession>(KIND, userId);
    await Promise.all(records.map(({ key }) => this.end(key)));
  }

  /** Ends the user's least recently used sessions above the limit, but never the session that is being started. */
  async #endOldest(userId: string, startedId: string): Promise<void> {
    const others = (await this.ofUser(userId)).filter(({ id }) => id !== startedId);
    const byUse = others.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt);
    await Promise.all(byUse.slice(sessionLimits.ofUser - 1).map(({ id }) => this.end(id)));
  }

  async #find(token: string): Promise<Found | undefined> {
    const id = await this.idIn(token);
    const record = id === undefined ? undefined : await this.#get(id);
    return record && { token, record };
  }

  async #get(id: string): Promise<VaultRecord<StoredSession> | undefined> {
    const record = await this.#vault.get<StoredSession>({ kind: KIND, key: id });
    return record !== undefined && sessionIn(record).expiresAt > this.#now() ? record : undefined;
  }

  async #examined(found: Found | undefined): Promise<Use> {
    if (found === undefined) return { outcome: 'unknown' };
    const session = sessionIn(found.record);
    const refreshToken = this.#currentFor(found);
    if (refreshToken !== undefined) return { outcome: 'continued', session, refreshToken };
    // Only one of several concurrent uses ends the session, and only that use reports it.
    return (await this.end(session.id)) ? { outcome: 'reused', session } : { outcome: 'unknown' };
  }

  /** Returns undefined if a concurrent use rotated the token first. */
  async #rotate({ token, record }: Found): Promise<Continued | undefined> {
    const { key: id, value } = record;
    const refreshToken = newRefreshToken(id, await this.#key());
    const parent = { hash: value.current, successor: sealSuccessor(token, refreshToken) };
    const earlier = this.#replacedIn(value).slice(1 - MAX_REPLACED);
    const now = this.#now();
    const createdAt = Math.min(value.createdAt, now);
    const stored = { ...value, createdAt, lastUsedAt: now, current: hashOf(refreshToken), parent, earlier };
    const entry = entryOf(id, stored);
    const isStored = await this.#vault.replace(entry, record.version);
    if (isStored) this.#spentAt.set(value.current, performance.now());
    return isStored ? { outcome: 'continued', session: sessionIn(entry), refreshToken } : undefined;
  }

  /** Returns the current token for the current token, and for a replaced token within the grace period. */
  #currentFor({ token, record: { value } }: Found): string | undefined {
    const digest = hashOf(token);
    if (digest === value.current) return token;
    const replaced = this.#replacedIn(value);
    const at = replaced.findIndex(({ hash }) => hash === digest);
    if (at === -1) return undefined;
    const chain = replaced.slice(at);
    // Each token opens the next one.
    return chain.reduce<string | undefined>((held, next) => held && openSuccessor(held, next.successor), token);
  }

  /** Returns the tokens that were replaced within the grace period, oldest first. */
  #replacedIn({ parent, lastUsedAt, earlier = [] }: StoredSession) {
    const replaced = parent === null ? earlier : [...earlier, { ...parent, at: lastUsedAt }];
    return replaced.filter(({ hash, at }) => this.#ageOf(hash, at) <= sessionLimits.graceMs);
  }

  /** Returns how long ago a token was replaced, wherever the clock stands. */
  #ageOf(hash: string, at: number): number {
    const spentAt = this.#spentAt.get(hash);
    const age = this.#now() - at;
    // The clock of another process may be ahead of this one.
    return spentAt === undefined ? Math.abs(age) : Math.max(age, performance.now() - spentAt);
  }
}

const KIND = 'session';

const entryOf = (id: string, stored: StoredSession) => ({
  kind: KIND,
  key: id,
  value: stored,
  subject: stored.userId,
  expiresAt: Math.min(stored.createdAt + sessionLimits.absoluteMs, stored.lastUsedAt + sessionLimits.idleMs),
});

const sessionIn = ({
  key,
  value,
  expiresAt = 0,
}: Pick<VaultRecord<StoredSession>, 'key' | 'value' | 'expiresAt'>): Session => {
  const { current: _, parent: __, earlier: ___, ...session } = value;
  return { id: key, ...session, expiresAt };
};
