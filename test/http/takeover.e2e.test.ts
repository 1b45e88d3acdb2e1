// Account takeover: an administrator, the thief of a token or a new user cannot act as another user through an e-mail.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { newEmail, successful, type User } from './support/samples.js';
import { bearerHeader, PASSWORD, signIn, trySignIn } from './support/signing-in.js';
import { codeFor, codeIn, messagesTo, newcomer, signUp, trySignUp, wrongCodeFor } from './support/signing-up.js';

const server = serverOfThisFile({ AUTH: 'required' });
let mallory: Caller;
beforeAll(async () => {
  mallory = await newAdministrator(server);
});

const put = (caller: Pick<Caller, 'authorization'>, { id }: Pick<User, 'id'>, changes: object) =>
  server.put<User>(`/users/${id}`, changes, caller.authorization);
const confirm = (ownerRef: string, code: string, password?: string) =>
  server.post<User>('/auth-service/activate', { ownerRef, code, password });
const askForReset = (email: string) => server.post('/auth-service/password/reset-code', { email });
const reset = (email: string, code: string, newPassword: string) =>
  server.post('/auth-service/password/reset', { email, code, newPassword });

describe('an administrator who changes the e-mail of somebody else', () => {
  it('gets the new e-mail in the response, as the contract says', async () => {
    const bea = await newCaller(server, mallory, { type: 'ADMINISTRATOR' });
    const email = newEmail();
    const { body } = successful(await put(mallory, bea.user, { email }));
    expect(body).toMatchObject({ email, auth: [{ email: bea.email }] });
    expect((await server.get<User>(`/users/${bea.user.id}`, mallory.authorization)).body).toEqual(body);
  });

  it('cannot sign in as that person', async () => {
    const bea = await newCaller(server, mallory, { type: 'ADMINISTRATOR' });
    const email = newEmail();
    successful(await put(mallory, bea.user, { email }));
    expectProblem(await trySignIn(server, email), 401, 'sign-in-refused');
    successful(await askForReset(email));
    expect((await trySignIn(server, bea.email)).status).toBe(200);
    const [confirming] = await messagesTo(server, email);
    const code = confirming === undefined ? '' : codeIn(confirming);
    expectProblem(await reset(email, code, 'a password of Mallory'), 400, 'code-refused');
    for (const _ of [1, 2, 3, 4, 5, 6]) expectProblem(await confirm(bea.user.id, code), 400, 'code-refused');
    expectProblem(await confirm(bea.user.id, code, 'a guess of Mallory'), 403, 'current-password-refused');
  });

  it('does not keep that person from resetting the password with the confirmed address', async () => {
    const bea = await newCaller(server, mallory, { type: 'NURSE' });
    successful(await put(mallory, bea.user, { email: newEmail() }));
    successful(await askForReset(bea.email));
    const codes = (await messagesTo(server, bea.email, 2)).map(codeIn).filter((code) => code !== 'none');
    expect(codes).toHaveLength(1);
    expect((await reset(bea.email, `${codes[0]}`, 'a new staple')).status).toBe(204);
  });

  it('causes a notification to the confirmed address', async () => {
    const bea = await newCaller(server, mallory, { type: 'NURSE' });
    successful(await put(mallory, bea.user, { email: newEmail() }));
    const [notification] = await messagesTo(server, bea.email);
    expect(notification?.text).not.toMatch(/\d{6}/);
  });
});

describe('a new e-mail address', () => {
  it('becomes the sign-in address when the user sends its code and the password', async () => {
    const { user, email, token } = await withSession();
    const next = newEmail();
    successful(await put({ authorization: bearerHeader(token) }, user, { email: next }));
    const { body } = successful(await confirm(user.id, await codeFor(server, next), PASSWORD));
    expect(body).toMatchObject({ email: next, auth: [{ email: next }] });
    expect((await trySignIn(server, next)).status).toBe(200);
    expectProblem(await trySignIn(server, email), 401, 'sign-in-refused');
    expect((await trySignUp(server, newcomer({ auth: { email, password: PASSWORD, type: 'USERPASS' } }))).status).toBe(
      201,
    );
  });

  it('gets no second message if a request repeats the contact address', async () => {
    const { user, token } = await withSession();
    const next = newEmail();
    for (const _ of [1, 2])
      successful(await put({ authorization: bearerHeader(token) }, user, { email: next.toUpperCase() }));
    successful(await put({ authorization: bearerHeader(token) }, user, { email: next }));
    await messagesTo(server, next.toUpperCase());
    expect(server.outbox().filter(({ to }) => to === next)).toEqual([]);
  });

  it('can still be confirmed by the user after others, who do not know the password, have guessed its code', async () => {
    const { user, token } = await withSession();
    const next = newEmail();
    successful(await put({ authorization: bearerHeader(token) }, user, { email: next }));
    const code = await codeFor(server, next);
    for (const guess of [code, ...Array.from({ length: 5 }, () => wrongCodeFor(code))]) {
      expectProblem(await confirm(user.id, guess), 400, 'code-refused');
    }
    expect((await confirm(user.id, code, PASSWORD)).body).toMatchObject({ auth: [{ email: next }] });
  });

  it('is 409 in the request and in the confirmation if another user signs in with it', async () => {
    const { user, token } = await withSession();
    const other = await signUp(server);
    const response = await put({ authorization: bearerHeader(token) }, user, { email: other.email });
    expect(expectProblem(response, 409, 'user-taken')).toMatchObject({
      errors: [{ pointer: '/email', code: 'taken' }],
    });
    const next = newEmail();
    successful(await put({ authorization: bearerHeader(token) }, user, { email: next }));
    const code = await codeFor(server, next);
    await signUp(server, { auth: { email: next, password: PASSWORD, type: 'USERPASS' } });
    expectProblem(await confirm(user.id, code, PASSWORD), 409, 'user-taken');
  });
});

describe('a user whose account an administrator created', () => {
  it('receives a message with a code to set their password', async () => {
    const email = newEmail();
    const created = { firstName: 'Bea', lastName: 'Lima', document: email, profiles: [{}] };
    const { body } = successful(
      await server.post<User>(
        '/users/doctor',
        { ...created, auth: { email, password: PASSWORD } },
        mallory.authorization,
      ),
    );
    const message = await createdMessageTo(email);
    expect((await reset(email, codeIn(message), 'a password of Bea')).status).toBe(204);
    expectProblem(await trySignIn(server, email), 401, 'sign-in-refused');
    expect((await trySignIn(server, email, 'a password of Bea')).status).toBe(200);
    expect(body.email).toBe(email);
  });
});

const withSession = async () => {
  const user = await signUp(server);
  await codeFor(server, user.email);
  const { token } = await signIn(server, user.email);
  return { user, email: user.email, token };
};

const createdMessageTo = (email: string) =>
  eventually(() => {
    const message = server.outbox().find(({ to, subject }) => to === email && subject === 'Sua conta foi criada');
    if (message === undefined) throw new Error(`no message to ${email}`);
    return message;
  });
