// Endpoints 11 and 15, and the filters of the list of users.
import { describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectRefused } from './support/refusals.js';
import { createDoctor, doctor, newEmail, UNKNOWN_ID, type User } from './support/samples.js';

const server = sharedService();
const revise = (id: string, body: object, headers: Record<string, string> = {}) =>
  server.put<User>(`/admin-service/users/${id}`, body, headers);
const since = (written: { headers: Headers }) => ({
  'Consistency-Token': `${written.headers.get('consistency-token')}`,
});

describe('PUT /users/{id}', () => {
  it('accepts the whole user as a response has it and then records nothing', async () => {
    const made = await createDoctor(server);
    const sent = { ...made, createdAt: 'long ago', updatedAt: null, profiles: [] };
    expect((await expectNothingStored(server, () => revise(made.id, sent))).body).toEqual(made);
  });

  it('changes the contact address, which is stored as sent, but not the sign-in address', async () => {
    const made = await createDoctor(server);
    const email = newEmail();
    const { body } = await revise(made.id, { email });
    expect([body.email, body.auth]).toEqual([email, made.auth]);
  });

  it('accepts an id in the body only if it is the id in the path, in any case', async () => {
    const made = await createDoctor(server);
    expect((await revise(made.id, { id: made.id.toUpperCase(), lastName: 'Lima' })).body.lastName).toBe('Lima');
    expectRefused(
      await expectNothingStored(server, () => revise(made.id, { id: UNKNOWN_ID, lastName: 'Souza' })),
      '/id mismatch',
    );
  });

  it('checks a new phone against the existing dialing code, and a new dialing code against the existing phone', async () => {
    const { id } = await createDoctor(server, { dialingCode: '55', phone: '11 91234-5678' });
    expectRefused(await revise(id, { phone: '912 345 678 901' }), '/phone impossible');
    expectRefused(await revise(id, { dialingCode: '351' }), '/phone impossible');
    expect((await revise(id, { phone: '11 4002-8922' })).body.phone).toBe('11 4002-8922');
    const contact = { dialingCode: '+351', phone: '912 345 678' };
    expect((await revise(id, contact)).body).toMatchObject(contact);
    expect((await revise(id, { dialingCode: null })).body).toMatchObject({ dialingCode: null, phone: contact.phone });
    expect((await revise(id, { phone: 'ask at the desk' })).body.phone).toBe('ask at the desk');
  });
});

describe('POST /users/validation/docs', () => {
  const validate = (body: object, headers: Record<string, string> = {}) =>
    server.post<Record<string, unknown>>('/admin-service/users/validation/docs', body, headers);
  const fault = (code: string) => ({ code, message: expect.any(String) });

  it.each([
    { document: '529.982.247-25', kind: 'CPF', valid: true },
    { document: '52998224725', kind: 'CPF', valid: true },
    { document: '529 982 247/25', kind: 'CPF', valid: true },
    { document: '\u0665\u0662\u0669\u0669\u0668\u0662\u0662\u0664\u0667\u0662\u0665', kind: 'CPF', valid: true },
    { document: '529.982.247-26', kind: 'CPF', valid: false, code: 'check-digits' },
    { document: '529.982.247-15', kind: 'CPF', valid: false, code: 'check-digits' },
    { document: '123.456.789-08', kind: 'CPF', valid: false, code: 'check-digits' },
    { document: '123.456.789-09', kind: 'CPF', valid: true },
    { document: '111.111.111-11', kind: 'CPF', valid: false, code: 'not-issued' },
    { document: '00000000000', kind: 'CPF', valid: false, code: 'not-issued' },
    { document: '\u0669'.repeat(11), kind: 'CPF', valid: false, code: 'not-issued' },
    { document: '5299822472', kind: 'GENERIC', valid: true },
    { document: 'MG-12.345.678', kind: 'GENERIC', valid: true },
    { document: '漢', kind: 'GENERIC', valid: true },
    { document: '.-/', kind: 'GENERIC', valid: false, code: 'blank' },
    { document: '', kind: 'GENERIC', valid: false, code: 'blank' },
  ])('responds with the kind and the validity of $document', async ({ document, kind, valid, code }) => {
    const { status, body } = await validate({ document });
    expect([status, body]).toEqual([
      200,
      { document, kind, valid, available: code !== 'blank', errors: code === undefined ? [] : [fault(code)] },
    ]);
  });

  it('shows whether another user has the document, regardless of punctuation and case', async () => {
    const made = await createDoctor(server);
    const { id, ...sent } = { id: made.id, ...doctor() };
    const written = await revise(id, { document: sent.document });
    const document = sent.document.replaceAll('-', '').toLowerCase();
    expect((await validate({ document }, since(written))).body).toMatchObject({
      valid: true,
      available: false,
      errors: [fault('taken')],
    });
    expect((await validate({ document, userId: id }, since(written))).body).toMatchObject({
      available: true,
      errors: [],
    });
    expect((await validate({ document, userId: UNKNOWN_ID })).body).toMatchObject({ available: false });
    expect((await validate({ document: `${made.document}` }, since(written))).body).toMatchObject({ available: true });
  });

  it('records nothing', async () => {
    await expectNothingStored(server, () => validate({ document: '529.982.247-25' }));
  });
});
