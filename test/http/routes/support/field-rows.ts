// The fields of the body of each route, each with values that the route refuses, and the code of the refusal.
import { numbered } from '../../support/samples.js';
import { protocolFields } from './protocol-rows.js';
import { decision, ID, list, type Row, required, text, within } from './rows.js';

// With characters around or inside it that nobody sees.
const unseen = [
  ' ana@example.org',
  'ana@example.org\u00a0',
  '\u200bana@example.org',
  'ana@exam\u00adple.org',
  'a\u3164na@example.org',
];
const unseenIn = (field: string): readonly Row[] => unseen.map((address) => [field, address, 'invalid-format']);
const unity: readonly Row[] = [
  ['name', ' ', 'blank'],
  ['name', text(501), 'too-big'],
  ['address', text(2_001), 'too-big'],
];
const institution: readonly Row[] = [
  ['name', '\u200b\u200d\ufeff', 'control-character'],
  ['name', text(501), 'too-big'],
  ['document', 1, 'invalid-type'],
  ['document', text(101), 'too-big'],
  ['email', 'nobody', 'invalid-format'],
  ...unseenIn('email'),
  ['phone', text(51), 'too-big'],
  ['address', text(2_001), 'too-big'],
];
const specialty: readonly Row[] = [
  ['name', ' ', 'blank'],
  ['name', text(201), 'too-big'],
  ['description', text(2_001), 'too-big'],
  ['enabled', 'yes', 'invalid-type'],
];

