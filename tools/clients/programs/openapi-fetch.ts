// A program with the types of openapi-typescript and with openapi-fetch. It signs in, creates, reads, receives a 412 and
// a 404, and publishes a form and scores answers.
import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi-typescript.js';

const [, , baseUrl = '', email = '', password = ''] = process.argv;

const unwrapped = <T>(value: T | undefined, problem: { readonly code: string } | undefined): T => {
  if (value === undefined) throw new Error(`refused with ${problem?.code}`);
  return value;
};

const client = createClient<paths>({ baseUrl });
const session = await client.POST('/auth-service/auth', {
  params: { header: { 'app-name': 'Example' } },
  body: { type: 'USERPASS', platform: 'WEB', email, password },
});
const { token, user } = unwrapped(session.data, session.error);
const headers = { Authorization: `Bearer ${token}` };

const created = await client.POST('/institutions', { headers, body: { name: `Hospital of ${user.firstName}` } });
const institution = unwrapped(created.data, created.error);
const path = { id: institution.id };
const read = await client.GET('/institutions/{id}', { headers, params: { path } });
const name: string = unwrapped(read.data, read.error).name;

const stale = await client.PUT('/institutions/{id}', {
  headers,
  params: { path, header: { 'If-Match': '"999"' } },
  body: { name: 'Another' },
});
const missing = await client.GET('/protocols/{id}/forms/{formId}', {
  headers,
  params: { path: { id: institution.id, formId: institution.id } },
});
const full = await client.POST('/protocols/{id}/forms/{formId}/questions', {
  headers,
  params: { path: { id: institution.id, formId: institution.id } },
  body: { questionText: 'How many hours did you sleep?' },
});

/** Describes a problem with members that only its code has: the compiler knows the members of each code. */
const described = (problem: NonNullable<typeof full.error>): string => {
  if (problem.code === 'form-too-large') return `${problem.bytes} bytes, at most ${problem.limit}`;
  if (problem.code === 'too-many-questions') return `at most ${problem.limit} questions`;
  return problem.code;
};

const made = await client.POST('/protocols/questionnaires', {
  headers,
  body: {
    institutionId: institution.id,
    name: 'Falls',
    questions: [
      {
        questionText: 'Falls this year',
        responseType: 'NUMBER',
        metadata: { minValue: 0, maxValue: 9, integer: true },
      },
    ],
    scoreRanges: [{ minScore: 0, maxScore: 9, classification: 'counted' }],
  },
});
const { protocol, form } = unwrapped(made.data, made.error);
const ofForm = { path: { id: protocol.id, formId: form.id } };
const analysed = await client.GET('/protocols/{id}/forms/{formId}/analysis', { headers, params: ofForm });
const { findings } = unwrapped(analysed.data, analysed.error);
const published = await client.POST('/protocols/{id}/forms/{formId}/publish', { headers, params: ofForm });
const { status } = unwrapped(published.data, published.error);
const scored = await client.POST('/protocols/{id}/forms/{formId}/score', {
  headers,
  params: ofForm,
  body: { answers: form.questions.map(({ id }) => ({ questionId: id, value: 3 })) },
});
const { total, classification } = unwrapped(scored.data, scored.error);

const codes = [stale.error?.code, missing.error?.code, full.error && described(full.error)];
process.stdout.write(
  JSON.stringify([name, ...codes, ...findings.map(({ code }) => code), status, total, classification]),
);
