// Posts four real instruments, creates and edits a new version of one, and reads them all back.
import { readFileSync } from 'node:fs';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { call, chapter, say } from './client.js';
import { showEvents } from './events.js';

const INSTRUMENTS = ['phq-9', 'gad-7', 'audit', 'glasgow-coma-scale'];

interface Option {
  readonly id: string;
  readonly optionText: string;
  readonly score: number;
}
interface Question {
  readonly id: string;
  readonly questionText: string;
  readonly responseType: string;
  readonly position: number;
  readonly options: readonly Option[];
}
interface Form {
  readonly id: string;
  readonly version: number;
  readonly questions: readonly Question[];
  readonly scoreRanges: readonly { minScore: number; maxScore: number; classification: string }[];
}
interface Created {
  readonly protocol: { readonly id: string; readonly name: string };
  readonly form: Form;
}

/** Plays the chapters and returns the id of the edited protocol. */
export const playQuestionnaires = async (institutionId: string, facts: Facts | undefined): Promise<string> => {
  chapter('Four questionnaires, one request each');
  const created: Created[] = [];
  for (const name of INSTRUMENTS) {
    const body = { ...instrument(name), institutionId };
    created.push(await call<Created>('POST', '/protocols/questionnaires', { body }));
  }
  const [first] = created;
  if (first === undefined) throw new Error('no instrument was posted');
  const form = await edit(first);
  await showEvents(facts, `protocol-${first.protocol.id}`);
  await readBack(created, { of: first, form });
  return first.protocol.id;
};

const instrument = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../examples/${name}.json`, import.meta.url), 'utf8')) as object;

const show = (form: Form) => {
  for (const { position, questionText, responseType, options } of form.questions) {
    say(`    ${String(position).padStart(2)}. ${questionText}  [${responseType}]`);
    for (const { optionText, score } of options) say(`         ${String(score).padStart(2)}  ${optionText}`);
  }
  for (const { minScore, maxScore, classification } of form.scoreRanges)
    say(`    ${minScore} to ${maxScore}: ${classification}`);
};

const edit = async ({ protocol, form }: Created): Promise<Form> => {
  chapter(`A new version of ${protocol.name}, with a question and an option edited`);
  const next = await call<Form>('POST', `/protocols/${protocol.id}/forms/versions`);
  const [question] = next.questions;
  const option = question?.options.at(-1);
  if (question === undefined || option === undefined) throw new Error('the copied form has no question with options');
  const questionText = `${question.questionText} (asked of the patient, not of relatives)`;
  await call('PUT', `/protocols/${protocol.id}/questions/${question.id}`, { body: { questionText, required: true } });
  const optionText = `${option.optionText} (every day or almost)`;
  await call('PUT', `/protocols/${protocol.id}/options/${option.id}`, { body: { optionText } });
  say(`  version ${form.version} is unchanged; version ${next.version} has the edits`);
  return next;
};

const readBack = async (
  all: readonly Created[],
  edited: { readonly of: Created; readonly form: Form },
): Promise<void> => {
  chapter('All questionnaires read back');
  for (const { protocol } of all) {
    const read = await call<{ form: Form }>('GET', `/protocols/${protocol.id}/questionnaire`);
    say(`  ${protocol.name}, version ${read.form.version}`);
    show(read.form);
  }
  const { protocol, form } = edited.of;
  await call('GET', `/protocols/${protocol.id}/forms`);
  const before = await call<Form>('GET', `/protocols/${protocol.id}/forms/${form.id}`);
  const after = await call<Form>('GET', `/protocols/${protocol.id}/forms/${edited.form.id}`);
  say(`  version ${before.version}: ${before.questions[0]?.questionText}`);
  say(`  version ${after.version}: ${after.questions[0]?.questionText}`);
};
