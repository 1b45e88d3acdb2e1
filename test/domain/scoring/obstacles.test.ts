// Forms that nobody can complete, or of which some question cannot be answered.
import { describe, expect, it } from 'vitest';
import type { FindingCode } from '../../../src/domain/scoring/schemas.js';
import { uuidOf } from '../../support/specification.js';
import { analysed, anyNumber, formOf, many, wholeNumber } from '../support/scoring.js';

type Given = Parameters<typeof formOf>[0][number];

const question = (place: number) => uuidOf(1_000 * place);
const withCode = (form: ReturnType<typeof formOf>, wanted: FindingCode) =>
  analysed(form).findings.flatMap(({ code, questionIds }) => (code === wanted ? [questionIds] : []));
const text = (minLength: number, more: Given = {}): Given => ({
  responseType: 'TEXT',
  metadata: { minLength },
  ...more,
});

const UNANSWERABLE: readonly [string, Given][] = [
  ['a whole number between bounds without one', wholeNumber({ minValue: 0.2, maxValue: 0.8 })],
  ['a number whose bounds exclude each other', anyNumber({ minValue: 3, maxValue: 2 })],
  ['a text above the longest one', text(100_001)],
  ['a text that must be longer than it may be', { responseType: 'TEXT', metadata: { minLength: 5, maxLength: 4 } }],
  ['a text that may have no character', { responseType: 'TEXT', metadata: { maxLength: 0 } }],
  ['a date after each date', { responseType: 'DATE', metadata: { minValue: '2021-01-01', maxValue: '2020-12-31' } }],
  [
    'an instant after each instant',
    { responseType: 'DATETIME', metadata: { minValue: '2021-01-01T01:00:00Z', maxValue: '2021-01-01T01:00:00+01:00' } },
  ],
];

describe('a question that no answer fits', () => {
  it.each(UNANSWERABLE)('is an error if it is required, and no finding needs totals then: %s', (_, given) => {
    const form = formOf([{ options: [0, 5] }, given], [[0, 4, 'low']]);
    expect(withCode(form, 'required-question-without-answer')).toEqual([[question(2)]]);
    const { undecided, totals, findings } = analysed(form);
    expect(undecided).toBe(false);
    expect(totals).toEqual({ min: null, max: null, count: 0, values: null, intervals: null });
    expect(findings.filter(({ code }) => code.startsWith('total') || code.startsWith('range'))).toEqual([]);
  });

  it.each([...UNANSWERABLE, ['a choice without options', {}] as const])('is a warning otherwise: %s', (_, given) => {
    const form = formOf([{ ...given, required: false }, { options: [0, 5] }], [[0, 4, 'low']]);
    expect(withCode(form, 'question-without-answer')).toEqual([[question(1)]]);
    expect(withCode(form, 'required-question-without-answer')).toEqual([]);
    expect(analysed(form).totals.values).toEqual([0, 5]);
  });
});

describe('the shortest answers to all required questions', () => {
  const LONGEST = 256 * 1_024;
  const entry = (questionId: string, answer: object) => ({ questionId, ...answer });
  const bytesOf = (...entries: readonly object[]) => JSON.stringify({ answers: entries }).length;
  const [one, other, last] = [text(100_000), text(100_000), (length: number) => text(length)];
  const long = { value: '-'.repeat(100_000) };
  const isTooLong = (...questions: readonly Given[]) =>
    withCode(formOf([...questions]), 'required-question-without-answer').length > 0;

  it('may take as many bytes as a request, and no more', () => {
    const taken = bytesOf(entry(question(1), long), entry(question(2), long), entry(question(3), { value: '' }));
    const rest = LONGEST - taken;
    expect([isTooLong(one, other, last(rest)), isTooLong(one, other, last(rest + 1))]).toEqual([false, true]);
  });

  it('count the ids of options, the shortest numbers, dates, and true', () => {
    const questions: readonly Given[] = [
      { options: [0] },
      { responseType: 'MULTIPLE_SELECT', options: [1, 2] },
      anyNumber({ minValue: 36.125, maxValue: 42 }),
      { responseType: 'DATE', metadata: { minValue: '2020-01-01' } },
      { responseType: 'BOOLEAN' },
    ];
    const answers = [
      { optionIds: [question(1)] },
      { optionIds: [question(1)] },
      { value: 37 },
      { value: '2020-01-01' },
      { value: true },
    ];
    const entries = [...answers, long, long, { value: '' }].map((answer) => entry(question(1), answer));
    const rest = LONGEST - bytesOf(...entries);
    const fits = (length: number) => !isTooLong(...questions, one, other, last(length));
    expect([fits(rest), fits(rest + 1)]).toEqual([true, false]);
  });

  it('name all required questions, and no other, in one finding', () => {
    const form = formOf([...many(3, () => text(100_000)), text(100_000, { required: false })]);
    expect(withCode(form, 'required-question-without-answer')).toEqual([[question(1), question(2), question(3)]]);
    expect(analysed(form).totals.count).toBe(0);
  });
});
