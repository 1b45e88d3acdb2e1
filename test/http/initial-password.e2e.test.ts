// Passwords that an administrator chose, with INITIAL_PASSWORD=change.
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { bearerHeader, newUser, PASSWORD, trySignIn } from './support/signing-in.js';
import { codeIn, signUp } from './support/signing-up.js';

const server = serverOfThisFile({ INITIAL_PASSWORD: 'change' });
const OWN = 'a password of my own';

const codeFor = (email: string) =>
  eventually(() => {
    const message = server.outbox().find(({ to }) => to === email);
    if (message === undefined) throw new Error(`no message to ${email}`);
    return codeIn(message);
  });

it('the initial password works for one sign-in; then the user must reset it', async () => {
  const { email } = await newUser(server);
  expect((await trySignIn(server, email)).status).toBe(200);
  expectProblem(await trySignIn(server, email), 403, 'password-change-required');
  expectProblem(await trySignIn(server, email, 'wrong'), 401, 'sign-in-refused');
  const reset = { email, code: await codeFor(email), newPassword: OWN };
  expect((await server.post('/auth-service/password/reset', reset)).status).toBe(204);
  for (const _ of [1, 2]) expect((await trySignIn(server, email, OWN)).status).toBe(200);
});

it('the user can change the initial password in the session of the first sign-in', async () => {
  const { email } = await newUser(server);
  const { token } = (await trySignIn(server, email)).body;
  const body = { currentPassword: PASSWORD, newPassword: OWN };
  expect((await server.put('/auth-service/password', body, bearerHeader(token))).status).toBe(204);
  for (const _ of [1, 2]) expect((await trySignIn(server, email, OWN)).status).toBe(200);
});

it('a user who signed up can keep the password', async () => {
  const { email } = await signUp(server);
  for (const _ of [1, 2, 3]) expect((await trySignIn(server, email)).status).toBe(200);
});
