// npm run demo: a walk through the running service, chapter by chapter. The demo prints each request, its response and
// the events that the request recorded. It can run any number of times on one service.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Form, ProtocolFields } from '../src/domain/protocol/schemas.js';
import type { LastingStores } from '../src/infrastructure/stores.js';
import { actAs, base, call, chapter, say, signInWith } from './demo/client.js';
import { openLocalStores, showEvents } from './demo/events.js';
import { playEvidence } from './demo/evidence.js';
import { playForms } from './demo/forms.js';
import { playMessage } from './demo/message.js';
import {
  type Doctor,
  playApproval,
  playAttachments,
  playDecisions,
  playDoctors,
  playErasure,
  playHistory,
  playTrail,
  profileOf,
} from './demo/people.js';
import { playScoring } from './demo/scoring.js';

const INSTRUMENTS = ['phq-9', 'gad-7', 'audit', 'glasgow-coma-scale'];
/** How many questions of a form the demo prints. */
const SHOWN = 2;

interface Callers {
  readonly administrator: string;
  readonly auditor: string;
}
interface Created {
  readonly protocol: ProtocolFields;
  readonly form: Form;
}

const main = async (): Promise<void> => {
  say(`The service at ${base}`);
  const { status } = await fetch(`${base}/institutions`).catch(() => {
    throw new Error(
      `no service is running at ${base}: start it with npm start in another terminal, then run the demo again`,
    );
  });
  const callers = status === 401 ? await signInCallers() : undefined;
  const stores = await openLocalStores();
  try {
    await play(stores, callers);
  } finally {
    await stores?.close();
  }
};

/** Signs in the administrator that the environment names, and a new auditor. */
const signInCallers = async (): Promise<Callers> => {
  const { DEMO_EMAIL: email, DEMO_PASSWORD: password } = process.env;
  if (email === undefined || password === undefined) throw new Error(SIGN_IN_INSTRUCTIONS);
  chapter('Callers must sign in');
  const administrator = await signInWith(email, password);
  actAs(administrator);
  // Administrators cannot read the audit trail, because the person who decides must not review the decisions.
  const run = randomUUID();
  const auth = { email: `auditor.${run}@example.org`, password: `${run} of a demo` };
  const person = { firstName: 'Vera', lastName: 'Prado', document: `MG-${run}`, profiles: [{ type: 'AUDITOR' }], auth };
  const auditor = await call<Doctor>('POST', '/users/doctor', { body: person });
  await call('PATCH', `${profileOf(auditor)}/approve`, { body: { reason: 'Audits this demo.' } });
  return { administrator, auditor: await signInWith(auth.email, auth.password) };
};

const SIGN_IN_INSTRUCTIONS = `callers of this service must sign in. Create an administrator in the stores of the service:
  npm run cli -- admin create --email admin@example.org --name 'Your Name'
Then run the demo with the same e-mail and password:
  DEMO_EMAIL=admin@example.org DEMO_PASSWORD=… npm run demo`;

const play = async (stores: LastingStores | undefined, callers: Callers | undefined): Promise<void> => {
  chapter('An institution with two unities');
  const unities = [{ name: 'Emergency' }, { name: 'Primary care' }];
  const body = { name: 'Hospital da Serra', unities };
  const institution = await call<{ id: string }>('POST', '/institutions', { body });
  await showEvents(stores, `institution-${institution.id}`);

  const protocolId = await playQuestionnaires(institution.id, stores);
  await playScoring(institution.id, stores);
  const doctors = await playDoctors(stores);
  const [ana, bruno] = doctors;
  chapter('The doctor is attached to the institution');
  await call('POST', `/institutions/${institution.id}/users`, { body: { userId: ana.id } });
  const decidedAt = await playApproval(doctors, stores);
  await playHistory(bruno, decidedAt);
  await playAttachments(ana);
  actAs(callers?.auditor);
  await playDecisions();
  await playTrail();
  await playEvidence(profileOf(ana), callers?.auditor);
  actAs(callers?.administrator);
  await playErasure(bruno, stores);

  await playMessage(ana);

  chapter('Open next');
  const paths = [
    '/docs',
    `/protocols?institutionId=${institution.id}`,
    `/protocols/${protocolId}/questionnaire?version=1`,
    `/users?institutionId=${institution.id}`,
    `${profileOf(ana)}/history`,
    '/profiles?approvalStatus=APPROVED',
    '/audit/decisions',
    `/audit/events?stream=user-${bruno.id}`,
    `/institutions/${institution.id}`,
  ];
  for (const path of paths) say(`  ${base}${path}`);
  if (callers !== undefined)
    say('  except /docs only with the header Authorization: Bearer, and the token of a sign-in');
};

/** Posts four real instruments, edits a new version of the first, reads them back, and returns the id of the first. */
const playQuestionnaires = async (institutionId: string, stores: LastingStores | undefined): Promise<string> => {
  chapter('Four questionnaires, one request each');
  const created: Created[] = [];
  for (const name of INSTRUMENTS) {
    const instrument = JSON.parse(readFileSync(new URL(`../examples/${name}.json`, import.meta.url), 'utf8'));
    created.push(await call<Created>('POST', '/protocols/questionnaires', { body: { ...instrument, institutionId } }));
  }
  const [first] = created;
  if (first === undefined) throw new Error('no instrument was posted');
  const edited = await edit(first);
  await showEvents(stores, `protocol-${first.protocol.id}`);
  await playForms(first, stores);

  chapter('All questionnaires read back');
  for (const { protocol } of created) {
    const { form } = await call<{ form: Form }>('GET', `/protocols/${protocol.id}/questionnaire`);
    say(`  ${protocol.name}, version ${form.version}, the first ${SHOWN} of ${form.questions.length} questions`);
    for (const { questionText, options } of form.questions.slice(0, SHOWN)) {
      say(`    ${questionText} ${options.map(({ optionText, score }) => `[${score} ${optionText}]`).join(' ')}`);
    }
  }
  for (const { id } of [first.form, edited]) {
    const { version, questions } = await call<Form>('GET', `/protocols/${first.protocol.id}/forms/${id}`);
    say(`  version ${version}: ${questions[0]?.questionText}`);
  }
  return first.protocol.id;
};

const edit = async ({ protocol, form }: Created): Promise<Form> => {
  chapter(`A new version of ${protocol.name}, with a question and an option edited`);
  const next = await call<Form>('POST', `/protocols/${protocol.id}/forms/versions`);
  const [question] = next.questions;
  const option = question?.options.at(-1);
  const questionText = `${question?.questionText} (asked of the patient, not of relatives)`;
  await call('PUT', `/protocols/${protocol.id}/questions/${question?.id}`, { body: { questionText, required: true } });
  const optionText = `${option?.optionText} (every day or almost)`;
  await call('PUT', `/protocols/${protocol.id}/options/${option?.id}`, { body: { optionText } });
  say(`  version ${form.version} is unchanged; version ${next.version} has the edits`);
  return next;
};

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
