import { describe, expect, it } from 'vitest';
import { type Scorable, scorable } from '../../../src/domain/scoring/answers.js';
import type { Entry } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { quoted } from '../../../src/domain/scoring/wording.js';
import { uuidOf } from '../../support/specification.js';
import { analysed, anyNumber, formOf, wholeNumber } from '../support/scoring.js';

const question = (place: number) => uuidOf(1_000 * place);
const option = (place: number, ofQuestion = 1) => uuidOf(1_000 * ofQuestion + place);

/** Expects a refusal with exactly these faults, each as its pointer and its code. */
const expectFaults = (form: Scorable, entries: readonly Entry[], faults: readonly string[]) => {
  const fault = expect.objectContaining({ code: 'fields-refused' });
  try {
    expect.fail(`scored ${JSON.stringify(scoreOf(form, entries))}`);
  } catch (error) {
    expect(error).toEqual(fault);
    const { errors } = (error as { details: { errors: { path: unknown[]; code: string; message: string }[] } }).details;
    expect(errors.map(({ path, code }) => `${path.join('/')} ${code}`)).toEqual(faults);
  }
};

const ofType = (responseType: Scorable['questions'][number]['responseType'], metadata = {}, required = true) =>
  formOf([{ responseType, metadata, required }]);
const valued = (value: Entry['value']): Entry[] => [{ questionId: question(1), value }];

