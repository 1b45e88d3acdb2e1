import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { AccessTokens } from '../../../src/auth/tokens/access-tokens.js';
import { SigningKeys } from '../../../src/auth/tokens/signing-keys.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { uuidOf } from '../../support/specification.js';
import { aKey, Clock, switchable } from '../support/auth-harness.js';

const bearer = { userId: uuidOf(1), sessionId: uuidOf(2), roles: ['NURSE'], authTime: 1_700_000_000 };
const MINUTE_MS = 60_000;

/** Returns the tokens and keys of two processes on one vault and one clock. */
const setUp = () => {
  const vault = new MemoryVault();
  const clock = new Clock();
  const { store: through, setUnavailable } = switchable(vault);
  const process = (of = through) => {
    const keys = new SigningKeys(of, aKey(), clock.now);
    return { keys, tokens: new AccessTokens(keys, 'clinical-protocols', clock.now) };
  };
  return { ...process(), elsewhere: process(vault), vault, clock, setUnavailable, process };
};
const partsOf = (token: string) =>
  token.split('.').map((part, n) => (n < 2 ? JSON.parse(Buffer.from(part, 'base64url').toString()) : part));
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token', () => {
  it('names the user, the session, the roles and the id of its key, and is valid for 15 minutes', async () => {
    const { tokens, keys, clock } = setUp();
    const [header, claims] = partsOf(await tokens.issue(bearer));
    const now = Math.floor(clock.now() / 1_000);
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: (await keys.current()).kid });
    expect(claims).toEqual({
      iss: 'clinical-protocols',
      aud: 'clinical-protocols',
      sub: bearer.userId,
      sid: bearer.sessionId,
      roles: ['NURSE'],
      auth_time: bearer.authTime,
      jti: expect.any(String),
      iat: now,
      nbf: now,
      exp: now + 900,
    });
  });

  it('is accepted by every process until it expires, with a tolerance of 5 seconds between clocks', async () => {
    const { tokens, elsewhere, clock } = setUp();
    clock.pass(1_000 - (clock.now() % 1_000));
    const token = await tokens.issue(bearer);
    for (const each of [tokens, elsewhere.tokens]) expect(await each.verify(token)).toEqual(bearer);
    clock.pass(15 * MINUTE_MS + 4_999);
    for (const each of [tokens, elsewhere.tokens]) expect(await each.verify(token)).toEqual(bearer);
    clock.pass(1);
    for (const each of [tokens, elsewhere.tokens]) expect(await each.verify(token)).toBeUndefined();
  });

  it('that was verified before may have expired since, if its caller allows that, whatever became of its key', async () => {
    const { tokens, keys, elsewhere, clock } = setUp();
    const token = await tokens.issue(bearer);
    expect(await tokens.verify(token, 0, true)).toEqual(bearer);
    clock.pass(15 * MINUTE_MS + 5_000);
    expect(await tokens.verify(token, 0, true)).toEqual(bearer);
    await keys.revoke((await keys.current()).kid);
    expect(await tokens.verify(token, 0, true)).toEqual(bearer);
    expect(await tokens.verify(token, 0)).toBeUndefined();
    expect(await elsewhere.tokens.verify(token, 0, true)).toBeUndefined();
  });

  it('is refused before it becomes valid, and accepted afterwards', async () => {
    const { tokens, elsewhere, clock } = setUp();
    clock.pass(1_000 - (clock.now() % 1_000) + 6_000);
    const token = await tokens.issue(bearer);
    clock.pass(-6_000);
    expect(await elsewhere.tokens.verify(token)).toBeUndefined();
    clock.pass(1_000);
    expect(await elsewhere.tokens.verify(token)).toEqual(bearer);
  });

  it('that was verified once needs no vault', async () => {
    const { tokens, setUnavailable } = setUp();
    const token = await tokens.issue(bearer);
    expect(await tokens.verify(token)).toEqual(bearer);
    setUnavailable(true);
    expect(await tokens.verify(token)).toEqual(bearer);
  });

  it('with an unknown key is not judged invalid while the vault is unavailable', async () => {
    const { tokens, elsewhere, setUnavailable } = setUp();
    const token = await elsewhere.tokens.issue(bearer);
    setUnavailable(true);
    await expect(tokens.verify(token)).rejects.toBeInstanceOf(StoreUnavailable);
    setUnavailable(false);
    expect(await tokens.verify(token)).toEqual(bearer);
  });
});

