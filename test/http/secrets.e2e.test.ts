// ACTIVATION=required behind https, and where the secrets of sign-ups, sign-ins, codes and password changes are stored.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canaries, foundIn, newCanaries } from '../support/canaries.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { messagesIn } from '../support/outbox.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';
import { expectProblem, type ProblemDocument } from './support/refusals.js';
import { createDoctor, newEmail, successful } from './support/samples.js';
import { bearerHeader, cookiesOf, PASSWORD, refresh, trySignIn } from './support/signing-in.js';
import {
  activate,
  askForCode,
  CREATED,
  codeIn,
  newcomer,
  newPhone,
  signUp,
  trySignUp,
  wrongCodeFor,
} from './support/signing-up.js';

const directory = temporaryDirectory();
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ACCOUNT = 'firebase-adminsdk@example.iam.gserviceaccount.com';
const GOOGLE_APPLICATION_CREDENTIALS = join(temporaryDirectory(), 'account.json');
const pem = `${privateKey.export({ format: 'pem', type: 'pkcs8' })}`;
writeFileSync(GOOGLE_APPLICATION_CREDENTIALS, JSON.stringify({ client_email: ACCOUNT, private_key: pem }));
const PUBLIC_URL = 'https://protocols.example.org';
// With every line of the log.
const environment = { PUBLIC_URL, GOOGLE_APPLICATION_CREDENTIALS, LOG_LEVEL: 'trace' };
const server = new Server(directory, { ...environment, ACTIVATION: 'required' });
beforeAll(() => server.start());
afterAll(() => server.stop());

/** Resolves to the code of the only message to a contact that is not in `before`. */
const codeFor = (contact: string, before: readonly string[] = []): Promise<string> =>
  eventually(async () => {
    const sent = messagesIn(directory).filter(
      ({ id, to, subject }) => to === contact && subject !== CREATED && !before.includes(id),
    );
    const [message, ...others] = sent;
    if (message === undefined || others.length > 0) throw new Error(`${contact} did not get one message`);
    return codeIn(message);
  });

describe('with ACTIVATION=required', () => {
  it('a user cannot sign in before activation, and learns the reason only with the right password', async () => {
    const { id, email } = await signUp(server);
    const refused = expectProblem(await trySignIn(server, email), 403, 'activation-required');
    expect((refused as ProblemDocument & { ownerRef: string }).ownerRef).toBe(id);
    expectProblem(await trySignIn(server, email, 'wrong'), 401, 'sign-in-refused');
    await eventually(async () =>
      expect(recordedIn(directory, `securityLog-${id}`).map(({ data }) => data)).toEqual([
        { reason: 'activation-required' },
        { reason: 'wrong-password' },
      ]),
    );
    successful(await activate(server, id, await codeFor(email)));
    expect((await trySignIn(server, email)).status).toBe(200);
  });

  it('a doctor whom an administrator created activates with a requested code', async () => {
    const email = newEmail();
    const { id } = await createDoctor(server, { auth: { email, password: PASSWORD } });
    expectProblem(await trySignIn(server, email), 403, 'activation-required');
    successful(await askForCode(server, id));
    successful(await activate(server, id, await codeFor(email)));
    expect((await trySignIn(server, email)).status).toBe(200);
  });

  it('the reset of a password activates the user', async () => {
    const email = newEmail();
    await createDoctor(server, { auth: { email, password: PASSWORD } });
    successful(await server.post('/auth-service/password/reset-code', { email }));
    const newPassword = `new ${PASSWORD}`;
    const sent = { email, code: await codeFor(email), newPassword };
    expect((await server.post('/auth-service/password/reset', sent)).status).toBe(204);
    expect((await trySignIn(server, email, newPassword)).status).toBe(200);
  });
});

/**
 * Takes a user with these values through every kind of request. Resolves to the passwords, codes and phone that it
 * used.
 */
