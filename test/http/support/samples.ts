// Valid bodies for the HTTP tests, the types of the responses, and the resources that most tests need.
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { InstitutionFields, institutionCommands, Unity } from '../../../src/domain/institution.js';
import type {
  Form,
  FormOption,
  FormQuestion,
  FormVersion,
  ProtocolFields,
  protocolCommands,
} from '../../../src/domain/protocol/schemas.js';
import type { SpecialtyFields, specialtyCommands } from '../../../src/domain/specialty.js';
import type { UserFields, UserProfile } from '../../../src/domain/user/state.js';
import type * as userSchemas from '../../../src/http/routes/users/schemas.js';
import type { Client, ClientResponse } from '../../support/client.js';

export type { Form, FormVersion, Unity, UserProfile };
export type Protocol = ProtocolFields;
export type Question = FormQuestion;
export type Option = FormOption;
export interface ProtocolAndForm {
  readonly protocol: Protocol;
  readonly form: Form;
}
export interface Questionnaire {
  readonly protocol: Protocol;
  readonly form: Form | null;
  readonly scoreRanges: Form['scoreRanges'];
}
export type Institution = InstitutionFields;
export type Specialty = SpecialtyFields;
export type User = UserFields;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export type SentQuestionnaire = z.input<typeof protocolCommands.CreateQuestionnaire>;
export type SentQuestion = SentQuestionnaire['questions'][number];

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** A well-formed id that no stored resource has. */
export const UNKNOWN_ID = '018f4c3e-0000-7000-8000-00000000dead';

/** Returns the response. Throws if its status is not a success. */
export const successful = <T>(response: ClientResponse<T>): ClientResponse<T> => {
  if (response.status >= 300) throw new Error(`refused with ${response.status}: ${JSON.stringify(response.body)}`);
  return response;
};

export const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

export const option = (n: number, overrides: Partial<SentOption> = {}): SentOption => ({
  optionText: `Option ${n}`,
  score: n,
  position: n,
  ...overrides,
});
type SentOption = NonNullable<SentQuestion['options']>[number];

export const question = (n: number, overrides: Partial<SentQuestion> = {}): SentQuestion => ({
  questionText: `Question ${n}`,
  responseType: 'TEXT',
  metadata: {},
  required: true,
  weight: 1,
  position: n,
  options: [],
  ...overrides,
});

export const select = (n: number, options: number): SentQuestion =>
  question(n, { responseType: 'SELECT', options: numbered(options, option) });

export const questionnaire = (
  institutionId: string,
  overrides: Partial<SentQuestionnaire> = {},
): SentQuestionnaire => ({
  institutionId,
  name: 'PHQ-2',
  prompt: 'Over the last two weeks',
  questions: [select(1, 2), question(2)],
  scoreRanges: [
    { minScore: 0, maxScore: 2, classification: 'Negative' },
    { minScore: 3, maxScore: 6, classification: 'Positive' },
  ],
  ...overrides,
});

type SentInstitution = z.input<typeof institutionCommands.CreateInstitution>;

export const createInstitution = async (
  client: Client,
  overrides: Partial<SentInstitution> = {},
): Promise<Institution> =>
  successful(await client.post<Institution>('/institutions', { name: 'Hospital São Lucas', ...overrides })).body;

type SentSpecialty = z.input<typeof specialtyCommands.CreateSpecialty>;

export const createSpecialty = async (client: Client, specialty: SentSpecialty): Promise<Specialty> =>
  successful(await client.post<Specialty>('/specialties', specialty)).body;

export const createProtocol = async (
  client: Client,
  institutionId: string,
  overrides: object = {},
): Promise<Protocol> =>
  successful(await client.post<Protocol>('/protocols', { institutionId, name: 'Falls', prompt: 'Ask.', ...overrides }))
    .body;

export const createQuestionnaire = async (
  client: Client,
  institutionId: string,
  overrides: Partial<SentQuestionnaire> = {},
): Promise<ProtocolAndForm> =>
  successful(await client.post<ProtocolAndForm>('/protocols/questionnaires', questionnaire(institutionId, overrides)))
    .body;

export type SentDoctor = z.input<typeof userSchemas.Doctor>;

/** Returns an e-mail address that nobody has. */
export const newEmail = (): string => `Ana.${randomUUID()}@Example.org`;

export const doctor = (overrides: Partial<SentDoctor> = {}): SentDoctor => ({
  firstName: 'Ana',
  lastName: 'Souza',
  document: `MG-${randomUUID()}`,
  birthDate: '1980-02-29',
  profiles: [{ documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2025-12-31', specialties: [] }],
  auth: { email: newEmail(), password: 'correct horse battery staple', token: '' },
  ...overrides,
});

export const createDoctor = async (client: Client, overrides: Partial<SentDoctor> = {}): Promise<User> =>
  successful(await client.post<User>('/users/doctor', doctor(overrides))).body;

/** Returns the value without the fields that the server sets, at any depth. */
export const content = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(content);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !SET_BY_SERVER.has(key))
      .map(([key, member]) => [key, content(member)]),
  );
};
const SET_BY_SERVER = new Set([
  'id',
  'protocolId',
  'status',
  'protocolFormId',
  'protocolQuestionId',
  'copiedFrom',
  'createdAt',
  'updatedAt',
]);
