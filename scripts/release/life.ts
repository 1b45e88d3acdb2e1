// Makes the requests of a small hospital. They record an event of every type that clients can cause.
import { setTimeout as pause } from 'node:timers/promises';
import { PASSWORD, type Service } from './service.js';

/** The access tokens of two people who together can read everything. */
export interface Readers {
  readonly administrator: string;
  readonly auditor: string;
}

interface Tokens {
  readonly token: string;
  readonly refreshToken: string;
}

interface Doctor {
  readonly id: string;
  readonly profiles: readonly { readonly id: string }[];
}

interface Form {
  readonly id: string;
  readonly questions: readonly { readonly id: string; readonly options: readonly { readonly id: string }[] }[];
}

const ADMINISTRATOR = 'admin@hospital.example';
const AUDITOR = 'auditor@hospital.example';
const NEW_PASSWORD = 'another horse, another staple';

/** Makes the requests. */
export const live = async (service: Service): Promise<Readers> => {
  service.runCli(`${PASSWORD}\n`, 'admin', 'create', '--email', ADMINISTRATOR);
  const { token } = await signIn(service, ADMINISTRATOR);
  const asAdministrator: Service = {
    ...service,
    request: (method, path, options) => service.request(method, path, { token, ...options }),
  };
  const places = await institutions(asAdministrator);
  await people(asAdministrator, places);
  await protocols(asAdministrator, places.institution);
  await sessions(service);
  const auditor = await registered(asAdministrator, { ...doctor('Alba', 5), type: 'AUDITOR', email: AUDITOR });
  await asAdministrator.request('PATCH', `${profileOf(auditor)}/approve`, { body: {} });
  const readers = { administrator: token, auditor: (await signIn(service, AUDITOR)).token };
  await service.request('GET', `${profileOf(auditor)}/history`, { token: readers.auditor });
  return readers;
};

const signIn = (service: Service, email: string, password = PASSWORD): Promise<Tokens> =>
  service.request('POST', '/auth-service/auth', { body: { type: 'USERPASS', platform: 'WEB', email, password } });

interface Places {
  readonly institution: string;
  readonly unity: string;
  readonly specialty: string;
}

const institutions = async ({ request }: Service): Promise<Places> => {
  const { id: institution } = await request('POST', '/institutions', {
    body: { name: 'Hospital São Lucas', document: '12.345.678/0001-95', unities: [{ name: 'Emergency' }] },
  });
  await request('PUT', `/institutions/${institution}`, { body: { name: 'Hospital São Lucas da Serra' } });
  const body = { name: 'Paediatrics', address: 'Wing B' };
  const { id: unity } = await request('POST', `/institutions/${institution}/unities`, { body });
  await request('PUT', `/institutions/${institution}/unities/${unity}`, { body: { address: 'Wing C' } });
  const { id: specialty } = await request('POST', '/specialties', { body: { name: 'Cardiology' } });
  await request('PUT', `/specialties/${specialty}`, { body: { description: 'The heart and the vessels' } });
  return { institution, unity, specialty };
};

/** Returns a body of endpoint 12, with a document and an e-mail address that are unique to the number. */
const doctor = (firstName: string, number: number) => ({
  firstName,
  lastName: `Souza ${number}`,
  document: `MG-${number}`,
  birthDate: '1980-02-29',
  email: `${firstName.toLowerCase()}@hospital.example`,
  type: 'DOCTOR_GENERALIST',
  specialties: [] as readonly string[],
});

