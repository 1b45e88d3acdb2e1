// ACTIVATION=required; and no secret of a sign-up, a code or a change of password is anywhere but where it belongs.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canaries, foundIn, newCanaries } from '../support/canaries.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { messagesIn } from '../support/outbox.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';
import { expectProblem, type ProblemDocument } from './refusals.js';
import { createDoctor, newEmail, successful } from './samples.js';
import { bearing, PASSWORD, trySignIn } from './signing-in.js';
import {
  activate,
  askForCode,
  CREATED,
  codeIn,
  newcomer,
  newPhone,
  signUp,
  trySignUp,
  wrongFor,
} from './signing-up.js';

const directory = temporaryDirectory();
const server = new Server(directory, { ACTIVATION: 'required', LOG_LEVEL: 'trace' });
beforeAll(() => server.start());
afterAll(() => server.stop());

/** The code of the one message to a contact, beside those before it. */
const codeFor = (contact: string, before: readonly string[] = []): Promise<string> =>
  eventually(async () => {
    const sent = messagesIn(directory).filter(
      ({ id, to, subject }) => to === contact && subject !== CREATED && !before.includes(id),
    );
    const [message, ...others] = sent;
    if (message === undefined || others.length > 0) throw new Error(`${contact} did not get one message`);
    return codeIn(message);
  });

describe('where activation is required', () => {
  it('nobody signs in before it, and only the right password learns why', async () => {
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

  it('a doctor whom an administrator made asks for a code', async () => {
    const email = newEmail();
    const { id } = await createDoctor(server, { auth: { email, password: PASSWORD } });
    expectProblem(await trySignIn(server, email), 403, 'activation-required');
    successful(await askForCode(server, id));
    successful(await activate(server, id, await codeFor(email)));
    expect((await trySignIn(server, email)).status).toBe(200);
  });

  it('the reset of a password is one', async () => {
    const email = newEmail();
    await createDoctor(server, { auth: { email, password: PASSWORD } });
    successful(await server.post('/auth-service/password/reset-code', { email }));
    const newPassword = `new ${PASSWORD}`;
    const sent = { email, code: await codeFor(email), newPassword };
    expect((await server.post('/auth-service/password/reset', sent)).status).toBe(204);
    expect((await trySignIn(server, email, newPassword)).status).toBe(200);
  });
});

/** What the life of a person with these values leaves: passwords, codes and contacts that it went through. */
const lived = async ({
  email,
  phone,
  ...said
}: Pick<Canaries, 'firstName' | 'lastName' | 'document' | 'birthDate' | 'phone' | 'email'>) => {
  const [password, changed, reset, wrong] = [1, 2, 3, 4].map(() => `canary ${randomUUID()}`);
  const sent = newcomer({ ...said, phone, dialingCode: '55', auth: { email, password: `${password}` } });
  const { body: user } = successful(await trySignUp(server, sent, { 'Idempotency-Key': randomUUID() }));
  expect((await trySignUp(server, sent)).status).toBe(409);
  await server.post('/auth-service/signup-model', sent);
  const activation = await codeFor(email);
  await activate(server, user.id, wrongFor(activation));
  successful(await activate(server, user.id, activation, { 'Idempotency-Key': randomUUID() }));
  const session = successful(await trySignIn(server, email, password)).body;

  const moved = newPhone();
  const wanted = { dialingCode: '55', phone: moved.phone };
  successful(await server.post('/auth-service/change-phone', wanted, bearing(session.token)));
  const change = await codeFor(moved.number);
  successful(await activate(server, user.id, change));

  const put = (currentPassword: unknown, newPassword: unknown) =>
    server.put('/auth-service/password', { currentPassword, newPassword }, bearing(session.token));
  expect([(await put(wrong, changed)).status, (await put(password, changed)).status]).toEqual([403, 204]);
  const before = messagesIn(directory).map(({ id }) => id);
  successful(await server.post('/auth-service/password/reset-code', { email }));
  const code = await codeFor(email, before);
  const resetting = { email, code, newPassword: reset };
  expect((await server.post('/auth-service/password/reset', { ...resetting, newPassword: [wrong] })).status).toBe(400);
  expect((await server.post('/auth-service/password/reset', resetting)).status).toBe(204);
  expect((await trySignIn(server, email, reset)).status).toBe(200);
  return { passwords: [password, changed, reset, wrong].map(String), codes: [activation, change, code], moved };
};

interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** All that the server keeps and says, once it has stopped. */
const everywhere = async (): Promise<readonly Place[]> => {
  const metrics = (await server.get<string>('/metrics')).body;
  await server.stop();
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => ({ name, bytes: readFileSync(join(directory, name)) }));
  const said = { log: JSON.stringify(server.log), metrics };
  return [...files, ...Object.entries(said).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))];
};

/** A code has six digits, which many a number or an id holds: it is looked for where it stands by itself. */
const holdsCode = ({ bytes }: Place, code: string) =>
  new RegExp(`(?<![0-9A-Za-z.])${code}(?![0-9A-Za-z])`).test(bytes.toString('latin1'));

describe('a secret', () => {
  it('of signing up, of a code or of another password is in no file, no line of the log and no metric', async () => {
    const { firstName, lastName, document, birthDate, phone, email } = newCanaries();
    const person = { firstName, lastName, document, birthDate, phone, email };
    const { passwords, codes, moved } = await lived(person);
    const places = await everywhere();
    const names = places.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['vault.sqlite', 'facts.sqlite', 'views.sqlite', 'work.sqlite']));
    const having = (holds: (place: Place) => boolean) => places.filter(holds).map(({ name }) => name.split('/')[0]);
    for (const password of passwords) expect(having(({ bytes }) => bytes.includes(password))).toEqual([]);
    for (const code of codes) expect(having((place) => holdsCode(place, code))).toEqual(['outbox']);
    // Who somebody is, the facts, the work and the log do not tell.
    const canaries = { ...newCanaries(), ...person, reasons: [moved.phone, moved.number] };
    const silent = places.filter(({ name }) => /^(facts|work)\.sqlite|^log$/.test(name));
    for (const { name, bytes } of silent) expect([name, foundIn(bytes, canaries)]).toEqual([name, []]);
    await server.start();
  });
});
