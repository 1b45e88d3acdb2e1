// A program with the package that `npm run client` writes. It signs in, creates, reads, receives a 412 and a 404, publishes
// a form and scores an answer.
import {
  type AddQuestionError,
  addQuestion,
  analyseForm,
  client,
  createInstitution,
  createQuestionnaire,
  getForm,
  getInstitution,
  publishForm,
  scoreForm,
  signIn,
  updateInstitution,
} from 'clinical-protocols-client';

const [, , baseUrl = '', email = '', password = ''] = process.argv;

client.setConfig({ baseUrl });
const session = await signIn({
  headers: { 'app-name': 'Example' },
  body: { type: 'USERPASS', platform: 'WEB', email, password },
  throwOnError: true,
});
const { token, user } = session.data;
client.setConfig({ auth: token });

const created = await createInstitution({ body: { name: `Hospital of ${user.firstName}` }, throwOnError: true });
const path = { id: created.data.id };
const read = await getInstitution({ path, throwOnError: true });
const name: string = read.data.name;

const stale = await updateInstitution({ path, headers: { 'If-Match': '"999"' }, body: { name: 'Another' } });
const ofForm = { id: created.data.id, formId: created.data.id };
const missing = await getForm({ path: ofForm });
const full = await addQuestion({ path: ofForm, body: { questionText: 'How many hours did you sleep?' } });

/** Describes a problem with members that only its code has: the compiler knows the members of each code. */
const described = (problem: AddQuestionError): string => {
  if (problem.code === 'form-too-large') return `${problem.bytes} bytes, at most ${problem.limit}`;
  if (problem.code === 'too-many-questions') return `at most ${problem.limit} questions`;
  return problem.code;
};

const questionnaire = await createQuestionnaire({
  body: {
    institutionId: created.data.id,
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
  throwOnError: true,
});
const { protocol, form } = questionnaire.data;
const made = { id: protocol.id, formId: form.id };
const { findings } = (await analyseForm({ path: made, throwOnError: true })).data;
const { status } = (await publishForm({ path: made, throwOnError: true })).data;
const answers = form.questions.map(({ id }) => ({ questionId: id, value: 3 }));
const { total, classification } = (await scoreForm({ path: made, body: { answers }, throwOnError: true })).data;

const codes = [stale.error?.code, missing.error?.code, full.error && described(full.error)];
process.stdout.write(
  JSON.stringify([name, ...codes, ...findings.map(({ code }) => code), status, total, classification]),
);
