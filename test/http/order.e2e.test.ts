// The order of questions and of options: one request with the complete list of ids.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  type Form,
  nth,
  type ProtocolAndForm,
  question,
  select,
  successful,
  UNKNOWN_ID,
} from './samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
beforeEach(async () => {
  const questions = [question(0), question(1), question(5), { ...select(9, 3), position: 9 }];
  made = await createQuestionnaire(server, institutionId, { questions });
});

const idsIn = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
const positionsIn = (items: readonly { readonly id: string; readonly position: number }[]) =>
  items.map(({ id, position }) => [position, id]);
const numbered = (ids: readonly string[]) => ids.map((id, index) => [index + 1, id]);
const formPath = () => `/protocols/${made.protocol.id}/forms/${made.form.id}`;
const eventTypes = async () => (await server.recorded(`protocol-${made.protocol.id}`)).map(({ type }) => type).slice(2);

/** The two lists that can be reordered: the questions of the form, and the options of its last question. */
const lists = {
  questions: {
    path: () => `${formPath()}/questions/order`,
    in: ({ questions }: Form) => questions,
    event: 'ProtocolQuestionsReordered',
    unknown: () => `/protocols/${made.protocol.id}/forms/${UNKNOWN_ID}/questions/order`,
    code: 'form-not-found',
  },
  options: {
    path: () => `/protocols/${made.protocol.id}/questions/${nth(made.form.questions, 3).id}/options/order`,
    in: ({ questions }: Form) => nth(questions, 3).options,
    event: 'ProtocolOptionsReordered',
    unknown: () => `/protocols/${made.protocol.id}/questions/${UNKNOWN_ID}/options/order`,
    code: 'question-not-found',
  },
} as const;

describe.each(Object.entries(lists))('PUT …/%s/order', (_, list) => {
  const order = (ids: readonly string[], headers: Readonly<Record<string, string>> = {}) =>
    server.put<Form>(list.path(), { ids }, headers);
  const ids = () => idsIn(list.in(made.form));

  it('numbers the items from 1 to n with one event, and responds with the form', async () => {
    const wanted = ids().toReversed();
    const response = await order(wanted);
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    expect(response.body).toEqual((await server.get(formPath())).body);
    expect(await eventTypes()).toEqual([list.event]);
    const items = [...response.body.questions, ...response.body.questions.flatMap(({ options }) => options)];
    expect(positionsIn(items.filter(({ id }) => wanted.includes(id)))).toEqual(numbered(wanted));
  });

  it('records nothing for the same order again', async () => {
    await order(ids().toReversed());
    const again = await order(ids().toReversed());
    expect([again.status, again.headers.get('etag')]).toEqual([200, '"2"']);
    expect(await eventTypes()).toEqual([list.event]);
  });

  it('refuses missing, foreign and repeated ids, each with its pointer', async () => {
    const [one = '', two = '', ...rest] = ids();
    expectRefused(await order([one, two, ...rest, one]), `/ids/${rest.length + 2} duplicate`);
    expectRefused(await order([one, ...rest]), '/ids incomplete');
    expectRefused(await order([]), '/ids incomplete');
    expectRefused(await order([UNKNOWN_ID, two, ...rest]), '/ids incomplete', '/ids/0 not-found');
    expectRefused(await order([two, one, ...rest, made.form.id]), `/ids/${rest.length + 2} not-found`);
    expectRefused(await server.put(list.path(), { ids: ['x'] }), '/ids/0 invalid-format');
    expectRefused(await server.put(list.path(), {}), '/ids required');
    expect(await eventTypes()).toEqual([]);
  });

  it('is 404 for an unknown parent', async () => {
    expectProblem(await server.put(list.unknown(), { ids: [] }), 404, list.code);
  });

  it('honours If-Match and Idempotency-Key', async () => {
    const wanted = ids().toReversed();
    expectProblem(await order(wanted, { 'If-Match': '"0"' }), 412, 'revision-mismatch');
    const headers = { 'If-Match': '"1"', 'Idempotency-Key': randomUUID() };
    const first = successful(await order(wanted, headers));
    const again = await order(wanted, headers);
    expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([200, 'true', first.body]);
    expect(await eventTypes()).toEqual([list.event]);
  });
});

describe('the order of a form', () => {
  it('shows in every read and leaves the content of each question unchanged', async () => {
    const wanted = idsIn(made.form.questions).toReversed();
    const { body } = successful(await server.put<Form>(lists.questions.path(), { ids: wanted }));
    const withoutPosition = ({ questions }: Form) =>
      Object.fromEntries(questions.map(({ position: _, updatedAt: __, ...rest }) => [rest.id, rest]));
    expect(withoutPosition(body)).toEqual(withoutPosition(made.form));
    const read = await server.get<{ form: Form }>(`/protocols/${made.protocol.id}/questionnaire`);
    expect(read.body.form).toEqual(body);
  });

  it('accepts ids in upper case', async () => {
    const ids = idsIn(made.form.questions).toReversed();
    const { body } = successful(
      await server.put<Form>(lists.questions.path(), { ids: ids.map((id) => id.toUpperCase()) }),
    );
    expect(idsIn(body.questions)).toEqual(ids);
  });
});
