// The members of every response to endpoints 1 to 10 and to the reads beside them, as a client that knows only the
// contract calls them. A new member is a change that such a client can see: it needs a decision, and then a line here.
import { beforeAll, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  type ProtocolAndForm,
  successful,
} from './support/samples.js';

const server = sharedService();

const dates = ['createdAt', 'updatedAt'];
const protocol = ['id', 'institutionId', 'name', 'prompt', ...dates];
/** Returns the members of a part of an object, or of the items of a list. */
const of = (part: string, members: readonly string[]) => [part, ...members.map((member) => `${part}.${member}`)];
const option = ['id', 'protocolQuestionId', 'optionText', 'score', 'position', 'copiedFrom', ...dates];
const question = [
  ...['id', 'protocolFormId', 'questionText', 'responseType', 'metadata', 'required', 'weight', 'position'],
  ...['copiedFrom', ...dates, ...of('options', option)],
];
const scoreRange = ['id', 'protocolFormId', 'minScore', 'maxScore', 'classification', 'copiedFrom', ...dates];
// `status` is the one member that came with the life of forms.
const version = ['id', 'protocolId', 'version', 'copiedFrom', 'status', ...dates];
const form = [...version, ...of('questions', question), ...of('scoreRanges', scoreRange)];
const protocolAndForm = [...of('protocol', protocol), ...of('form', form)];
const page = (item: readonly string[]) => [...of('items', item), 'nextCursor'];

/** Returns the names of all members of a value. Those of `metadata` are the client's own. */
const membersOf = (value: unknown, at = ''): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(item, at));
  if (typeof value !== 'object' || value === null || at.endsWith('metadata.')) return [];
  return Object.entries(value).flatMap(([name, inner]) => [`${at}${name}`, ...membersOf(inner, `${at}${name}.`)]);
};

let made: ProtocolAndForm;
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
  made = await createQuestionnaire(server, institutionId);
});

interface Exchange {
  readonly sent: () => readonly [method: string, path: string, json?: unknown];
  readonly status: number;
  readonly members: readonly string[];
}
const root = () => `/protocols/${made.protocol.id}`;
const asked = () => first(made.form.questions);
const content = { questionText: 'How long?', metadata: { minValue: 0 }, required: true, weight: 1, position: 9 };
const chosen = { optionText: 'Often', score: 2, position: 9 };
const range = { minScore: 0, maxScore: 9, classification: 'All' };
const sentQuestions = [{ ...content, position: 1, metadata: {}, options: [{ ...chosen, position: 1 }] }];

const exchanges: Readonly<Record<string, Exchange>> = {
  'endpoint 1': {
    sent: () => [
      'POST',
      '/protocols/questionnaires',
      {
        ...{ institutionId, name: 'PHQ-2', prompt: null, scoreRanges: [range] },
        questions: sentQuestions.map((each) => ({ ...each, responseType: 'SELECT' })),
      },
    ],
    status: 201,
    members: protocolAndForm,
  },
  'endpoint 3': {
    sent: () => ['POST', '/protocols', { institutionId, name: 'Falls', prompt: 'Ask.' }],
    status: 201,
    members: protocol,
  },
  'endpoint 4': { sent: () => ['PUT', root(), { name: 'New', prompt: 'Ask.' }], status: 200, members: protocol },
  'endpoint 5': { sent: () => ['POST', `${root()}/forms/versions`], status: 201, members: form },
  'endpoint 6': { sent: () => ['GET', `${root()}/forms/${made.form.id}`], status: 200, members: form },
  'endpoint 7': {
    sent: () => ['POST', `${root()}/forms/${made.form.id}/questions`, content],
    status: 201,
    // The new question has no options.
    members: question.filter((member) => !member.startsWith('options.')),
  },
  'endpoint 8': {
    sent: () => ['PUT', `${root()}/questions/${asked().id}`, { ...content, metadata: {}, position: 1 }],
    status: 200,
    members: question,
  },
  'endpoint 9': {
    sent: () => ['POST', `${root()}/questions/${asked().id}/options`, chosen],
    status: 201,
    members: option,
  },
  'endpoint 10': {
    sent: () => ['PUT', `${root()}/options/${first(asked().options).id}`, { ...chosen, position: 1 }],
    status: 200,
    members: option,
  },
  'GET /protocols': {
    sent: () => ['GET', `/protocols?institutionId=${institutionId}`],
    status: 200,
    members: page(protocol),
  },
  'GET /protocols/{id}': { sent: () => ['GET', root()], status: 200, members: protocol },
  'GET /protocols/{id}/questionnaire': {
    sent: () => ['GET', `${root()}/questionnaire`],
    status: 200,
    members: [...protocolAndForm, ...of('scoreRanges', scoreRange)],
  },
  'GET /protocols/{id}/forms': { sent: () => ['GET', `${root()}/forms`], status: 200, members: page(version) },
  // The last one, because it replaces the questions that the others name.
  'endpoint 2': {
    sent: () => [
      'PUT',
      `${root()}/questionnaire`,
      { formId: made.form.id, name: 'New', prompt: 'Ask.', questions: sentQuestions, scoreRanges: [range] },
    ],
    status: 200,
    members: protocolAndForm,
  },
};

it.each(Object.entries(exchanges))('%s responds with exactly these members', async (_, { sent, status, members }) => {
  const [method, path, json] = sent();
  const headers = method === 'GET' ? await upToDate(server) : {};
  const response = await server.send(method, path, { json, headers });
  expect([response.status, [...new Set(membersOf(response.body))].toSorted()]).toEqual([status, members.toSorted()]);
});

it('publishes and archives nothing by itself', async () => {
  const { id } = await createProtocol(server, institutionId);
  for (const _ of [1, 2]) {
    const { body } = successful(await server.post<Form>(`/protocols/${id}/forms/versions`));
    expect(body.status).toBe('DRAFT');
  }
  expect((await server.get(`/protocols/${id}/forms/current`)).status).toBe(404);
  const types = (await server.recorded(`protocol-${id}`)).map(({ type }) => type);
  expect(types).toEqual(['ProtocolCreated', 'ProtocolFormVersionCreated', 'ProtocolFormVersionCreated']);
});
