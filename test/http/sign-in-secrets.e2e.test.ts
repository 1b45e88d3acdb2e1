// Only the client has the secrets of a sign-in: they are not in logs, facts, views or metrics, nor plain in the vault.
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';
import { successful } from './samples.js';
import { bearerHeader, cookiesOf, newUser, PASSWORD, refresh, signIn, trySignIn } from './signing-in.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const EMAIL = 'firebase-adminsdk@example.iam.gserviceaccount.com';
const [directory, credentials] = [temporaryDirectory(), temporaryDirectory()];
const GOOGLE_APPLICATION_CREDENTIALS = join(credentials, 'account.json');
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
writeFileSync(GOOGLE_APPLICATION_CREDENTIALS, JSON.stringify({ client_email: EMAIL, private_key: pem }));
// Behind https, with a service account and with every line of the log.
const PUBLIC_URL = 'https://protocols.example.org';
const server = new Server(directory, { PUBLIC_URL, GOOGLE_APPLICATION_CREDENTIALS, LOG_LEVEL: 'trace' });
beforeAll(() => server.start());
afterAll(() => server.stop());

describe('behind https', () => {
  it('the issuer of tokens is the public URL, and cookies are Secure', async () => {
    const { user, email } = await newUser(server);
    const { token, refreshToken } = await signIn(server, email);
    expect(decodeJwt(token).iss).toBe(PUBLIC_URL);
    const response = await server.post('/api/update-token', {
      data: { user_id: user.id, token, refresh_token: refreshToken },
    });
    const signedOut = await server.post('/api/sign-out', undefined, { 'Sec-Fetch-Site': 'same-origin' });
    for (const cookies of [cookiesOf(response), cookiesOf(signedOut)]) {
      expect([...cookies.keys()]).toEqual(['TOKEN', 'REFRESH_TOKEN', 'USER_ID']);
      for (const written of cookies.values()) expect(written).toContain('Secure');
    }
  });

  it('authToken is signed by the service account', async () => {
    const { user, email } = await newUser(server);
    const { authToken } = await signIn(server, email);
    expect(decodeProtectedHeader(authToken).alg).toBe('RS256');
    const { payload } = await jwtVerify(authToken, publicKey, { issuer: EMAIL, subject: EMAIL });
    expect(payload['uid']).toBe(user.id);
  });
});

describe('a secret of a sign-in', () => {
  it('is in no file, log line or metric', async () => {
    const { email } = await newUser(server);
    const wrong = 'a wrong password of a canary';
    await trySignIn(server, email, wrong);
    const first = await signIn(server, email);
    const second = successful(await refresh(server, first.refreshToken)).body;
    await server.post('/auth-service/auth', { email, password: [wrong] });
    await server.get('/auth-service/sessions', bearerHeader(`${second.token}x`));
    const { body: kept } = await server.post<{ refreshToken: string }>(
      '/api/update-token',
      { url: 'auth-service/refresh-token', data: { refresh_token: second.refreshToken } },
      { 'Idempotency-Key': 'canary' },
    );
    await server.post('/auth-service/auth', { email, password: PASSWORD }, { 'Idempotency-Key': 'canary' });
    const metrics = (await server.get<string>('/metrics')).body;
    await server.stop();
    // Without the outbox, which stands in for the mail server and therefore has codes in plain text.
    const files = readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => ({ name, bytes: readFileSync(join(directory, name)) }));
    const all = [
      ...files,
      { name: 'log', bytes: Buffer.from(JSON.stringify(server.log)) },
      { name: 'metrics', bytes: Buffer.from(metrics) },
    ];
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['vault.sqlite', 'facts.sqlite', 'views.sqlite']),
    );
    const tokens = [
      first.token,
      first.refreshToken,
      first.authToken,
      second.token,
      second.refreshToken,
      kept.refreshToken,
    ];
    const secrets = [PASSWORD, wrong, ...tokens, ...tokens.map((token) => token.slice(-40)), pem.slice(100, 160)];
    for (const secret of secrets) {
      expect(all.filter(({ bytes }) => bytes.includes(secret)).map(({ name }) => name)).toEqual([]);
    }
    await server.start();
  });
});

describe('a session', () => {
  it('and its access token stay valid after a crash', async () => {
    const { email } = await newUser(server);
    const { token, refreshToken } = await signIn(server, email);
    await server.kill();
    await server.start();
    expect((await server.get('/auth-service/sessions', bearerHeader(token))).status).toBe(200);
    expect((await refresh(server, refreshToken)).status).toBe(200);
  });
});
