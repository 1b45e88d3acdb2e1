import { describe, expect, it } from 'vitest';
import type { ScoredForm } from '../../../src/domain/scoring/answers.js';
import type { Analysis, FindingCode } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { uuidOf } from '../../support/specification.js';
import { analysed, anyNumber, formOf, many, wholeNumber } from '../support/scoring.js';

const question = (place: number) => uuidOf(1_000 * place);
const codesOf = ({ findings }: Analysis) => findings.map(({ code }) => code);
const found = (form: ScoredForm, code: FindingCode) =>
  analysed(form).findings.filter((finding) => finding.code === code);

describe('the analysis of a form', () => {
  it('finds a gap between two ranges, with answers that lead there', () => {
    const form = formOf(
      [{ options: [0, 1, 2, 3] }, { options: [0, 1, 2, 3] }],
      [
        [0, 2, 'low'],
        [5, 6, 'high'],
      ],
    );
    const { findings, totals } = analysed(form);
    expect(totals).toEqual({ min: 0, max: 6, count: 7, values: [0, 1, 2, 3, 4, 5, 6], intervals: [] });
    expect(findings).toEqual([
      {
        code: 'total-without-range',
        severity: 'error',
        message: 'Totals from 3 to 4 have no score range.',
        questionIds: [],
        min: 3,
        max: 4,
        answers: expect.any(Array),
      },
    ]);
    expect(scoreOf(form, findings[0]?.answers ?? [])).toMatchObject({ total: 3, complete: true, range: null });
  });

  it('answers every required question in the answers of a finding', () => {
    const form = formOf(
      [
        { options: [1] },
        { responseType: 'TEXT', metadata: { minLength: 3 } },
        { responseType: 'DATE', metadata: { minValue: '2024-01-01' } },
        { responseType: 'DATETIME', metadata: { maxValue: '1999-01-01T00:00:00Z' } },
        { responseType: 'BOOLEAN' },
        { options: [5], weight: 0 },
        anyNumber({ minValue: 2.5, maxValue: 3 }, { weight: 0 }),
        { responseType: 'TEXT', required: false },
      ],
      [[2, 3, 'never']],
    );
    const [finding] = found(form, 'total-without-range');
    expect(scoreOf(form, finding?.answers ?? [])).toMatchObject({ total: 1, complete: true });
    expect(finding?.answers).toHaveLength(7);
  });

  it('has a gap without answers if they would be long', () => {
    const form = (minLength: number, choices: number) =>
      formOf(
        [{ responseType: 'TEXT', metadata: { minLength } }, ...many(choices, () => ({ options: [1] }))],
        [[-2, -1, 'never']],
      );
    const answersOf = (minLength: number, choices = 0) => {
      const [gap] = found(form(minLength, choices), 'total-without-range');
      return gap?.answers;
    };
    expect(answersOf(60_000)).toEqual([{ questionId: question(1), value: '-'.repeat(60_000) }]);
    // As JSON, an entry with a text takes 65 bytes, with its comma, and those of the text.
    expect(answersOf(65_536 - 65)).toHaveLength(1);
    expect(answersOf(65_536 - 64)).toBeNull();
    expect(answersOf(1, 600)).toHaveLength(601);
    expect(answersOf(60_000, 50)).toHaveLength(51);
    expect(answersOf(60_000, 100)).toBeNull();
  });

  it('has a gap without answers if no answers are complete', () => {
    const form = formOf([{ options: [1] }, {}, { responseType: 'MULTIPLE_SELECT' }], [[2, 3, 'never']]);
    expect(found(form, 'total-without-range').map(({ min, answers }) => [min, answers])).toEqual([[1, null]]);
  });

  it('has a gap without answers if no double leads there', () => {
    const form = formOf(
      [anyNumber({ minValue: 16.1, maxValue: 16.100000000000005 }, { weight: 1e6 })],
      [
        [0, 16_100_000, 'low'],
        [16_100_000.000000004, 2e7, 'high'],
      ],
    );
    expect(found(form, 'total-without-range').map(({ answers }) => answers)).toEqual([null]);
  });

  it('has a total of 0, and an error, for an empty form', () => {
    expect(analysed(formOf([]))).toEqual({
      undecided: false,
      totals: { min: 0, max: 0, count: 1, values: [0], intervals: [] },
      findings: [
        {
          code: 'form-without-questions',
          severity: 'error',
          message: 'The form has no questions.',
          questionIds: [],
        },
        {
          code: 'ranges-missing',
          severity: 'information',
          message: 'The form has no score ranges, so it has no classification.',
          questionIds: [],
        },
      ],
      truncated: false,
    });
  });

  it('finds a required choice without options, and takes it as unanswered', () => {
    const form = formOf([
      {},
      { responseType: 'MULTIPLE_SELECT' },
      { responseType: 'BOOLEAN' },
      { required: false },
      anyNumber({ minValue: 1, maxValue: 1 }),
    ]);
    const unanswerable = found(form, 'required-question-without-options');
    expect(unanswerable.map(({ questionIds }) => questionIds)).toEqual([[question(1)], [question(2)]]);
    expect(unanswerable.map(({ message }) => message)).toContain(
      'The question “Question 2” is required and has no options, so no set of answers is complete.',
    );
    expect(analysed(form).totals).toMatchObject({ min: 1, max: 1 });
  });

  it('finds in one finding all questions that count and are not required', () => {
    const optional = (...given: Parameters<typeof formOf>[0]) =>
      found(formOf(given.map((each) => ({ required: false, ...each }))), 'optional-question-counts').map(
        ({ severity, message, questionIds }) => [severity, message, questionIds],
      );
    expect(optional({ options: [0, 0] })).toEqual([
      ['warning', 'Questions that count and are not required: 1. A total can be complete without them.', [question(1)]],
    ]);
    const some = optional(
      ...[
        { options: [1], required: true },
        { options: [1] },
        { responseType: 'MULTIPLE_SELECT', options: [1] } as const,
      ],
      ...[{ options: [1], weight: 0 }, {}, { responseType: 'TEXT' } as const, { responseType: 'BOOLEAN' } as const],
      ...[{ responseType: 'BOOLEAN', options: [0] } as const, anyNumber({}), anyNumber({}, { weight: -0 })],
      wholeNumber({ minValue: 0.2, maxValue: 0.8 }),
    );
    const message = 'Questions that count and are not required: 4. A total can be complete without them.';
    expect(some).toEqual([['warning', message, [2, 3, 8, 9].map(question)]]);
    expect(optional({ options: [1], required: true }, { responseType: 'DATE' })).toEqual([]);
  });

  it('finds equal texts without regard to case, width and white space', () => {
    const { questions, scoreRanges } = formOf([{ options: [1, 2, 3] }, {}, {}, {}]);
    const texts = ['Pain today?', 'ＰＡＩＮ  today ?', 'Pain yesterday?', 'pain\u00a0TODAY?'];
    const optionTexts = ['Yes', ' yes ', 'No'];
    const form = {
      scoreRanges,
      questions: questions.map((each, index) => ({
        ...each,
        questionText: texts[index] ?? '',
        options: each.options.map((option, place) => ({ ...option, optionText: optionTexts[place] ?? '' })),
      })),
    };
    expect(found(form, 'equal-texts').map(({ message, questionIds }) => [message, questionIds])).toEqual([
      ['2 options of the question “Pain today?” have the text “Yes”.', [question(1)]],
      ['3 questions have the text “Pain today?”.', [question(1), question(2), question(4)]],
    ]);
  });

  it('finds a number that counts and lacks a bound', () => {
    const form = formOf([
      anyNumber({ minValue: 0 }),
      anyNumber({ minValue: 0, maxValue: 1 }),
      anyNumber({}, { weight: 0 }),
      anyNumber({}),
    ]);
    expect(found(form, 'number-without-bounds').map(({ message }) => message)).toEqual([
      'The question “Question 1” counts and has no maxValue.',
      'The question “Question 4” counts and has no minValue and no maxValue.',
    ]);
  });

  it('finds a question without effect only if the form has ranges and decided totals', () => {
    const questions = [{ options: [0, 10] }, { options: [0, 1] }, { options: [5], weight: 0 }];
    const ranges = [[0, 4, 'a'] as const, [5, 20, 'b'] as const];
    expect(found(formOf(questions, ranges), 'question-without-effect').map(({ questionIds }) => questionIds)).toEqual([
      [question(2)],
    ]);
    expect(found(formOf(questions), 'question-without-effect')).toEqual([]);
    const continuous = [...questions, anyNumber({ minValue: 0, maxValue: 0.5 })];
    expect(found(formOf(continuous, ranges), 'question-without-effect')).toEqual([]);
  });

  it('sees an effect beyond a gap, and none across a gap without totals', () => {
    const ranges = [[0, 1, 'a'] as const, [10, 11, 'a'] as const];
    expect(codesOf(analysed(formOf([{ options: [0, 10] }, { options: [0, 1] }], ranges)))).toEqual([
      'question-without-effect',
      'question-without-effect',
    ]);
    expect(codesOf(analysed(formOf([{ options: [0, 5, 10] }], ranges)))).toEqual(['total-without-range']);
  });

  it('lists at most 100 findings, the first 20 gaps with answers', () => {
    const form = formOf(
      [{ options: many(200, (n) => 2 * n) }],
      [[-1, -1, 'below'], ...many(199, (n) => [2 * n + 1, 2 * n + 1, 'odd'] as const)],
    );
    const evens = formOf(
      [{ options: many(150, (n) => n) }],
      many(75, (n) => [2 * n, 2 * n, 'even'] as const),
    );
    expect(found(form, 'total-without-range')).toHaveLength(1);
    const { findings, truncated } = analysed(evens);
    expect([findings.length, truncated]).toEqual([75, false]);
    expect(findings.filter(({ answers }) => answers !== null)).toHaveLength(20);
    expect(findings.slice(20).every(({ answers }) => answers === null)).toBe(true);
    expect(analysed(form)).toMatchObject({ truncated: true, findings: { length: 100 } });
  });

  it('lists up to 1,000 totals', () => {
    const upTo = (max: number) => analysed(formOf([wholeNumber({ minValue: 1, maxValue: max })])).totals;
    expect(upTo(1_000)).toMatchObject({ count: 1_000, values: { length: 1_000 } });
    expect(upTo(1_001)).toMatchObject({ count: 1_001, values: null });
  });

  it.each([
    ['bounds that exclude every answer', anyNumber({ minValue: 5, maxValue: 1 }), [null, null]],
    ['bounds of another type', anyNumber({ minValue: '2020-01-01', maxValue: '2021-01-01' }), [null, null]],
    ['a required choice without options', {}, [1, 2]],
  ])('takes %s from an old event', (_, odd, ends) => {
    const form = formOf(
      [odd, { options: [1, 2] }],
      [
        [0, 1, 'one'],
        [1, 0, 'inverted'],
        [1, 3, 'overlapping'],
      ],
    );
    const { undecided, totals } = analysed(form);
    expect([undecided, totals.min, totals.max]).toEqual([false, ...ends]);
    expect(scoreOf(form, [])).toMatchObject({ complete: false });
  });
});

