// The member `integer` of metadata, and items that are named by their originals, on every route that takes them.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectRefused } from './support/refusals.js';
import type { Form, ProtocolAndForm, Question } from './support/samples.js';
import {
  createInstitution,
  createQuestionnaire,
  question,
  questionnaire,
  select,
  successful,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
  made = await createQuestionnaire(server, institutionId, { questions: [select(1, 2), question(2)] });
});

describe('an integer that is neither true, false nor null', () => {
  const asked = (integer: unknown) => ({ ...question(1), metadata: { integer }, position: undefined });
  const ROUTES: readonly (readonly [string, string, (integer: unknown) => Promise<ClientResponse>])[] = [
    ...['', '?strict=true'].flatMap((query) => [
      [
        `endpoint 1${query}`,
        '/questions/0/metadata/integer',
        (integer: unknown) =>
          server.post(`/protocols/questionnaires${query}`, {
            ...questionnaire(institutionId),
            questions: [asked(integer)],
          }),
      ] as const,
      [
        `endpoint 2${query}`,
        '/questions/1/metadata/integer',
        (integer: unknown) =>
          server.put(`/protocols/${made.protocol.id}/questionnaire${query}`, {
            formId: made.form.id,
            scoreRanges: [],
            questions: [asked(true), { ...asked(integer), id: nth(made.form.questions, 1).id }],
          }),
      ] as const,
    ]),
    [
      'endpoint 7',
      '/metadata/integer',
      (integer) => server.post(`/protocols/${made.protocol.id}/forms/${made.form.id}/questions`, asked(integer)),
    ],
    [
      'endpoint 8',
      '/metadata/integer',
      (integer) =>
        server.put(`/protocols/${made.protocol.id}/questions/${nth(made.form.questions, 1).id}`, {
          metadata: { integer },
        }),
    ],
    ...['analysis', 'score'].map(
      (path) =>
        [
          `the ${path} of what is not stored`,
          '/questions/0/metadata/integer',
          (integer: unknown) =>
            server.post(`/protocols/questionnaires/${path}`, {
              scoreRanges: [],
              questions: [asked(integer)],
              answers: [],
            }),
        ] as const,
    ),
  ];

  it.each(ROUTES)('is refused with its pointer: %s', async (_, pointer, send) => {
    for (const integer of ['true', 1, [true]]) {
      expectRefused(await expectNothingStored(server, () => send(integer)), `${pointer} invalid-type`);
    }
  });
});

describe('a replacement of the second version of a form', () => {
  it('with the ids of the first keeps the history of each item, and refuses two ids of one', async () => {
    const path = `/protocols/${made.protocol.id}`;
    const { body: next } = successful(await server.post<Form>(`${path}/forms/versions`));
    const sent = (of: Form): unknown[] =>
      of.questions.map(({ id, questionText, options }) => ({
        id,
        questionText,
        options: options.map(({ id, optionText, score }) => ({ id, optionText, score })),
      }));
    const replace = (questions: unknown, scoreRanges: unknown = made.form.scoreRanges) =>
      server.put<ProtocolAndForm>(`${path}/questionnaire`, { formId: next.id, questions, scoreRanges });
    const idsIn = ({ questions, scoreRanges }: Form) =>
      [...questions, ...questions.flatMap(({ options }) => options), ...scoreRanges].map(({ id, copiedFrom }) => [
        id,
        copiedFrom,
      ]);
    const { form } = successful(await replace(sent(made.form))).body;
    expect(idsIn(form)).toEqual(idsIn(next));
    expect(form.questions.map(({ responseType }) => responseType)).toEqual(['SELECT', 'TEXT']);
    const [one, other] = [made.form, next].map((of) => first(of.questions as readonly Question[]).id);
    expectRefused(
      await replace(
        [
          { id: one, questionText: 'A' },
          { id: other, questionText: 'B' },
        ],
        [],
      ),
      '/questions/1/id duplicate',
    );
  });
});