const contact: readonly Row[] = [
  ['gender', 'OTHER', 'invalid-value'],
  ['document', '\u200b', 'blank'],
  ['document', text(101), 'too-big'],
  ['birthDate', '2023-02-29', 'invalid-format'],
  ['birthDate', new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10), 'in-future'],
  ['dialingCode', 'BR', 'invalid-format'],
  ['phone', 1, 'invalid-type'],
];
const names: readonly Row[] = [
  ['firstName', null, 'invalid-type'],
  ['firstName', ' ', 'blank'],
  ['firstName', text(201), 'too-big'],
  ['lastName', '\u202eazuoS', 'control-character'],
  ['lastName', text(201), 'too-big'],
];
const email: readonly Row[] = [
  ['email', 'ana souza@example.org', 'invalid-format'],
  ...unseenIn('email'),
  ['email', null, 'invalid-type'],
];
const credentials: readonly Row[] = [
  ['documentDoctor', '', 'blank'],
  ['documentDoctor', text(101), 'too-big'],
  ['documentDoctorState', ' ', 'blank'],
  ['documentDoctorState', text(101), 'too-big'],
  ['documentDoctorUpdatedAt', '2025-02-30', 'invalid-format'],
];
const sentProfile: readonly Row[] = [['type', 'BAKER', 'invalid-value'], ...credentials];
const specialties: readonly Row[] = [
  ['specialties', 'all', 'invalid-type'],
  ['specialties', list(51, ID), 'too-big'],
  ['specialties/0', 5, 'invalid-type'],
  ['specialties/0', text(201), 'too-big'],
];
const newPassword = (field: string): readonly Row[] => [
  [field, 'qwmzkrt', 'too-small'],
  [field, text(1_025), 'too-big'],
];
const givenPassword = (field: string): readonly Row[] => [
  [field, '', 'too-small'],
  [field, text(1_025), 'too-big'],
];
const code: readonly Row[] = [
  ['code', '', 'invalid-format'],
  ['code', '1234567', 'invalid-format'],
  ['code', '12345x', 'invalid-format'],
  ['code', text(33), 'too-big'],
];
const token = (field: string): readonly Row[] => [
  [field, '', 'too-small'],
  [field, text(4_097), 'too-big'],
];
const anyEmail: readonly Row[] = [['email', '', 'too-small'], ['email', text(321), 'too-big'], ...unseenIn('email')];
const profiles: readonly Row[] = [['profiles', list(21, {}), 'too-big'], ...within('profiles/0', sentProfile)];
const attached: readonly Row[] = [
  ['userId', 'x', 'invalid-format'],
  ['userId', undefined, 'one-of'],
  ['userIds', [], 'too-small'],
  ['userIds', list(201, ID), 'too-big'],
  ['userIds/0', 'x', 'invalid-format'],
];
/** The rows of each route with a body. */
export const refusedFields: Readonly<Record<string, readonly Row[]>> = {
  ...protocolFields,
  'POST /institutions': [
    ...institution,
    ...required('name'),
    ['unities', list(501, { name: 'A' }), 'too-big'],
    ['unities/0', 'Emergency', 'invalid-type'],
    ...within('unities/0', [...unity, ...required('name')]),
  ],
  'PUT /institutions/{id}': institution,
  'POST /institutions/{id}/unities': [...unity, ...required('name')],
  'PUT /institutions/{id}/unities/{unityId}': unity,
  'POST /specialties': [...specialty, ...required('name')],
  'PUT /specialties/{id}': specialty,
  'POST /users/doctor': [
    ...names,
    ...contact,
    ...required('firstName', 'lastName', 'document', 'profiles', 'auth', 'auth/email', 'auth/password'),
    ['profiles', [], 'too-small'],
    ...profiles,
    ...within('profiles/0', specialties),
    ...within('auth', [...email, ...newPassword('password'), ['token', 1, 'invalid-type']]),
    ['auth/token', text(10_001), 'too-big'],
  ],
  'PUT /users/{id}': [
    ...names,
    ...email,
    ...contact,
    ['id', 'x', 'invalid-format'],
    ['phone', '1', 'impossible'],
    ['enabled', 'yes', 'invalid-type'],
  ],
  'DELETE /users/{id}/personal-data': [
    ['reason', '', 'blank'],
    ['reason', 7, 'invalid-type'],
    ['reason', text(501), 'too-big'],
  ],
  'POST /users/validation/docs': [
    ...required('document'),
    ['document', text(101), 'too-big'],
    ['userId', 'x', 'invalid-format'],
  ],
  'POST /users/{id}/profiles': [...sentProfile, ...specialties],
  'POST /users/{id}/profiles/{profileId}/resubmit': [...credentials, ...specialties],
  'PATCH /users/{id}/profiles/{profileId}/approve': decision,
  'PATCH /users/{id}/profiles/{profileId}/reject': decision,
  'POST /institutions/{id}/users': attached,
  'POST /institutions/{id}/unities/{unityId}/users': attached,
  'POST /auth-service/auth': [
    ...required('email', 'password'),
    ...anyEmail,
    ...givenPassword('password'),
    ['type', 'GOOGLE', 'invalid-value'],
    ['platform', 'TOASTER', 'invalid-value'],
  ],
  'POST /auth-service/refresh-token': [...required('refresh_token'), ...token('refresh_token')],
  'POST /auth-service/signup': [
    ...names,
    ...contact,
    ...required('firstName', 'lastName', 'acceptTerms', 'auth', 'auth/email', 'auth/password'),
    ['notificationProviderType', 5, 'invalid-type'],
    ['notificationProviderType', text(51), 'too-big'],
    ['acceptTerms', false, 'invalid-value'],
    ['phone', '123', 'impossible'],
    ...within('auth', [...email, ...newPassword('password'), ['type', 'GOOGLE', 'invalid-value']]),
    ...profiles,
    ['profiles/0/specialties', numbered(51, (n) => ({ description: `${n}` })), 'too-big'],
    ['profiles/0/specialties/0', 'Cardiologia', 'invalid-type'],
    ['profiles/0/specialties/1/description', 'CARDIOLOGÍA', 'duplicate'],
    ...within('profiles/0/specialties/0', [
      ...required('description'),
      ['description', ' ', 'blank'],
      ['description', text(201), 'too-big'],
      ['document', text(101), 'too-big'],
    ]),
  ],
  'POST /auth-service/signup-model': [],
  'POST /auth-service/activate': [
    ...required('ownerRef', 'code'),
    ['ownerRef', 'me', 'invalid-format'],
    ...code,
    ...givenPassword('password'),
  ],
  'POST /auth-service/change-phone': [
    ...required('dialingCode', 'phone'),
    ['userId', 'x', 'invalid-format'],
    ['dialingCode', null, 'invalid-type'],
    ['dialingCode', 'BR', 'invalid-format'],
    ['phone', ' ', 'blank'],
    ['phone', 'ask at the desk', 'impossible'],
  ],
  'PUT /auth-service/password': [
    ...required('currentPassword', 'newPassword'),
    ...givenPassword('currentPassword'),
    ...newPassword('newPassword'),
  ],
  'POST /auth-service/password/reset-code': [...required('email'), ...anyEmail],
  'POST /auth-service/password/reset': [
    ...required('email', 'code', 'newPassword'),
    ...anyEmail,
    ...code,
    ...newPassword('newPassword'),
  ],
};
