// What forms and address books send: empty fields, and phones with characters that nobody sees.
import { describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectRefused } from './support/refusals.js';
import { createDoctor, doctor, successful, type User, type UserProfile } from './support/samples.js';
import { bearerHeader, signedInUser } from './support/signing-in.js';
import {
  activate,
  codeFor,
  messagesTo,
  newcomer,
  newPhone,
  type SignUpModel,
  signUp,
  trySignUp,
} from './support/signing-up.js';

const server = sharedService();
const revise = (id: string, body: object) => server.put<User>(`/users/${id}`, body);

const given = { gender: 'FEMININE', birthDate: '1990-01-31', dialingCode: '55', phone: '11 91234-5678' } as const;
const empty = { gender: '', birthDate: '', dialingCode: '', phone: '' } as const;
const cleared = { gender: null, birthDate: null, dialingCode: null, phone: null };
const emptyCredentials = { documentDoctorState: '', documentDoctorUpdatedAt: '' } as const;
const noCredentials = { documentDoctorState: null, documentDoctorUpdatedAt: null };

describe('an empty text, the empty field of a form, means null', () => {
  it('in a sign-up and its dry run', async () => {
    const sent = newcomer({ ...empty, profiles: [emptyCredentials] });
    expect((await server.post<SignUpModel>('/auth-service/signup-model', sent)).body.errors).toEqual([]);
    const { body } = successful(await trySignUp(server, sent));
    expect(body).toMatchObject({ ...cleared, profiles: [noCredentials] });
  });

  it('for a new doctor and a new profile', async () => {
    const made = await createDoctor(server, { ...empty, profiles: [emptyCredentials] });
    expect(made).toMatchObject({ ...cleared, profiles: [noCredentials] });
    const added = successful(await server.post<UserProfile>(`/users/${made.id}/profiles`, emptyCredentials)).body;
    expect(added).toMatchObject(noCredentials);
  });

  it('in a revision, and records nothing for a field that is null', async () => {
    const { id } = await createDoctor(server, given);
    const sent = { ...empty, document: '' };
    expect((await revise(id, sent)).body).toMatchObject({ ...cleared, document: null });
    for (const [name, value] of Object.entries(sent)) {
      expect((await expectNothingStored(server, () => revise(id, { [name]: value }))).status).toBe(200);
    }
  });

  it.each(Object.keys(given))('in a revision of %s alone', async (name) => {
    const { id } = await createDoctor(server, given);
    expect((await revise(id, { [name]: '' })).body).toMatchObject({ ...given, [name]: null });
  });

  it('in a resubmission', async () => {
    const profile = { documentDoctor: 'CRM 1', documentDoctorState: 'SP', documentDoctorUpdatedAt: '2025-12-31' };
    const { id, profiles } = await createDoctor(server, { profiles: [profile] });
    const path = `/users/${id}/profiles/${first(profiles).id}`;
    successful(await server.patch(`${path}/reject`, {}));
    const resubmitted = successful(await server.post<UserProfile>(`${path}/resubmit`, emptyCredentials)).body;
    expect(resubmitted).toMatchObject({ ...profile, ...noCredentials });
  });

  it('but not in other fields, and a blank text is no empty text', async () => {
    const { id } = await createDoctor(server);
    expectRefused(await revise(id, { firstName: '', email: '' }), '/firstName blank', '/email invalid-format');
    expectRefused(
      await revise(id, { gender: ' ', birthDate: ' ' }),
      '/gender invalid-value',
      '/birthDate invalid-format',
    );
    expectRefused(await trySignUp(server, newcomer({ document: '' })), '/document blank');
    expectRefused(await server.post('/users/doctor', doctor({ document: '' })), '/document blank');
    const { token } = await signedInUser(server);
    const changed = await server.post(
      '/auth-service/change-phone',
      { dialingCode: '', phone: '' },
      bearerHeader(token),
    );
    expectRefused(changed, '/dialingCode invalid-format', '/phone blank');
  });
});

describe('a phone with invisible characters', () => {
  it.each([
    ['embeddings of directions', (phone: string) => `\u202D${phone}\u202C`],
    ['marks of directions', (phone: string) => `\u200F${phone.replace(' ', '\u061C')}`],
    ['isolates', (phone: string) => `\u2066${phone}\u2069`],
    ['variation selectors', (phone: string) => `${phone.replace('-', '\uFE0E-')}\u{E0100}`],
    ['a byte order mark and narrow spaces', (phone: string) => `\uFEFF${phone.replace(' ', '\u202F')}`],
  ])('is kept as sent and reached, on every route: %s', async (_, copied) => {
    const contact = () => {
      const { phone, number } = newPhone();
      return { sent: { dialingCode: '55', phone: copied(phone) }, number };
    };
    const one = contact();
    const { id, email } = await signUp(server, { ...one.sent, notificationProviderType: 'SMS' });
    expect((await server.get<User>(`/users/${id}`)).body).toMatchObject({ email, ...one.sent });
    await messagesTo(server, one.number);
    const { sent } = contact();
    expect((await revise(id, sent)).body).toMatchObject(sent);
    expect((await revise(id, { phone: contact().sent.phone })).status).toBe(200);
    expect(await createDoctor(server, contact().sent)).toMatchObject({ dialingCode: '55' });
    const { token, user } = await signedInUser(server);
    const changed = contact();
    successful(await server.post('/auth-service/change-phone', changed.sent, bearerHeader(token)));
    const { body } = successful(await activate(server, user.id, await codeFor(server, changed.number)));
    expect(body).toMatchObject(changed.sent);
  });

  it('is refused with a reason that is true, whatever is wrong', async () => {
    for (const wrong of [
      { dialingCode: '999', phone: '123456789' },
      { dialingCode: '55', phone: 'desk' },
    ]) {
      const response = await server.post('/users/doctor', doctor(wrong));
      expectRefused(response, '/phone impossible');
      expect(response.body).toMatchObject({
        errors: [{ message: 'must be a phone number that can exist with its dialing code' }],
      });
    }
  });
});
