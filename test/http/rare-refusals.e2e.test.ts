// Refusals that routes list and that no other HTTP test receives.
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { createDoctor, createInstitution, doctor, newEmail, numbered, successful } from './support/samples.js';
import { bearerHeader, PASSWORD, signedInUser } from './support/signing-in.js';
import { askForCode, codeIn, messagesTo, newPhone } from './support/signing-up.js';

const server = serverOfThisFile({ RATE_LIMITS: '1', TRUSTED_PROXIES: 'loopback' });
const CODES_OF_ADDRESS = 30;

describe('a profile', () => {
  it('of the last administrator cannot be rejected', async () => {
    const { id, profiles } = await createDoctor(server, doctor({ profiles: [{ type: 'ADMINISTRATOR' }] }));
    const path = `/users/${id}/profiles/${first(profiles).id}`;
    successful(await server.patch(`${path}/approve`, {}));
    expectProblem(await server.patch(`${path}/reject`, {}), 409, 'last-administrator');
  });

  it('cannot be rejected by its own user', async () => {
    const { user, token } = await signedInUser(server);
    const path = `/users/${user.id}/profiles/${first(user.profiles).id}/reject`;
    expectProblem(await server.patch(path, {}, bearerHeader(token)), 403, 'own-profile');
  });
});

describe('an erased user', () => {
  it('cannot be attached to a unity', async () => {
    const { id: userId } = await createDoctor(server);
    successful(await server.send('DELETE', `/users/${userId}/personal-data`));
    const { id, unities } = await createInstitution(server, { unities: [{ name: 'Ward' }] });
    const response = await server.post(`/institutions/${id}/unities/${first(unities).id}/users`, { userId });
    expectProblem(response, 410, 'user-erased');
  });
});

describe('the code of a new e-mail address', () => {
  it('cannot be redeemed by guessing the password', async () => {
    const { id } = await createDoctor(server, doctor({ auth: { email: newEmail(), password: PASSWORD } }));
    const email = newEmail();
    successful(await server.put(`/users/${id}`, { email }));
    const [message] = await messagesTo(server, email);
    const code = message === undefined ? '' : codeIn(message);
    const guess = () => server.post('/auth-service/activate', { ownerRef: id, code, password: 'a guess' });
    for (const _ of numbered(5, (n) => n)) expectProblem(await guess(), 403, 'current-password-refused');
    await eventually(async () => expectProblem(await guess(), 429, 'too-many-failures'));
  });
});

describe('requests for codes', () => {
  it('are refused above the quota of an address, regardless of their purpose', async () => {
    const { user, token } = await signedInUser(server);
    const headers = { 'X-Forwarded-For': '198.18.255.1' };
    const forEmail = () => server.post('/auth-service/password/reset-code', { email: newEmail() }, headers);
    for (const _ of numbered(CODES_OF_ADDRESS, (n) => n)) expect((await forEmail()).status).toBe(200);
    expectProblem(await forEmail(), 429, 'too-many-codes');
    expectProblem(await askForCode(server, user.id, '', headers), 429, 'too-many-codes');
    const phone = { dialingCode: '55', phone: newPhone().phone };
    const changed = await server.post('/auth-service/change-phone', phone, { ...headers, ...bearerHeader(token) });
    expectProblem(changed, 429, 'too-many-codes');
  });
});
