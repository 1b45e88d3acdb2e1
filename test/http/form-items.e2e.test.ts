// Endpoints 7 to 10 and the orders: what single questions and options do to the others. test/domain/protocol has the
// rules; resources.e2e.test.ts tests the fields of a question and of an option.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import type { Form, ProtocolAndForm, Question } from './support/samples.js';
import {
  createInstitution,
  createQuestionnaire,
  numbered,
  option,
  question,
  select,
  successful,
  UNKNOWN_ID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
beforeEach(async () => {
  made = await createQuestionnaire(server, institutionId, { questions: [select(1, 3), question(2), question(7)] });
});

const root = () => `/protocols/${made.protocol.id}`;
const formPath = () => `${root()}/forms/${made.form.id}`;
const questionPath = (index = 0) => `${root()}/questions/${nth(made.form.questions, index).id}`;
const form = async () => successful(await server.get<Form>(formPath())).body;
const options = async () => first((await form()).questions).options;
const places = (items: readonly object[]) =>
  items.map((item) => ('position' in item ? `${item.position} ${Object.values(item).find(isName)}` : ''));
const isName = (value: unknown) => /^(Question|Option|New)\b/.test(String(value));

describe('a position that is taken', () => {
  it('moves the questions from there up to the next gap down by one', async () => {
    successful(await server.post(`${formPath()}/questions`, { questionText: 'New', position: 1 }));
    expect(places((await form()).questions)).toEqual(['1 New', '2 Question 1', '3 Question 2', '7 Question 7']);
    successful(await server.put(questionPath(2), { position: 1 }));
    expect(places((await form()).questions)).toEqual(['1 Question 7', '2 New', '3 Question 1', '4 Question 2']);
  });

  it('moves the options from there up to the next gap down by one', async () => {
    successful(await server.post(`${questionPath()}/options`, { optionText: 'New', score: 0, position: 2 }));
    expect(places(await options())).toEqual(['1 Option 1', '2 New', '3 Option 2', '4 Option 3']);
    successful(await server.put(`${root()}/options/${nth(await options(), 3).id}`, { position: 1 }));
    expect(places(await options())).toEqual(['1 Option 3', '2 Option 1', '3 New', '4 Option 2']);
  });
});

describe('the type of a question', () => {
  const typeAfter = async (id: string) => first((await form()).questions.filter((item) => item.id === id)).responseType;

  it('may change, but a type without options takes none', async () => {
    const { id } = first(made.form.questions);
    expectProblem(await server.put(questionPath(), { responseType: 'NUMBER' }), 409, 'options-not-taken');
    expect((await server.put<Question>(questionPath(), { responseType: 'BOOLEAN' })).body.responseType).toBe('BOOLEAN');
    expect(await typeAfter(id)).toBe('BOOLEAN');
    const add = () => server.post(`${questionPath(1)}/options`, option(1));
    expectProblem(await expectNothingStored(server, add), 409, 'options-not-taken');
  });
});

describe('a list that is full', () => {
  it('is 409 with its limit: 500 questions of a form, and 200 options of a question', async () => {
    const questions = [select(1, 200), ...numbered(499, (n) => question(n + 1))];
    made = await createQuestionnaire(server, institutionId, { questions });
    const addQuestion = () => server.post(`${formPath()}/questions`, { questionText: 'One too many' });
    expectProblem(await expectNothingStored(server, addQuestion), 409, 'too-many-questions');
    const response = await server.post(`${questionPath()}/options`, option(201));
    expect(expectProblem(response, 409, 'too-many-options')).toMatchObject({ limit: 200 });
  });
});

/** The two lists that can be reordered: the questions of the form, and the options of its first question. */
const lists = {
  questions: {
    path: () => `${formPath()}/questions/order`,
    in: ({ questions }: Form) => questions,
    event: 'ProtocolQuestionsReordered',
  },
  options: {
    path: () => `${questionPath()}/options/order`,
    in: ({ questions }: Form) => first(questions.filter(({ id }) => id === first(made.form.questions).id)).options,
    event: 'ProtocolOptionsReordered',
  },
} as const;

describe.each(Object.entries(lists))('PUT …/%s/order', (_, list) => {
  const order = (ids: readonly string[], headers: Readonly<Record<string, string>> = {}) =>
    server.put<Form>(list.path(), { ids }, headers);
  const ids = () => list.in(made.form).map(({ id }) => id);
  const recorded = async () => (await server.recorded(`protocol-${made.protocol.id}`)).map(({ type }) => type).slice(2);

  it('numbers the items from 1 to n with one event, also the second time, and responds with the form', async () => {
    const wanted = ids().toReversed();
    for (const sent of [wanted, wanted.map((id) => id.toUpperCase())]) {
      const { status, headers, body } = await order(sent);
      expect([status, headers.get('etag'), body]).toEqual([200, '"2"', await form()]);
      const items = list.in(body).map(({ id, position }) => [position, id]);
      expect(items).toEqual(wanted.map((id, index) => [index + 1, id]));
    }
    expect(await recorded()).toEqual([list.event]);
  });

  it('refuses missing, foreign and repeated ids, each with its pointer', async () => {
    const [one = '', two = '', ...rest] = ids();
    expectRefused(await order([one, two, ...rest, one]), `/ids/${rest.length + 2} duplicate`);
    expectRefused(await order([]), '/ids incomplete');
    expectRefused(await order([UNKNOWN_ID, two, ...rest]), '/ids incomplete', '/ids/0 not-found');
    expect(await recorded()).toEqual([]);
  });

  it('honours If-Match and Idempotency-Key', async () => {
    const wanted = ids().toReversed();
    const headers = { 'If-Match': '"1"', 'Idempotency-Key': randomUUID() };
    const once = successful(await order(wanted, headers));
    const again = await order(wanted, headers);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', once.body]);
    expectProblem(await order(wanted, { 'If-Match': '"1"' }), 412, 'revision-mismatch');
  });
});
