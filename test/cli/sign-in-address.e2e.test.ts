// The operator sets a new sign-in address for a person who lost both the mailbox and the password.
import { describe, expect, it } from 'vitest';
import { expectProblem } from '../http/support/refusals.js';
import { newEmail, successful, type User } from '../http/support/samples.js';
import { bearerHeader, signedInUser, trySignIn } from '../http/support/signing-in.js';
import { codeFor } from '../http/support/signing-up.js';
import { eventually } from '../support/eventually.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';

const server = embeddedServiceOfThisFile();
const set = (user: string, email: string, operator = 'Rui Alves') =>
  server.runCli(['sign-in-address', 'set', '--user', user, '--email', email, '--operator', operator]);

describe('sign-in-address set', () => {
  it('changes the sign-in address, ends the sessions and records the operator', async () => {
    const { user, email, token } = await signedInUser(server);
    const next = newEmail();
    expect(await set(user.id, next)).toMatchObject({ code: 0, err: '' });
    expectProblem(await trySignIn(server, email), 401, 'sign-in-refused');
    await eventually(async () =>
      expect((await server.get('/auth-service/sessions', bearerHeader(token))).status).toBe(401),
    );
    successful(await server.post('/auth-service/password/reset-code', { email: next }));
    const reset = { email: next, code: await codeFor(server, next), newPassword: 'a password of my own' };
    expect((await server.post('/auth-service/password/reset', reset)).status).toBe(204);
    expect((await trySignIn(server, next, reset.newPassword)).status).toBe(200);
    expect((await server.get<User>(`/users/${user.id}`)).body).toMatchObject({ email: next, auth: [{ email: next }] });
    const history = await server.get<{ items: { type: string; data: unknown }[] }>(
      `/audit/events?stream=user-${user.id}&type=UserSignInEmailChanged`,
    );
    expect(history.body.items).toMatchObject([{ data: { email: next, by: 'operator', operator: 'Rui Alves' } }]);
  });

  it('does not accept the address of another user', async () => {
    const [{ user }, other] = [await signedInUser(server), await signedInUser(server)];
    expect(await set(user.id, other.email)).toMatchObject({ code: 1, err: expect.stringContaining('user-taken') });
  });

  it.each([
    ['not an id', newEmail(), 'Rui', '--user'],
    ['01a1ff29-c2dd-7067-a089-49af938c8fea', 'no address', 'Rui', '--email'],
    ['01a1ff29-c2dd-7067-a089-49af938c8fea', newEmail(), ' ', '--operator'],
    ['01a1ff29-c2dd-7067-a089-49af938c8fea', newEmail(), 'Rui', 'There is no such user'],
  ])('explains what is wrong: %s, %s, %s', async (user, email, operator, expected) => {
    expect(await set(user, email, operator)).toMatchObject({ code: 1, err: expect.stringContaining(expected) });
  });
});
