// Publishing, retiring, deleting, archiving and restoring: what the routes respond, record and refuse.
// test/domain/protocol/life-table.test.ts has every command in every state.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem } from './support/refusals.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  type Protocol,
  type ProtocolAndForm,
  type Questionnaire,
  question,
  select,
  successful,
  UNKNOWN_ID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
let root: string;
let form: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
beforeEach(async () => {
  made = await createQuestionnaire(server, institutionId, { questions: [select(1, 3), question(2), question(3)] });
  root = `/protocols/${made.protocol.id}`;
  form = `${root}/forms/${made.form.id}`;
});

const act = async <T = Form>(path: string, json?: unknown) => successful(await server.post<T>(path, json));
const remove = <T = Form>(path: string) => server.send<T>('DELETE', path);
const eventsOf = async () => (await server.recorded(`protocol-${made.protocol.id}`)).slice(2);

/** Requests that change the form or an item of it, by the name of the endpoint. Each would succeed in a draft. */
const changes: Readonly<Record<string, () => readonly [method: string, path: string, json?: unknown]>> = {
  'endpoint 2': () => [
    'PUT',
    `${root}/questionnaire`,
    { formId: made.form.id, questions: [question(1)], scoreRanges: [] },
  ],
  'endpoint 7': () => ['POST', `${form}/questions`, { questionText: 'New' }],
  'endpoint 8': () => ['PUT', `${root}/questions/${first(made.form.questions).id}`, { weight: 2 }],
  'endpoint 9': () => [
    'POST',
    `${root}/questions/${first(made.form.questions).id}/options`,
    { optionText: 'A', score: 1 },
  ],
  'endpoint 10': () => ['PUT', `${root}/options/${first(first(made.form.questions).options).id}`, { score: 9 }],
  'the order of questions': () => [
    'PUT',
    `${form}/questions/order`,
    { ids: made.form.questions.map(({ id }) => id).toReversed() },
  ],
  'the order of options': () => [
    'PUT',
    `${root}/questions/${first(made.form.questions).id}/options/order`,
    {
      ids: first(made.form.questions)
        .options.map(({ id }) => id)
        .toReversed(),
    },
  ],
  'the deletion of a question': () => ['DELETE', `${root}/questions/${first(made.form.questions).id}`],
  'the deletion of an option': () => ['DELETE', `${root}/options/${first(first(made.form.questions).options).id}`],
};
const send = ([method, path, json]: readonly [string, string, unknown?]) => server.send(method, path, { json });

describe('the status of a form', () => {
  it('is DRAFT in every response that shows a new form', async () => {
    const version = (await act(`${root}/forms/versions`)).body;
    expect([made.form.status, version.status]).toEqual(['DRAFT', 'DRAFT']);
  });

  it('becomes PUBLISHED and RETIRED, each recorded once with its reason', async () => {
    const reason = 'The committee agreed.';
    const published = await act(`${form}/publish`, { reason });
    expect(published.body).toEqual({ ...made.form, status: 'PUBLISHED', updatedAt: published.body.updatedAt });
    expect([published.status, published.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await server.get(form)).body).toEqual(published.body);
    const again = await expectNothingStored(server, () => server.post(`${form}/publish`, { reason: 'Again.' }));
    expect([again.status, again.body]).toEqual([200, published.body]);
    const retired = await act(`${form}/retire`);
    expect(retired.body).toMatchObject({ status: 'RETIRED', questions: made.form.questions });
    expect((await expectNothingStored(server, () => server.post(`${form}/retire`))).body).toEqual(retired.body);
    expect(await eventsOf()).toMatchObject([
      { type: 'ProtocolFormPublished', data: { formId: made.form.id, reason } },
      { type: 'ProtocolFormRetired', data: { formId: made.form.id, reason: null } },
    ]);
    expectProblem(await server.post(`${form}/publish`), 409, 'form-retired');
  });

  it('honours If-Match', async () => {
    const stale = { 'If-Match': '"0"' };
    expectProblem(await server.post(`${form}/publish`, {}, stale), 412, 'revision-mismatch');
    successful(await server.post(`${form}/publish`, {}, { 'If-Match': '"1"' }));
    expectProblem(await server.post(`${form}/publish`, {}, stale), 412, 'revision-mismatch');
  });

  it('of an unknown form is 404, and of a form of another protocol too', async () => {
    const other = await createProtocol(server, institutionId);
    for (const path of [`${root}/forms/${UNKNOWN_ID}`, `/protocols/${other.id}/forms/${made.form.id}`]) {
      for (const action of ['publish', 'retire'])
        expectProblem(await server.post(`${path}/${action}`), 404, 'form-not-found');
    }
    expectProblem(
      await server.post(`/protocols/${UNKNOWN_ID}/forms/${made.form.id}/publish`),
      404,
      'protocol-not-found',
    );
  });
});