const registered = (
  { request }: Service,
  { type, specialties, email, ...person }: ReturnType<typeof doctor>,
): Promise<Doctor> =>
  request<Doctor>('POST', '/users/doctor', {
    body: {
      ...person,
      profiles: [{ type, documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2025-12-31', specialties }],
      auth: { email, password: PASSWORD, token: '' },
    },
  });

const profileOf = ({ id, profiles }: Doctor) => `/users/${id}/profiles/${profiles[0]?.id}`;

const people = async (service: Service, { institution, unity, specialty }: Places): Promise<void> => {
  const { request } = service;
  const ana = await registered(service, { ...doctor('Ana', 1), specialties: [specialty] });
  await request('PATCH', `${profileOf(ana)}/approve`, { body: { reason: 'The council confirmed the registration.' } });
  await request('PUT', `/users/${ana.id}`, { body: { lastName: 'Souza Lima', gender: 'FEMININE' } });
  await request('POST', `/institutions/${institution}/users`, { body: { userId: ana.id } });
  await request('POST', `/institutions/${institution}/unities/${unity}/users`, { body: { userId: ana.id } });
  await request('POST', `/users/${ana.id}/profiles`, { body: { type: 'NURSE', documentDoctor: 'COREN/SP 98765' } });

  const bruno = await registered(service, doctor('Bruno', 2));
  await request('PATCH', `${profileOf(bruno)}/reject`, { body: { reason: 'The copy cannot be read.' } });
  await request('POST', `${profileOf(bruno)}/resubmit`, { body: { documentDoctor: 'CRM/SP 654321' } });

  const erased = await registered(service, doctor('Carla', 3));
  const erasure = { body: { reason: 'The person asked for it.' }, may: 401 };
  await request('DELETE', `/users/${erased.id}/personal-data`, erasure);
};

const protocols = async ({ request }: Service, institutionId: string): Promise<void> => {
  const often = ['Not at all', 'Several days', 'More than half the days', 'Nearly every day'];
  const options = often.map((optionText, score) => ({ optionText, score, position: score + 1 }));
  const question = (questionText: string, position: number) => ({
    ...{ questionText, responseType: 'SELECT', metadata: { 'a.key': '$value' }, required: true, weight: 1, position },
    options,
  });
  const questions = [question('Little interest or pleasure', 1), question('Feeling down', 2)];
  const scoreRanges = [{ minScore: 0, maxScore: 6, classification: 'Any' }];
  const content = { name: 'PHQ-2', prompt: 'Over the last two weeks …', questions, scoreRanges };
  const { protocol, form } = await request<{ protocol: { id: string }; form: Form }>(
    'POST',
    '/protocols/questionnaires',
    { body: { institutionId, ...content } },
  );
  const at = `/protocols/${protocol.id}`;
  const [first] = form.questions;
  const added = { questionText: 'Hours of sleep', metadata: { minValue: 0 }, required: false, weight: 2, position: 1 };
  await request('POST', `${at}/forms/${form.id}/questions`, { body: added });
  await request('PUT', `${at}/questions/${first?.id}`, {
    body: { ...added, questionText: 'Little interest', position: 3 },
  });
  const option = { optionText: 'Rather not say', score: 0, position: 1 };
  await request('POST', `${at}/questions/${first?.id}/options`, { body: option });
  await request('PUT', `${at}/options/${first?.options[0]?.id}`, { body: { ...option, position: 9 } });
  await request('POST', `${at}/forms/versions`, { body: {} });
  await request('PUT', `${at}/questionnaire`, { body: { ...content, name: 'PHQ-2, revised', formId: form.id } });
  const { id: bare } = await request('POST', '/protocols', { body: { institutionId, name: 'Without a form' } });
  await request('PUT', `/protocols/${bare}`, { body: { name: 'Still without a form' } });
};

const sessions = async (service: Service): Promise<void> => {
  const { request, code } = service;
  const email = 'diego@hospital.example';
  const profile = { type: 'DOCTOR_SPECIALIST', specialties: [{ description: 'Cardiologia', document: 'RQE 4321' }] };
  const body = {
    ...{ notificationProviderType: 'EMAIL', firstName: 'Diego', lastName: 'Lima', acceptTerms: true },
    auth: { type: 'USERPASS', email, password: PASSWORD },
    profiles: [profile],
  };
  const { id } = await request('POST', '/auth-service/signup', { body });
  await request('POST', '/auth-service/activate', { body: { ownerRef: id, code: await code() } });
  const { token } = await signIn(service, email);
  const wrong = { type: 'USERPASS', platform: 'WEB', email, password: 'a wrong password' };
  await request('POST', '/auth-service/auth', { body: wrong, may: 401 });
  const phone = { dialingCode: '55', phone: '11 91234-5678' };
  await request('POST', '/auth-service/change-phone', { body: phone, token });
  await request('POST', '/auth-service/activate', { body: { ownerRef: id, code: await code() } });
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await request('PUT', '/auth-service/password', { body: change, token });

  const { refreshToken } = await signIn(service, email, NEW_PASSWORD);
  const renew = (refresh_token: string, may?: number) =>
    request<Tokens>('POST', '/auth-service/refresh-token', { body: { refresh_token }, ...(may && { may }) });
  const second = await renew(refreshToken);
  await renew(second.refreshToken);
  // For a few seconds a used refresh token returns its successor again. After that, the service detects the reuse.
  await pause(11_000);
  await renew(refreshToken, 401);

  const last = await signIn(service, email, NEW_PASSWORD);
  const { items } = await request<{ items: readonly { id: string }[] }>('GET', '/auth-service/sessions', last);
  await request('DELETE', `/auth-service/sessions/${items[0]?.id}`, { token: last.token });
};
