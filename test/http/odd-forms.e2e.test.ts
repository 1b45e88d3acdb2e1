// Forms with odd content, and hostile answers: each form is scored and analysed, and no request fails.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis, Score } from '../../src/domain/scoring/schemas.js';
import { nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import {
  createInstitution,
  createQuestionnaire,
  numbered,
  option,
  type ProtocolAndForm,
  question,
  type SentQuestion,
  type SentQuestionnaire,
  select,
  successful,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const pathOf = ({ protocol, form }: ProtocolAndForm) => `/protocols/${protocol.id}/forms/${form.id}`;
const SMALLEST = 5e-324;
const LARGEST = Number.MAX_VALUE;
const scored = (n: number, ...scores: readonly number[]): SentQuestion => ({
  ...select(n, 0),
  options: scores.map((score, index) => option(index + 1, { score })),
});
const number = (n: number, metadata: object, more: Partial<SentQuestion> = {}): SentQuestion =>
  question(n, { responseType: 'NUMBER', metadata: metadata as SentQuestion['metadata'], ...more });

const FORMS: Readonly<Record<string, Partial<SentQuestionnaire>>> = {
  'the largest and the smallest numbers': {
    questions: [
      scored(1, LARGEST, SMALLEST, -0),
      scored(2, -LARGEST, -SMALLEST),
      { ...scored(3, 1e308), weight: 1e308 },
    ],
    scoreRanges: [
      { minScore: -LARGEST, maxScore: -SMALLEST, classification: 'Below' },
      { minScore: -0, maxScore: 0, classification: 'Zero' },
      { minScore: SMALLEST, maxScore: LARGEST, classification: 'Above' },
    ],
  },
  'any number, weighed with the largest and the smallest number': {
    questions: [number(1, {}, { weight: LARGEST }), number(2, { minValue: -0 }, { weight: -SMALLEST })],
  },
  'whole numbers without a whole number between their bounds': {
    questions: [number(1, { minValue: 0.2, maxValue: 0.8, integer: true }), select(2, 2)],
  },
  'texts that no request can hold': {
    questions: numbered(3, (n) => question(n, { metadata: { minLength: 100_000 } })),
  },
  'whole numbers beyond those that doubles can hold': {
    questions: [number(1, { minValue: 2 ** 60, maxValue: 2 ** 60 + 4_096, integer: true })],
  },
  'metadata of other types': {
    questions: [
      number(1, { integer: null, minValue: null, maxValue: 3, minLength: 9 }),
      question(2, {
        metadata: { minValue: 5, maxValue: 5, integer: true, constructor: 1 } as SentQuestion['metadata'],
      }),
      question(3, { responseType: 'DATE', metadata: { minValue: '9999-12-31', minLength: 50 } }),
      question(4, { responseType: 'DATETIME', metadata: { maxValue: '0001-01-01T00:00:00+14:00' } }),
      question(5, { metadata: { minLength: 2 ** 53 - 1 } }),
    ],
  },
  'a required choice without options': {
    questions: [select(1, 0), { ...select(2, 0), responseType: 'MULTIPLE_SELECT' }],
  },
  'no effect of any question, and ranges that touch': {
    questions: [number(1, { minValue: 0, maxValue: 10 }), { ...select(2, 1), weight: 0 }],
    scoreRanges: [
      { minScore: 0, maxScore: 5, classification: 'Low' },
      { minScore: 5.000000000000001, maxScore: 10, classification: 'High' },
    ],
  },
  'lists of options that score nothing': {
    questions: numbered(3, (n) => ({
      ...select(n, 0),
      responseType: 'MULTIPLE_SELECT',
      options: numbered(200, (place) => option(place, { score: 0 })),
    })),
  },
  'as many questions as a form can have': { questions: numbered(500, (n) => scored(n, n, -n, 0.1 * n)) },
};

describe.each(Object.entries(FORMS))('a form with %s', (_, content) => {
  it('is scored and analysed, stored or not, and its findings are true', async () => {
    const made = await createQuestionnaire(server, institutionId, content);
    const score = async (answers: unknown) =>
      successful(await server.post<Score>(`${pathOf(made)}/score`, { answers })).body;
    const { body } = successful(await server.get<Analysis>(`${pathOf(made)}/analysis`));
    const sent = { scoreRanges: [], ...content };
    const { body: unstored } = successful(await server.post<Analysis>('/protocols/questionnaires/analysis', sent));
    expect(unstored.totals).toEqual(body.totals);
    const { min, max, count } = body.totals;
    // Nothing is known about the totals of a form that nobody can complete.
    expect({ min, max }).toEqual(count === 0 ? { min: null, max: null } : (await score([])).possible);
    for (const { code, answers = null, min = null, max = null } of body.findings) {
      if (answers === null) continue;
      expect(code).toBe('total-without-range');
      const { total, range, complete } = await score(answers);
      expect([range, complete, min === null || min <= total, max === null || total <= max]).toEqual([
        ...[null, true, true, true],
      ]);
    }
    const { status } = await server.post(`${pathOf(made)}/publish`);
    expect(status).toBe(body.undecided || body.findings.some(({ severity }) => severity === 'error') ? 409 : 200);
  });
});

describe('hostile answers', () => {
  const ID = '018f4c3e-7a12-7d03-8a00-2b3c4d5e6f70';
  const BODIES = [
    'null',
    '[]',
    '{"answers":null}',
    '{"answers":{"length":500}}',
    '{"answers":[null]}',
    '{"answers":[[]]}',
    `{"answers":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    `{"answers":[{"questionId":"${ID}","value":${'{"a":'.repeat(90)}1${'}'.repeat(90)}}]}`,
    `{"answers":[],"answers":[{"questionId":"${ID}","value":1}]}`,
    `{"answers":[{"questionId":"${ID}","questionId":"${ID}","value":1}]}`,
    `{"answers":[{"questionId":"${ID}","__proto__":{"value":1}}]}`,
    `{"__proto__":{"answers":[]}}`,
    '{"answers":[{"questionId":"__proto__","value":1}]}',
    '{"answers":[{"questionId":"constructor","optionIds":["toString"]}]}',
    `{"answers":[{"questionId":"${ID}","value":1e999}]}`,
    `{"answers":[{"questionId":"${ID}","value":9007199254740993}]}`,
    `{"answers":[{"questionId":"${ID}","value":"\\ud800"}]}`,
    `{"answers":[{"questionId":"${ID}","optionIds":{"0":"${ID}"}}]}`,
    `{"answers":[{"questionId":"${ID}","value":[1]}]}`,
  ];

  it.each(BODIES.map((bytes) => [bytes.slice(0, 80), bytes]))('are refused: %s', async (_, bytes) => {
    const made = await createQuestionnaire(server, institutionId, { questions: [select(1, 2)] });
    const { id } = nth(made.form.questions, 0);
    const response = await server.send('POST', `${pathOf(made)}/score`, { bytes: bytes.replaceAll(ID, id) });
    expect([response.status, response.headers.get('cache-control')]).toEqual([400, 'no-store']);
  });

  it.each([
    ['"4"', 'invalid-type'],
    ['4.0000000000000001', 'success'],
    ['-0', 'success'],
    ['1e0', 'success'],
    ['5e-324', 'invalid-value'],
    ['1e308', 'too-big'],
    ['true', 'invalid-type'],
    ['""', 'success'],
  ])('to a whole number may be %s: %s', async (value, outcome) => {
    const questions = [number(1, { minValue: 0, maxValue: 10, integer: true })];
    const made = await createQuestionnaire(server, institutionId, { questions });
    const bytes = `{"answers":[{"questionId":"${nth(made.form.questions, 0).id}","value":${value}}]}`;
    const { status, body } = await server.send<{ errors?: { code: string }[] }>('POST', `${pathOf(made)}/score`, {
      bytes,
    });
    expect([status, body.errors?.map(({ code }) => code)]).toEqual(
      outcome === 'success' ? [200, undefined] : [400, [outcome]],
    );
  });
});

it('an analysis whose client has gone ends, and later requests are served', async () => {
  const heavy = (n: number) => ({
    questions: numbered(60, (place) => scored(place, ...numbered(10, (m) => Math.sin(m * place * (n + 2)) / 3))),
    scoreRanges: [],
  });
  const send = (n: number, signal?: AbortSignal) =>
    fetch(`${server.url}/protocols/questionnaires/analysis`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(heavy(n)),
      ...(signal && { signal }),
    });
  for (const round of [0, 1, 2]) {
    const controller = new AbortController();
    const gone = Promise.allSettled(numbered(6, (n) => send(10 * round + n, controller.signal)));
    successful(await server.get('/livez'));
    controller.abort();
    // A request that has no response when the client aborts it rejects.
    for (const each of await gone) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ name: 'AbortError' });
    }
  }
  await expect.poll(async () => (await send(99)).status, { timeout: 90_000 }).toBe(200);
});