describe('the score of a form', () => {
  const form = formOf(
    [
      { options: [0, 1, 2], weight: 2 },
      { responseType: 'MULTIPLE_SELECT', options: [1, 2, 4], required: false },
      { responseType: 'NUMBER', weight: 0.1 },
      { responseType: 'TEXT', required: false },
    ],
    [
      [0, 5, 'low'],
      [5.1, 100, 'high'],
    ],
  );

  it('adds what each answer counts, times its weight', () => {
    const score = scoreOf(form, [
      { questionId: question(1), optionIds: [option(3)] },
      { questionId: question(2), optionIds: [option(1, 2), option(3, 2)] },
      { questionId: question(3), value: 7 },
      { questionId: question(4), value: 'nothing of note' },
    ]);
    expect(score).toMatchObject({ total: 9.7, classification: 'high', complete: true, missing: [] });
    expect(score.range).toBe(form.scoreRanges[1]);
    expect(score.items).toEqual([
      item(1, 4, 2, '“Option 3” scores 2, times the weight 2.'),
      item(2, 5, 1, '2 options score 5 together.'),
      item(3, 0.7, 0.1, 'The number counts, times the weight 0.1.'),
      item(4, null, 1, 'Answers to this question do not count.'),
    ]);
    expect(score.possible).toEqual({ min: 9.7, max: 9.7 });
  });

  const item = (place: number, contribution: number | null, weight: number, explanation: string) => ({
    questionId: question(place),
    contribution,
    weight,
    answered: true,
    explanation,
  });

  it('has no classification while a required answer is missing', () => {
    const score = scoreOf(form, [{ questionId: question(1), optionIds: [option(2)] }]);
    expect(score).toMatchObject({
      total: 2,
      classification: null,
      range: null,
      complete: false,
      missing: [question(3)],
    });
    expect(score.items.map(({ answered, contribution }) => [answered, contribution])).toEqual([
      [true, 2],
      [false, null],
      [false, null],
      [false, null],
    ]);
    expect(score.possible).toEqual({ min: null, max: null });
    const [, optional, required] = score.items;
    expect(optional?.explanation).not.toBe(required?.explanation);
  });

  it('has a bound on the side on which the missing number has one', () => {
    const bounded = ofType('NUMBER', { minValue: 3 });
    expect(scoreOf(bounded, []).possible).toEqual({ min: 3, max: null });
    const negative = formOf(bounded.questions.map((each) => ({ ...each, options: [], weight: -2 })));
    expect(scoreOf(negative, []).possible).toEqual({ min: null, max: -6 });
    const whole = formOf([wholeNumber({ maxValue: 10 }, { weight: 3 }), wholeNumber({ minValue: 2 }, { weight: -7 })]);
    expect(scoreOf(whole, []).possible).toEqual({ min: null, max: 16 });
    expect(analysed(whole).totals).toMatchObject({ min: null, max: 16 });
  });

  it.each([
    ['an empty list', { optionIds: [] }],
    ['null', { value: null }],
    ['an empty text', { value: '' }],
    ['neither', {}],
    ['null in both', { optionIds: null, value: null }],
  ])('takes %s as no answer', (_, entry) => {
    for (const responseType of ['SELECT', 'NUMBER', 'TEXT', 'BOOLEAN'] as const) {
      const score = scoreOf(formOf([{ responseType, options: responseType === 'SELECT' ? [1] : [] }]), [
        { questionId: question(1), ...entry },
      ]);
      expect(score).toMatchObject({ complete: false, total: 0, missing: [question(1)] });
    }
  });

  it('compares the exact sum with both inclusive ends of a range', () => {
    const tenths = formOf(
      Array.from({ length: 10 }, () => ({ options: [0.1] })),
      [[0, 1, 'one']],
    );
    const all = tenths.questions.map(({ id, options }) => ({
      questionId: id,
      optionIds: options.map((each) => each.id),
    }));
    expect(scoreOf(tenths, all)).toMatchObject({ total: 1, classification: 'one' });

    const beyond = formOf([{ options: [2 ** 53] }, { options: [1] }], [[2 ** 53 + 2, 2 ** 54, 'beyond']]);
    const both = beyond.questions.map(({ id, options }) => ({
      questionId: id,
      optionIds: options.map((each) => each.id),
    }));
    expect(scoreOf(beyond, both)).toMatchObject({ total: 2 ** 53, classification: null, complete: true });
    expect(scoreOf(formOf([{ options: [1e16] }, { options: [1] }, { options: [-1e16] }]), []).possible).toEqual({
      min: 1,
      max: 1,
    });
  });

  it('has a sum between two ranges that touch, as the analysis says', () => {
    const halves = [[0, 18.5, 'low'] as const, [18.500000000000004, 60, 'high'] as const];
    const form = formOf([anyNumber({ minValue: 0, maxValue: 30 }), anyNumber({ minValue: 0, maxValue: 30 })], halves);
    expect(analysed(form).findings).toEqual([]);
    const scored = (...values: readonly number[]) =>
      scoreOf(
        form,
        values.map((value, index) => ({ questionId: question(index + 1), value })),
      );
    expect(scored(18.5, 1e-15)).toMatchObject({ classification: 'low', range: { maxScore: 18.5 } });
    expect([scored(18.500000000000004, 0), scored(20, 20)]).toMatchObject([
      { classification: 'high' },
      { classification: 'high' },
    ]);
  });

  it('scores a BOOLEAN by its options, and counts nothing without options', () => {
    const withOptions = formOf([{ responseType: 'BOOLEAN', options: [0, 3] }]);
    expect(scoreOf(withOptions, [{ questionId: question(1), optionIds: [option(2)] }]).total).toBe(3);
    const { total, items, complete } = scoreOf(ofType('BOOLEAN'), valued(false));
    expect([total, items[0]?.contribution, complete]).toEqual([0, null, true]);
  });

  it('counts nothing for a number whose weight is 0', () => {
    const recorded = formOf([{ responseType: 'NUMBER', weight: 0 }]);
    expect(scoreOf(recorded, valued(180)).items[0]).toMatchObject({ contribution: 0, answered: true });
    expect(scoreOf(recorded, []).possible).toEqual({ min: 0, max: 0 });
  });

  it('explains the exact sum of options', () => {
    const form = formOf([{ responseType: 'MULTIPLE_SELECT', options: [2 ** 53, 1] }]);
    const [scored] = scoreOf(form, [{ questionId: question(1), optionIds: [option(1), option(2)] }]).items;
    expect(scored).toMatchObject({
      contribution: 2 ** 53,
      explanation: '2 options score 9007199254740993 together.',
    });
  });

  it('cuts a long option text in its explanation', () => {
    const { questions, scoreRanges } = formOf([{ options: [1] }]);
    const long = questions.map((each) => ({
      ...each,
      options: each.options.map((o) => ({ ...o, optionText: '𝕏'.repeat(90) })),
    }));
    const [scored] = scoreOf(scorable({ questions: long, scoreRanges }), [
      { questionId: question(1), optionIds: [option(1)] },
    ]).items;
    expect(scored?.explanation).toBe(`“${'𝕏'.repeat(79)}…” scores 1.`);
    expect(quoted('𝕏'.repeat(80))).toBe(`“${'𝕏'.repeat(80)}”`);
  });
});