describe.each(Object.entries(changes))('%s', (_, request) => {
  it('changes a draft, but no published and no retired form', async () => {
    await act(`${form}/publish`);
    const problem = expectProblem(await expectNothingStored(server, () => send(request())), 409, 'form-published');
    expect(problem).toMatchObject({ formId: made.form.id, detail: expect.stringContaining('/forms/versions') });
    await act(`${form}/retire`);
    const other = expectProblem(await expectNothingStored(server, () => send(request())), 409, 'form-retired');
    expect(other).toMatchObject({ formId: made.form.id, detail: expect.stringContaining('/forms/versions') });
  });

  it('changes nothing in an archived protocol, and works again after it is restored', async () => {
    await act(`${root}/archive`);
    const refused = await expectNothingStored(server, () => send(request()));
    const { detail } = expectProblem(refused, 409, 'protocol-archived');
    expect(detail).toContain('/restore');
    await act(`${root}/restore`);
    successful(await send(request()));
  });

  it('of something that does not exist is 404 or 400, also in an archived protocol', async () => {
    const [method, path, json] = request();
    const unknown = path.replace(/(?<=\/(forms|questions|options)\/)[\da-f-]{36}/, UNKNOWN_ID);
    const sent = path.endsWith('/questionnaire') ? { ...(json as object), formId: UNKNOWN_ID } : json;
    const expected = path.endsWith('/questionnaire') ? 400 : 404;
    expect((await send([method, unknown, sent])).status).toBe(expected);
    await act(`${root}/archive`);
    expect((await send([method, unknown, sent])).status).toBe(expected);
  });
});

describe('an archived protocol', () => {
  it('can be read and copied; every other change is refused', async () => {
    await act(`${form}/publish`);
    await act(`${root}/archive`);
    for (const path of [root, form, `${root}/forms`, `${root}/forms/current`, `${root}/questionnaire`]) {
      expect((await server.get(path)).status).toBe(200);
    }
    for (const [method, path, json] of [
      ['PUT', root, { name: 'New' }],
      ['PUT', root, {}],
      ['POST', `${root}/forms/versions`],
      ['POST', `${form}/publish`],
      ['POST', `${form}/retire`],
    ] as const) {
      expectProblem(await expectNothingStored(server, () => send([method, path, json])), 409, 'protocol-archived');
    }
    await act(`${root}/copies`, { institutionId });
  });

  it('is archived and restored once, whatever is repeated', async () => {
    const archived = await act<Protocol>(`${root}/archive`, { reason: 'Nobody uses it.' });
    expect((await expectNothingStored(server, () => server.post(`${root}/archive`))).body).toEqual(archived.body);
    await act(`${root}/restore`, { reason: 'The ward asked for it.' });
    await expectNothingStored(server, () => server.post(`${root}/restore`));
    expect(await eventsOf()).toMatchObject([
      { type: 'ProtocolArchived', data: { reason: 'Nobody uses it.' } },
      { type: 'ProtocolRestored', data: { reason: 'The ward asked for it.' } },
    ]);
    expectProblem(await server.post(`/protocols/${UNKNOWN_ID}/archive`), 404, 'protocol-not-found');
    expectProblem(await server.post(`/protocols/${UNKNOWN_ID}/restore`), 404, 'protocol-not-found');
  });
});

