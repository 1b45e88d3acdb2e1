// Access tokens: JWTs (RFC 7519, with the type of RFC 9068), signed with EdDSA, that name a user, a session and roles.
import { hash } from 'node:crypto';
import { errors, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { newUuid } from '../../commands/ids.js';
import { Waits } from '../../infrastructure/waits.js';
import { ACCESS_TOKEN_S, type SigningKeys } from './signing-keys.js';

export interface Bearer {
  readonly userId: string;
  readonly sessionId: string;
  readonly roles: readonly string[];
  /** When the bearer signed in, in epoch seconds: the start of the session. A refresh does not change it. */
  readonly authTime: number;
}

export const DEFAULT_ISSUER = 'clinical-protocols';
const AUDIENCE = 'clinical-protocols';
const TYPE = 'at+jwt';
/** The tolerated clock difference between two servers, in seconds. */
const TOLERANCE_S = 5;
const MAX_CHARACTERS = 4_096;

const Claims = z.object({
  sub: z.guid(),
  sid: z.guid(),
  roles: z.array(z.string()).readonly(),
  // OpenID Connect Core 1.0, 2.
  auth_time: z.int(),
  exp: z.number(),
});

interface Verified {
  readonly bearer: Bearer;
  readonly kid: string;
  /** Epoch seconds. */
  readonly until: number;
}

/** Issues and verifies access tokens. Calls reject with `StoreUnavailable` while the keys are unavailable. */
export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #issuer: string;
  readonly #now: () => number;
  // A verified signature stays valid for the lifetime of the token and is not verified again.
  readonly #verified = new LRUCache<string, Verified>({ max: 10_000 });
  readonly #waits = new Waits();

  /** `now` returns epoch milliseconds. */
  constructor(keys: SigningKeys, issuer: string, now: () => number = Date.now) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#now = now;
  }

  async issue({ userId, sessionId, roles, authTime }: Bearer): Promise<string> {
    const { kid, privateKey } = await this.#keys.current();
    const now = Math.floor(this.#now() / 1_000);
    return new SignJWT({ sid: sessionId, roles: [...roles], auth_time: authTime })
      .setProtectedHeader({ alg: 'EdDSA', typ: TYPE, kid })
      .setIssuer(this.#issuer)
      .setAudience(AUDIENCE)
      .setSubject(userId)
      .setJti(newUuid())
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + ACCESS_TOKEN_S)
      .sign(privateKey);
  }

  /**
   * Returns the bearer of a token; undefined if this service did not issue the token, or it is not valid now.
   * `keyMaxAgeMs`: how long a key that another process revoked may still be accepted. `mayHaveExpired`: a token that was
   * verified before may have expired since.
   */
  async verify(token: string, keyMaxAgeMs?: number, mayHaveExpired = false): Promise<Bearer | undefined> {
    if (token.length > MAX_CHARACTERS) return undefined;
    const digest = hash('sha256', token, 'base64');
    const known = this.#verified.get(digest);
    const verified = known ?? (await this.#examine(token));
    if (verified === undefined) return undefined;
    // The key of an expired token may be gone.
    if (this.#left(digest, verified) <= 0) return mayHaveExpired ? verified.bearer : undefined;
    if ((await this.#keys.find(verified.kid, keyMaxAgeMs)) === undefined) return undefined;
    if (known === undefined) this.#verified.set(digest, verified);
    return verified.bearer;
  }

  /**
   * Returns the session of a token that this service issued, even if the token has expired. It proves only that its
   * holder may end the session.
   */
  async sessionIn(token: string): Promise<string | undefined> {
    if (token.length > MAX_CHARACTERS) return undefined;
    return (await this.#examine(token, Number.MAX_SAFE_INTEGER))?.bearer.sessionId;
  }

  #left(digest: string, { until }: Verified): number {
    const toleranceMs = TOLERANCE_S * 1_000;
    return this.#waits.left(digest, until * 1_000 + toleranceMs, ACCESS_TOKEN_S * 1_000 + toleranceMs, this.#now());
  }

  async #examine(token: string, toleranceS: number = TOLERANCE_S): Promise<Verified | undefined> {
    try {
      const requirements = { ...this.#requirements(), clockTolerance: toleranceS };
      const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => this.#keyOf(kid), requirements);
      const { sub, sid, roles, auth_time: authTime, exp } = Claims.parse(payload);
      const bearer = { userId: sub, sessionId: sid, roles, authTime };
      return { bearer, kid: protectedHeader.kid ?? '', until: exp };
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  async #keyOf(kid: string | undefined) {
    const key = kid === undefined ? undefined : await this.#keys.find(kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  }

  #requirements(): JWTVerifyOptions {
    return {
      algorithms: ['EdDSA'],
      issuer: this.#issuer,
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ['exp', 'nbf'],
      maxTokenAge: ACCESS_TOKEN_S,
      currentDate: new Date(this.#now()),
    };
  }
}