describe('the answers to a form', () => {
  it('are refused with all faults at once, each with its pointer', () => {
    const form = formOf([
      { options: [1, 2] },
      { responseType: 'MULTIPLE_SELECT', options: [1, 2] },
      { responseType: 'NUMBER', metadata: { minValue: 0, maxValue: 10 } },
    ]);
    expectFaults(
      form,
      [
        { questionId: question(1), optionIds: [option(1), option(2)] },
        { questionId: question(2), optionIds: [option(1, 2), option(1), option(1, 2)], value: 1 },
        { questionId: question(3), value: 11, optionIds: [option(1)] },
        { questionId: question(3), value: 'eleven' },
        { questionId: question(9), value: 1 },
        { questionId: question(1) },
      ],
      [
        'answers/0/optionIds too-big',
        'answers/1/value excluded',
        'answers/1/optionIds/1 not-found',
        'answers/1/optionIds/2 duplicate',
        'answers/2/optionIds excluded',
        'answers/2/value too-big',
        'answers/3/questionId duplicate',
        'answers/3/value invalid-type',
        'answers/4/questionId not-found',
        'answers/5/questionId duplicate',
      ],
    );
  });

  const faulty: readonly [Parameters<typeof ofType>[0], object, Entry['value'], string][] = [
    ['NUMBER', {}, '1', 'invalid-type'],
    ['NUMBER', {}, true, 'invalid-type'],
    ['NUMBER', { minValue: 1 }, 0.999, 'too-small'],
    ['NUMBER', { maxValue: 1 }, 1.001, 'too-big'],
    ['NUMBER', { integer: true }, 1.5, 'invalid-value'],
    ['TEXT', {}, 1, 'invalid-type'],
    ['TEXT', { minLength: 3 }, '𝕏𝕏', 'too-small'],
    ['TEXT', { maxLength: 2 }, 'abc', 'too-big'],
    ['DATE', {}, '2020-02-30', 'invalid-type'],
    ['DATE', {}, '2020-02-29T12:00:00Z', 'invalid-type'],
    ['DATE', { minValue: '2020-01-01' }, '2019-12-31', 'too-small'],
    ['DATE', { maxValue: '2020-01-01' }, '2020-01-02', 'too-big'],
    ['DATETIME', {}, '2020-02-29', 'invalid-type'],
    ['DATETIME', {}, '2020-02-29T12:00:00', 'invalid-type'],
    ['DATETIME', { maxValue: '2020-02-29T12:00:00Z' }, '2020-02-29T12:00:00-01:00', 'too-big'],
    ['BOOLEAN', {}, 'true', 'invalid-type'],
    ['BOOLEAN', {}, 0, 'invalid-type'],
  ];
  it.each(faulty)('to a %s with %j are refused if they are %j', (type, metadata, value, code) =>
    expectFaults(ofType(type, metadata), valued(value), [`answers/0/value ${code}`]),
  );

  it.each<[Parameters<typeof ofType>[0], object, Entry['value']]>([
    ['NUMBER', { minValue: 1, maxValue: 1 }, 1],
    ['NUMBER', { integer: true }, -3],
    ['NUMBER', { minValue: '2020-01-01', integer: 'yes' }, 0.5],
    ['TEXT', { minLength: 2, maxLength: 2 }, '𝕏𝕏'],
    ['DATE', { minValue: '2020-01-01', maxValue: '2020-01-01' }, '2020-01-01'],
    ['DATE', { minValue: 5, dateFormat: 'DD/MM/YYYY' }, '2020-01-01'],
    ['DATETIME', { minValue: '2020-02-29T12:00:00Z' }, '2020-02-29T13:00:00+01:00'],
    ['BOOLEAN', {}, true],
  ])('to a %s with %j may be %j', (type, metadata, value) =>
    expect(scoreOf(ofType(type, metadata), valued(value)).complete).toBe(true),
  );

  it.each<[Parameters<typeof ofType>[0], Partial<Entry>, string]>([
    ['SELECT', { value: 'Patient 7' }, 'value excluded'],
    ['TEXT', { optionIds: [uuidOf(0xbeef)] }, 'optionIds excluded'],
    ['SELECT', { optionIds: [uuidOf(0xbeef)] }, 'optionIds/0 not-found'],
    ['BOOLEAN', { value: 'Patient 7' }, 'value invalid-type'],
    ['NUMBER', { value: 123_456_789 }, 'value too-big'],
  ])('to a %s are refused without repeating them', (responseType, answer, fault) => {
    const form = formOf([{ responseType, metadata: { maxValue: 5 }, options: responseType === 'SELECT' ? [1] : [] }]);
    const entries = [{ questionId: question(1), ...answer }];
    expectFaults(form, entries, [`answers/0/${fault}`]);
    expect(() => scoreOf(form, entries)).toThrow(
      expect.objectContaining({ details: expect.not.stringMatching(/Patient|beef|123456789/) }),
    );
  });
});