describe('the analysis of totals beyond doubles', () => {
  it('is exact', () => {
    const form = formOf([{ options: [1e16, 0] }, { options: [1, 0] }, { options: [-1e16, 0] }], [[0, 0, 'zero']]);
    expect(analysed(form).totals).toMatchObject({ min: -1e16, max: 1e16, count: 6 });
    const gaps = found(form, 'total-without-range');
    expect(gaps.map(({ min, max }) => [min, max])).toEqual([
      [-1e16, -1e16],
      [1, 1e16],
    ]);
    const tenths = formOf(
      many(10, () => ({ options: [0.1] })),
      [[1, 1, 'one']],
    );
    expect(codesOf(analysed(tenths)).filter((code) => code !== 'question-without-effect')).not.toContain(
      'total-without-range',
    );
  });

  it('is exact in messages', () => {
    const messages = (...options: readonly (readonly number[])[]) =>
      found(
        formOf(
          options.map((each) => ({ options: [...each] })),
          [[0, 1, 'low']],
        ),
        'total-without-range',
      ).map(({ message }) => message);
    expect(messages([2 ** 53], [1])).toEqual(['The total 9007199254740993 has no score range.']);
    expect(messages([2 ** 53], [1, 1.5])).toEqual([
      'Totals from 9007199254740993 to 9007199254740993.5 have no score range.',
    ]);
    expect(messages([1e290], [1])).toEqual(['The total about 1e+290 has no score range.']);
    expect(messages([1e290], [1, 2])).toEqual(['Totals from about 1e+290 to about 1e+290 have no score range.']);
    expect(messages([2 ** 53], [1], [0, 1e-90])[0]).toContain('from 9007199254740993 to about');
    expect(messages([0.1], [0.2], [3])).toEqual(['The total 3.3 has no score range.']);
  });

  it('takes the smallest and the largest double', () => {
    const form = formOf([{ options: [5e-324, 0] }, { options: [Number.MAX_VALUE] }], [[0, Number.MAX_VALUE, 'all']]);
    const [gap] = found(form, 'total-without-range');
    expect(analysed(form).totals.count).toBe(2);
    expect(gap).toMatchObject({ min: Number.MAX_VALUE, max: Number.MAX_VALUE });
    expect(scoreOf(form, gap?.answers ?? [])).toMatchObject({ complete: true, range: null });
  });
});