describe('an invalid token', () => {
  const { privateKey: anotherKey } = generateKeyPairSync('ed25519');
  const { privateKey: rsaKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const all = async () => {
    const { tokens, keys, clock } = setUp();
    const good = await tokens.issue(bearer);
    const [header, claims, signature] = partsOf(good);
    const { kid, privateKey } = await keys.current();
    const signed = (changed: object, changedHeader: object = {}, key = privateKey) =>
      new SignJWT({ ...claims, ...changed }).setProtectedHeader({ ...header, ...changedHeader }).sign(key);
    const now = Math.floor(clock.now() / 1_000);
    const bad: Readonly<Record<string, string>> = {
      'alg none': `${encoded({ alg: 'none', typ: 'at+jwt', kid })}.${encoded(claims)}.`,
      'alg none in other letters': `${encoded({ alg: 'nOnE', typ: 'at+jwt', kid })}.${encoded(claims)}.`,
      'another algorithm': await signed({}, { alg: 'RS256' }, rsaKey),
      'a MAC under the public key': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .sign(Buffer.from((await keys.published())[0]?.x ?? '', 'base64url')),
      'another key': await signed({}, {}, anotherKey),
      'an unknown key': await signed({}, { kid: 'unknown' }),
      'no key id': await signed({}, { kid: undefined }),
      'a key of its own making': await signed(
        {},
        { kid: undefined, jwk: anotherKey.export({ format: 'jwk' }) },
        anotherKey,
      ),
      'another audience': await signed({ aud: 'somebody else' }),
      'no audience': await signed({ aud: undefined }),
      'another issuer': await signed({ iss: 'https://evil.example' }),
      'another type': await signed({}, { typ: 'JWT' }),
      expired: await signed({ iat: now - 1_000, nbf: now - 1_000, exp: now - 6 }),
      'not yet valid': await signed({ nbf: now + 6 }),
      'issued in the future': await signed({ iat: now + 6 }),
      'without an end': await signed({ exp: undefined }),
      'without a beginning': await signed({ nbf: undefined }),
      'longer than any token of the service': await signed({ roles: Array.from({ length: 600 }, () => 'NURSE') }),
      'valid for longer than the service issues': await signed({ iat: now - 906, exp: now + 86_400 }),
      'of no user': await signed({ sub: undefined }),
      'of no session': await signed({ sid: undefined }),
      'with other claims': `${encoded(header)}.${encoded({ ...claims, roles: ['ADMINISTRATOR'] })}.${signature}`,
      'without its signature': good.split('.').slice(0, 2).join('.'),
      'with an empty signature': `${good.split('.').slice(0, 2).join('.')}.`,
      'no token at all': 'nonsense',
      empty: '',
      'far too long': `${good}${'A'.repeat(1_000_000)}`,
    };
    return { tokens, good, bad };
  };

  it('is refused for a single fault, and accepted without it', async () => {
    const { tokens, good, bad } = await all();
    expect(await tokens.verify(good)).toEqual(bearer);
    for (const [fault, token] of Object.entries(bad)) {
      expect([fault, await tokens.verify(token)]).toEqual([fault, undefined]);
      // A refused token stays refused.
      expect([fault, await tokens.verify(token)]).toEqual([fault, undefined]);
    }
  });

  it('names its session if only its times are at fault, and is refused as before', async () => {
    const { tokens, good, bad } = await all();
    expect(await tokens.sessionIn(good)).toBe(bearer.sessionId);
    const ofTimes = ['expired', 'not yet valid', 'issued in the future', 'valid for longer than the service issues'];
    for (const [fault, token] of Object.entries(bad)) {
      const expected = ofTimes.includes(fault) ? bearer.sessionId : undefined;
      expect([fault, await tokens.sessionIn(token)]).toEqual([fault, expected]);
      expect([fault, await tokens.verify(token)]).toEqual([fault, undefined]);
    }
  });
});

describe('the signing keys', () => {
  it('are the same for all processes that start at the same time', async () => {
    const { process } = setUp();
    const kids = await Promise.all(
      Array.from({ length: 5 }, () =>
        process()
          .keys.current()
          .then(({ kid }) => kid),
      ),
    );
    expect(new Set(kids).size).toBe(1);
  });

  it('are published without their private parts, which the vault keeps encrypted', async () => {
    const { keys, vault } = setUp();
    const { kid, privateKey } = await keys.current();
    const [published] = await keys.published();
    const { x, d = '' } = privateKey.export({ format: 'jwk' });
    expect(published).toEqual({ kid, kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig' });
    expect(vault.written()).toContain(x);
    for (const form of [d, ...(['base64', 'hex'] as const).map((to) => Buffer.from(d, 'base64url').toString(to))]) {
      expect(vault.written()).not.toContain(form);
    }
  });

  it('rotate: the new key signs, every process follows, and no token becomes invalid', async () => {
    const { tokens, keys, elsewhere, clock } = setUp();
    const before = await tokens.issue(bearer);
    expect(await elsewhere.tokens.verify(before)).toEqual(bearer);
    const { current, verifying } = await keys.rotate();
    const after = await tokens.issue(bearer);
    expect(partsOf(after)[0].kid).toBe(current);
    expect(verifying).toEqual([partsOf(before)[0].kid]);
    // For a few seconds, a process that does not know the new key still signs with the old key.
    const late = await elsewhere.tokens.issue(bearer);
    expect(partsOf(late)[0].kid).toBe(verifying[0]);
    clock.pass(5_000);
    expect(await elsewhere.tokens.verify(after)).toEqual(bearer);
    expect(partsOf(await elsewhere.tokens.issue(bearer))[0].kid).toBe(current);
    for (const token of [before, late]) expect(await tokens.verify(token)).toEqual(bearer);
    expect((await elsewhere.keys.published()).map(({ kid }) => kid)).toEqual([current, ...verifying]);
  });

  it('are cached as objects, because creating one takes longer than verifying a known token', async () => {
    const { keys } = setUp();
    const { kid } = await keys.current();
    expect(await keys.find(kid)).toBe(await keys.find(kid));
  });

  it('verify only as long as their last token is valid', async () => {
    const { keys, clock } = setUp();
    const { kid: old } = await keys.current();
    const { current } = await keys.rotate();
    clock.pass(16 * MINUTE_MS);
    expect(await keys.find(old)).toBeDefined();
    clock.pass(MINUTE_MS);
    expect(await keys.find(old)).toBeUndefined();
    expect((await keys.published()).map(({ kid }) => kid)).toEqual([current]);
  });

  it('rotate concurrently without losing a key', async () => {
    const { keys, elsewhere } = setUp();
    await keys.current();
    await Promise.all([keys.rotate(), elsewhere.keys.rotate(), keys.rotate()]);
    expect(await elsewhere.keys.published()).toHaveLength(4);
  });

  it('that are unknown are looked up again, but not at every request', async () => {
    const vault = new MemoryVault();
    let looks = 0;
    const counting = new Proxy(vault, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name === 'get') looks += 1;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const keys = new SigningKeys(counting, aKey(), new Clock().now);
    await keys.current();
    const before = looks;
    await Promise.all(Array.from({ length: 50 }, (_, n) => keys.find(`unknown ${n}`)));
    expect(looks - before).toBeLessThanOrEqual(1);
  });
});

describe('a signing key that is revoked', () => {
  it('verifies no token: immediately in this process, within 5 seconds in others', async () => {
    const { tokens, keys, elsewhere, clock } = setUp();
    const token = await tokens.issue(bearer);
    for (const each of [tokens, elsewhere.tokens]) expect(await each.verify(token)).toEqual(bearer);
    expect(await keys.revoke((await keys.current()).kid)).toBe(true);
    expect(await tokens.verify(token)).toBeUndefined();
    expect(await tokens.verify(token, 0, true)).toBeUndefined();
    expect(await elsewhere.tokens.verify(token, 0)).toBeUndefined();
    clock.pass(5_000);
    expect(await elsewhere.tokens.verify(token)).toBeUndefined();
  });

  it('is replaced by a new key that signs', async () => {
    const { tokens, keys } = setUp();
    const { kid } = await keys.current();
    await keys.revoke(kid);
    expect((await keys.current()).kid).not.toBe(kid);
    expect((await keys.published()).map((key) => key.kid)).not.toContain(kid);
    expect(await tokens.verify(await tokens.issue(bearer))).toEqual(bearer);
  });

  it('is replaced by a new key that signs, and not by an older one that only verifies', async () => {
    const { tokens, keys } = setUp();
    const before = await tokens.issue(bearer);
    const { current, verifying } = await keys.rotate();
    await keys.revoke(current);
    const { kid } = await keys.current();
    expect([current, ...verifying]).not.toContain(kid);
    expect((await keys.published()).map((key) => key.kid)).toEqual([kid, ...verifying]);
    expect(await tokens.verify(before)).toEqual(bearer);
  });

  it('does not affect the other keys, and revoking an unknown key affects none', async () => {
    const { tokens, keys } = setUp();
    const { kid } = await keys.current();
    await keys.rotate();
    const token = await tokens.issue(bearer);
    expect(await keys.revoke('unknown')).toBe(false);
    expect(await keys.revoke(kid)).toBe(true);
    expect(await tokens.verify(token)).toEqual(bearer);
    expect(await keys.published()).toHaveLength(1);
  });
});