const useEverySecret = async ({
  email,
  phone,
  ...person
}: Pick<Canaries, 'firstName' | 'lastName' | 'document' | 'birthDate' | 'phone' | 'email'>) => {
  const [password, changed, reset, wrong] = [1, 2, 3, 4].map(() => `canary ${randomUUID()}`);
  const sent = newcomer({ ...person, phone, dialingCode: '55', auth: { email, password: `${password}` } });
  const { body: user } = successful(await trySignUp(server, sent, { 'Idempotency-Key': randomUUID() }));
  expect((await trySignUp(server, sent)).status).toBe(409);
  await server.post('/auth-service/signup-model', sent);
  const activation = await codeFor(email);
  await activate(server, user.id, wrongCodeFor(activation));
  successful(await activate(server, user.id, activation, { 'Idempotency-Key': randomUUID() }));
  const session = successful(await trySignIn(server, email, password)).body;
  const renewed = successful(await refresh(server, session.refreshToken)).body;
  const data = { refresh_token: renewed.refreshToken };
  const update = { url: 'auth-service/refresh-token', data };
  const key = { 'Idempotency-Key': 'canary' };
  const kept = await server.post<{ refreshToken: string }>('/api/update-token', update, key);
  await trySignIn(server, email, wrong, key);
  await server.post('/auth-service/auth', { email, password: [wrong] });
  await server.get('/auth-service/sessions', bearerHeader(`${renewed.token}x`));
  const tokens = [session.token, session.refreshToken, session.authToken, renewed.token, renewed.refreshToken];

  const changedPhone = newPhone();
  const wanted = { dialingCode: '55', phone: changedPhone.phone };
  successful(await server.post('/auth-service/change-phone', wanted, bearerHeader(session.token)));
  const change = await codeFor(changedPhone.number);
  successful(await activate(server, user.id, change));

  const put = (currentPassword: unknown, newPassword: unknown) =>
    server.put('/auth-service/password', { currentPassword, newPassword }, bearerHeader(session.token));
  expect([(await put(wrong, changed)).status, (await put(password, changed)).status]).toEqual([403, 204]);
  const before = messagesIn(directory).map(({ id }) => id);
  successful(await server.post('/auth-service/password/reset-code', { email }));
  const code = await codeFor(email, before);
  const resetting = { email, code, newPassword: reset };
  expect((await server.post('/auth-service/password/reset', { ...resetting, newPassword: [wrong] })).status).toBe(400);
  expect((await server.post('/auth-service/password/reset', resetting)).status).toBe(204);
  expect((await trySignIn(server, email, reset)).status).toBe(200);
  const secrets = [password, changed, reset, wrong, ...tokens, kept.body.refreshToken, pem.slice(100, 160)].map(String);
  return { secrets, codes: [activation, change, code], changedPhone };
};

describe('behind https', () => {
  it('the issuer of tokens is the public URL, the service account signs the authToken, and cookies are Secure', async () => {
    const user = await signUp(server);
    successful(await activate(server, user.id, await codeFor(user.email)));
    const { token, refreshToken, authToken } = successful(await trySignIn(server, user.email)).body;
    expect([decodeJwt(token).iss, decodeProtectedHeader(authToken).alg]).toEqual([PUBLIC_URL, 'RS256']);
    const { payload } = await jwtVerify(authToken, publicKey, { issuer: ACCOUNT, subject: ACCOUNT });
    expect(payload['uid']).toBe(user.id);
    const data = { user_id: user.id, token, refresh_token: refreshToken };
    const stored = await server.post('/api/update-token', { data });
    const signedOut = await server.post('/api/sign-out', undefined, { 'Sec-Fetch-Site': 'same-origin' });
    for (const cookies of [cookiesOf(stored), cookiesOf(signedOut)]) {
      expect([...cookies.keys()]).toEqual(['TOKEN', 'REFRESH_TOKEN', 'USER_ID']);
      for (const written of cookies.values()) expect(written).toContain('Secure');
    }
  });

  it('a session and its access token stay valid after a crash', async () => {
    const user = await signUp(server);
    successful(await activate(server, user.id, await codeFor(user.email)));
    const { token, refreshToken } = successful(await trySignIn(server, user.email)).body;
    await server.kill();
    await server.start();
    expect((await server.get('/auth-service/sessions', bearerHeader(token))).status).toBe(200);
    expect((await refresh(server, refreshToken)).status).toBe(200);
  });
});

interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Stops the server. Resolves to its files, its log and its metrics. */
const allPlaces = async (): Promise<readonly Place[]> => {
  const metrics = (await server.get<string>('/metrics')).body;
  await server.stop();
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => ({ name, bytes: readFileSync(join(directory, name)) }));
  const output = { log: JSON.stringify(server.log), metrics };
  return [...files, ...Object.entries(output).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))];
};

/** Searches for a code that is not part of a longer number or id, because six digits also occur inside those. */
const holdsCode = ({ bytes }: Place, code: string) =>
  new RegExp(`(?<![0-9A-Za-z.])${code}(?![0-9A-Za-z])`).test(bytes.toString('latin1'));

describe('a secret', () => {
  it('is in no file, log line or metric, except codes in the outbox', async () => {
    const { firstName, lastName, document, birthDate, phone, email } = newCanaries();
    const person = { firstName, lastName, document, birthDate, phone, email };
    const { secrets, codes, changedPhone } = await useEverySecret(person);
    const places = await allPlaces();
    const names = places.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['vault.sqlite', 'facts.sqlite', 'views.sqlite', 'work.sqlite']));
    const placesWith = (holds: (place: Place) => boolean) => places.filter(holds).map(({ name }) => name.split('/')[0]);
    for (const secret of secrets.flatMap((each) => [each, each.slice(-40)]))
      expect(placesWith(({ bytes }) => bytes.includes(secret))).toEqual([]);
    for (const code of codes) expect(placesWith((place) => holdsCode(place, code))).toEqual(['outbox']);
    // The facts, the work and the log do not identify the person.
    const canaries = { ...newCanaries(), ...person, reasons: [changedPhone.phone, changedPhone.number] };
    const impersonal = places.filter(({ name }) => /^(facts|work)\.sqlite|^log$/.test(name));
    for (const { name, bytes } of impersonal) expect([name, foundIn(bytes, canaries)]).toEqual([name, []]);
    await server.start();
  });
});