describe('a deletion', () => {
  it('responds with the form, keeps other positions, and makes the id unknown', async () => {
    const [choice, text] = [nth(made.form.questions, 0), nth(made.form.questions, 1)];
    const option = nth(choice.options, 1);
    const without = successful(await remove(`${root}/options/${option.id}`)).body;
    expect(first(without.questions).options.map(({ position }) => position)).toEqual([1, 3]);
    const response = successful(await remove(`${root}/questions/${text.id}`));
    expect(response.body.questions.map(({ position }) => position)).toEqual([1, 3]);
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"3"']);
    expect((await server.get(form)).body).toEqual(response.body);
    expectProblem(await remove(`${root}/questions/${text.id}`), 404, 'question-not-found');
    expectProblem(await server.put(`${root}/questions/${text.id}`, {}), 404, 'question-not-found');
    expectProblem(await remove(`${root}/options/${option.id}`), 404, 'option-not-found');
    expect(await eventsOf()).toMatchObject([
      { type: 'ProtocolOptionRemoved', data: { formId: made.form.id, questionId: choice.id, optionId: option.id } },
      { type: 'ProtocolQuestionRemoved', data: { formId: made.form.id, questionId: text.id } },
    ]);
  });

  it('may take the last question', async () => {
    for (const { id } of made.form.questions) successful(await remove(`${root}/questions/${id}`));
    expect((await server.get<Form>(form)).body.questions).toEqual([]);
  });

  it('is replayed with an Idempotency-Key, although the question is gone', async () => {
    const path = `${root}/questions/${first(made.form.questions).id}`;
    const headers = { 'Idempotency-Key': randomUUID() };
    const once = successful(await server.send<Form>('DELETE', path, { headers }));
    const again = await expectNothingStored(server, () => server.send<Form>('DELETE', path, { headers }));
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, once.body, 'true']);
  });

  it('beside a replacement is refused with If-Match, and otherwise loses nothing of either', async () => {
    const { id } = nth(made.form.questions, 1);
    const sent = made.form.questions.map(({ responseType: _, ...item }) => ({
      ...item,
      questionText: `${item.questionText}!`,
    }));
    const replacement = { formId: made.form.id, questions: sent, scoreRanges: [] };
    const replaced = successful(await server.put<ProtocolAndForm>(`${root}/questionnaire`, replacement)).body.form;
    const stale = await server.send('DELETE', `${root}/questions/${id}`, { headers: { 'If-Match': '"1"' } });
    expectProblem(stale, 412, 'revision-mismatch');
    successful(await remove(`${root}/questions/${id}`));
    // The replacement names the deleted question, so that the question comes back as a new one.
    const { body } = successful(await server.put<ProtocolAndForm>(`${root}/questionnaire`, replacement));
    expect(body.form.questions.map(({ questionText }) => questionText)).toEqual(
      replaced.questions.map(({ questionText }) => questionText),
    );
    expect(nth(body.form.questions, 1).id).not.toBe(id);
    const types = (await eventsOf()).map(({ type }) => type);
    expect(types).toEqual([
      ...['ProtocolQuestionnaireReplaced', 'ProtocolQuestionRemoved', 'ProtocolQuestionnaireReplaced'],
    ]);
  });
});

it('the whole life of a form is read as it was at each moment', async () => {
  const moments: { readonly at: string; readonly forms: readonly Form[] }[] = [];
  const ids = [made.form.id];
  const remember = async (at: string) => {
    const forms = [];
    for (const id of ids) forms.push(successful(await server.get<Form>(`${root}/forms/${id}`)).body);
    moments.push({ at, forms });
  };
  await remember(made.form.updatedAt);
  const step = async (path: string, method = 'POST') => {
    const { body } = successful(await server.send<Form>(method, `${root}${path}`));
    if (!ids.includes(body.id)) ids.push(body.id);
    await remember(body.updatedAt);
    return body;
  };
  const second = await step('/forms/versions');
  await step(`/forms/${made.form.id}/publish`);
  await step(`/questions/${first(second.questions).id}`, 'DELETE');
  await step(`/forms/${second.id}/publish`);
  await step(`/forms/${made.form.id}/retire`);
  const last = new Map(moments.map((moment) => [moment.at, moment]));
  for (const { at, forms } of last.values()) {
    for (const [index, expected] of forms.entries()) {
      const path = `${root}/questionnaire?version=${index + 1}&asOf=${at}`;
      expect(successful(await server.get<Questionnaire>(path)).body.form).toEqual(expected);
    }
  }
});
