import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { AccessTokens } from '../../../src/auth/tokens/access-tokens.js';
import { customTokens, parseServiceAccount, type ServiceAccount } from '../../../src/auth/tokens/custom-tokens.js';
import { SigningKeys } from '../../../src/auth/tokens/signing-keys.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { uuidOf } from '../../support/specification.js';
import { aKey } from '../support/auth-harness.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const EMAIL = 'firebase-adminsdk@example.iam.gserviceaccount.com';
const AUDIENCE = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
const account = {
  type: 'service_account',
  project_id: 'example',
  private_key_id: 'abc',
  private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
  client_email: EMAIL,
};
const newKeys = () => new SigningKeys(new MemoryVault(), aKey());

describe('a custom token', () => {
  it('has the same fields as a token of the Firebase Admin SDK', async () => {
    const issue = customTokens(parseServiceAccount(JSON.stringify(account)) as ServiceAccount, newKeys(), 'not used');
    const token = await issue(uuidOf(1));
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'JWT' });
    const claims = decodeJwt(token);
    const { iat = 0 } = claims;
    expect(claims).toEqual({ iss: EMAIL, sub: EMAIL, aud: AUDIENCE, uid: uuidOf(1), iat, exp: iat + 3_600 });
    expect(Math.abs(iat * 1_000 - Date.now())).toBeLessThan(60_000);
    await jwtVerify(token, publicKey, { algorithms: ['RS256'] });
  });

  it('is signed by the service if there is no service account, and is not an access token', async () => {
    const keys = newKeys();
    const token = await customTokens(undefined, keys, 'https://protocols.example.org')(uuidOf(1));
    const { kid } = await keys.current();
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid });
    expect(decodeJwt(token)).toMatchObject({
      iss: 'https://protocols.example.org',
      sub: 'https://protocols.example.org',
      aud: AUDIENCE,
      uid: uuidOf(1),
    });
    const tokens = new AccessTokens(keys, 'https://protocols.example.org');
    expect(await tokens.verify(token)).toBeUndefined();
  });
});

describe('a service account', () => {
  const { privateKey: ed } = generateKeyPairSync('ed25519');
  it.each([
    ['invalid JSON', 'x'],
    ['null', 'null'],
    ['no e-mail address', JSON.stringify({ ...account, client_email: undefined })],
    ['no key', JSON.stringify({ ...account, private_key: undefined })],
    [
      'a broken key',
      JSON.stringify({ ...account, private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }),
    ],
    ['a key of another kind', JSON.stringify({ ...account, private_key: ed.export({ format: 'pem', type: 'pkcs8' }) })],
  ])('is invalid with %s', (_, text) => expect(parseServiceAccount(text)).toBeUndefined());
});
