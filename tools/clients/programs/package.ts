// A program with the package that `npm run client` writes. It signs in, creates, reads, and receives a 412 and a 404.
import {
  type AddQuestionError,
  addQuestion,
  client,
  createInstitution,
  getForm,
  getInstitution,
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

const codes = [stale.error?.code, missing.error?.code, full.error && described(full.error)];
process.stdout.write(JSON.stringify([name, ...codes]));
