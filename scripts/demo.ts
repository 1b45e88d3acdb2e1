// npm run demo: posts real instruments to the running server, versions and edits one, reads everything back, and prints
// what was asked, what was answered and which events that became.
import { readFileSync } from 'node:fs';
import { readConfig } from '../src/config.js';
import type { Facts } from '../src/infrastructure/facts/facts.js';
import { type AllStores, openStores } from '../src/stores.js';

const base = process.env['BASE_URL'] ?? `http://127.0.0.1:${process.env['PORT'] ?? 3000}`;
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
interface Named {
  readonly id: string;
  readonly name: string;
}
interface Created {
  readonly protocol: Named;
  readonly form: Form;
}

const say = (text = '') => console.log(text);
const short = (value: unknown, longest = 150) => {
  const text = JSON.stringify(value) ?? 'no body';
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
};

const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${base}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as T;
  say(`  ${method} ${path}${body === undefined ? '' : `\n    sent      ${short(body)}`}`);
  say(`    answered  ${response.status} ETag ${response.headers.get('etag') ?? '-'}  ${short(answer)}`);
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
};

const chapter = (title: string) => say(`\n${title}\n${'-'.repeat(title.length)}`);

const showEvents = async (facts: Facts | undefined, stream: string): Promise<void> => {
  if (facts === undefined) return;
  say(`  events of ${stream}`);
  for await (const { revision, type, metadata, data } of facts.readStream(stream)) {
    say(
      `    ${String(revision).padStart(2)}  ${metadata.at}  ${type.padEnd(28)} by ${metadata.actor.id}  ${short(data, 70)}`,
    );
  }
};

/** The log is read beside the service, where the environment names the stores that it runs on. */
const openBeside = (): AllStores | undefined => {
  try {
    return openStores(readConfig(process.env), {
      onError: (error) => say(`(${error.message})`),
      sealing: {
        withoutKey: (person) => say(`(the key of ${person} was erased or lost)`),
        tampered: ({ stream, id }) => say(`(the personal fields of ${stream}, event ${id}, do not open)`),
        damaged: (kind, key) => say(`(the ${kind} ${key} was altered)`),
      },
    });
  } catch (error) {
    say(`(the events are not shown: ${error instanceof Error ? error.message : String(error)})`);
    return undefined;
  }
};

const instrument = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../examples/${name}.json`, import.meta.url), 'utf8')) as object;

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
  await call('PUT', `/protocols/${protocol.id}/questions/${question.id}`, {
    questionText: `${question.questionText} (asked of the patient, not of relatives)`,
    required: true,
  });
  await call('PUT', `/protocols/${protocol.id}/options/${option.id}`, {
    optionText: `${option.optionText} (every day or almost)`,
  });
  say(`  version ${form.version} is as it was; version ${next.version} is the one that was edited`);
  return next;
};

const readBack = async (
  all: readonly Created[],
  edited: { readonly of: Created; readonly form: Form },
): Promise<void> => {
  chapter('Everything read back');
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

const main = async (): Promise<void> => {
  say(`The service at ${base}`);
  await fetch(`${base}/readyz`).catch(() => {
    throw new Error(
      `nothing answers at ${base}: start the service with npm start (in another terminal), then run this again`,
    );
  });
  const stores = openBeside();
  const facts = stores?.facts;

  chapter('An institution with two unities');
  const unities = [{ name: 'Emergency' }, { name: 'Primary care' }];
  const institution = await call<Named>('POST', '/institutions', { name: 'Hospital das Flores', unities });
  await showEvents(facts, `institution-${institution.id}`);

  chapter('Four instruments, one request each');
  const created: Created[] = [];
  for (const name of INSTRUMENTS) {
    const body = { ...instrument(name), institutionId: institution.id };
    created.push(await call<Created>('POST', '/protocols/questionnaires', body));
  }

  const [first] = created;
  if (first === undefined) throw new Error('no instrument was posted');
  const form = await edit(first);
  await showEvents(facts, `protocol-${first.protocol.id}`);
  await readBack(created, { of: first, form });
  await stores?.close();

  chapter('Open next');
  say(`  ${base}/docs`);
  say(`  ${base}/protocols?institutionId=${institution.id}`);
  say(`  ${base}/protocols/${first.protocol.id}/questionnaire?version=1`);
  say(`  ${base}/protocols/${first.protocol.id}/questionnaire?asOf=${new Date().toISOString()}`);
  say(`  ${base}/institutions/${institution.id}`);
};

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
