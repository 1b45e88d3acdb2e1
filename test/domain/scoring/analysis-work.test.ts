import { describe, expect, it } from 'vitest';
import { analysisLimits, analysisOf } from '../../../src/domain/scoring/analysis.js';
import type { Scorable } from '../../../src/domain/scoring/answers.js';
import type { Analysis } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { LONGEST_STEP } from '../../../src/domain/scoring/sums.js';
import { analysed, anyNumber, formOf, many, wholeNumber } from '../support/scoring.js';

const codesOf = ({ findings }: Analysis) => findings.map(({ code }) => code);

/** Returns the result of an analysis, and the most additions of a step. */
const counted = (form: Scorable, limits = analysisLimits) => {
  const steps = analysisOf(form, limits);
  let most = 0;
  let sum = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { result: step.value, most, sum };
    most = Math.max(most, step.value);
    sum += step.value;
  }
};

/** A sequence of numbers that look random, always the same. */
const scattered = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

const largeForms = (): Readonly<Record<string, Scorable>> => {
  const next = scattered(7);
  const upTo = (below: number) => () => next(below);
  return {
    'close totals': formOf(
      many(100, () => ({ options: many(10, upTo(101)), weight: 1 + next(5) })),
      many(9, (n) => [n * 5_000, n * 5_000 + 4_999, `${n % 2}`] as const),
    ),
    'scattered totals': formOf(many(100, () => ({ options: many(10, () => next(1e9) / 1e9), weight: 1 + next(5) }))),
    'close totals in gaps': formOf(
      many(10, () => ({ options: many(200, upTo(33_000)) })),
      many(400, (n) => [n * 2_500, n * 2_500 + 2_400, 'same'] as const),
    ),
    'large scattered totals': formOf(many(40, (n) => ({ options: many(3, () => next(1e9) * 10 ** (n - 20)) }))),
    'lists of options': formOf(
      many(20, () => ({ responseType: 'MULTIPLE_SELECT' as const, options: many(200, upTo(100)) })),
    ),
    'long texts': formOf(many(200, () => ({ options: many(10, upTo(10)), questionText: 'e\u0301'.repeat(2_000) }))),
  };
};

describe('the work of an analysis', () => {
  const forms = largeForms();

  it.each(Object.keys(forms))('has steps with a bounded number of additions for %s', (name) => {
    const { most, sum } = counted(forms[name] ?? formOf([]));
    expect(most).toBeLessThanOrEqual(LONGEST_STEP);
    // The totals have the limit, and so have the effects. What is certain has it twice.
    expect(sum).toBeLessThanOrEqual(3 * (analysisLimits.additions + LONGEST_STEP));
  });

  it('compares the text of one question in a step', () => {
    let read: string[] = [];
    const form = formOf(many(5, () => ({ responseType: 'TEXT' as const })));
    const questions = form.questions.map((question) =>
      Object.defineProperty({ ...question }, 'questionText', {
        get: () => {
          read.push(question.id);
          return question.id;
        },
      }),
    );
    const perStep: number[] = [];
    for (const _ of analysisOf({ ...form, questions })) {
      perStep.push(new Set(read).size);
      read = [];
    }
    expect(Math.max(...perStep)).toBe(1);
  });

  it('decides on 100 questions with 10 options each', () => {
    const { result } = counted(forms['close totals'] ?? formOf([]));
    expect(result.undecided).toBe(false);
    expect(result.totals.count).toBeGreaterThan(10_000);
  });

  it('finds errors even if it cannot decide which questions have an effect', () => {
    const form = formOf([...many(40, () => ({ options: [0, 1] })), { options: [0, 1_000] }], [[0, 40, 'low']]);
    expect(codesOf(analysed(form))).toEqual(['total-without-range', ...many(40, () => 'question-without-effect')]);
    let additions = 100;
    while (counted(form, { ...analysisLimits, additions }).result.undecided) additions += 200;
    expect(codesOf(counted(form, { ...analysisLimits, additions }).result)).toEqual(['total-without-range']);
  });

  it.each(['scattered totals', 'large scattered totals'])('leaves %s undecided, with sound bounds', (name) => {
    const form = forms[name] ?? formOf([]);
    const { result } = counted(form);
    expect(result).toMatchObject({ undecided: true, totals: { count: null, values: null, intervals: null } });
    const { min, max } = scoreOf(form, []).possible;
    expect([result.totals.min, result.totals.max]).toEqual([min, max]);
    expect(codesOf(result)).toEqual(['totals-undecided', 'ranges-missing']);
  });

  it('is undecided for whole numbers without a bound', () => {
    const { result } = counted(formOf([wholeNumber({ minValue: 0 }), {}, { options: [-2] }], [[0, 5, 'low']]));
    expect(result).toMatchObject({ undecided: true, totals: { min: -2, max: null } });
    expect(codesOf(result)).toEqual([
      ...['required-question-without-options', 'total-without-range', 'total-without-range'],
      ...['totals-undecided', 'number-without-bounds'],
    ]);
  });

  it('is undecided for whole numbers that doubles skip', () => {
    const upTo = (maxValue: number) => analysed(formOf([wholeNumber({ minValue: maxValue - 2, maxValue })]));
    expect(upTo(2 ** 53 - 1).totals).toMatchObject({ values: [2 ** 53 - 3, 2 ** 53 - 2, 2 ** 53 - 1] });
    expect(upTo(2 ** 53 + 2)).toMatchObject({ undecided: true, totals: { min: 2 ** 53, max: 2 ** 53 + 2 } });
  });

  it('decides on numbers without bounds, however far apart all numbers of the form are', () => {
    const { result, sum } = counted(
      formOf(
        [
          anyNumber({}),
          anyNumber({ minValue: 1e308 }, { weight: 1e308 }),
          anyNumber({ maxValue: 0 }, { weight: 5e-324 }),
        ],
        [[-1, 1, 'small']],
      ),
    );
    expect(result).toMatchObject({ undecided: false, totals: { intervals: [{ min: null, max: null }] } });
    expect(result.findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      'Totals below -1 have no score range.',
      'Totals above 1 have no score range.',
    ]);
    expect(sum).toBeLessThan(analysisLimits.additions);
  });

  it('decides on many weighted choices beside a number without a bound', () => {
    const choices = many(60, (n) => ({ options: many(10, (score) => score), weight: (100 + ((7 * n) % 90)) / 1_000 }));
    const form = formOf([...choices, anyNumber({ minValue: 0 })], [[0, 10, 'low']]);
    const { result, sum } = counted(form);
    expect(result).toMatchObject({ undecided: false, totals: { intervals: [{ min: 0, max: null }] } });
    expect(sum).toBeLessThan(100_000);
  });

  it('decides on exactly as many different totals as the limit allows', () => {
    const upTo = (maxValue: number) => analysed(formOf([wholeNumber({ minValue: 1, maxValue })]));
    expect(upTo(1_000_000)).toMatchObject({ undecided: false, totals: { count: 1_000_000 } });
    expect(upTo(1_000_001)).toMatchObject({ undecided: true, totals: { min: 1, max: 1_000_001, count: null } });
  });

  it('decides with exactly the totals and the additions that it takes', () => {
    // The set after each of 40 questions is a run. The last question splits it into 41, and makes 82 in their place.
    const form = formOf([{ options: [0, 1] }, ...many(40, () => ({ options: [0, 3] }))]);
    const isUndecided = (totals: number, additions: number) => counted(form, { totals, additions }).result.undecided;
    expect([isUndecided(122, 328), isUndecided(121, 328), isUndecided(122, 327)]).toEqual([false, true, true]);
  });

  it('ends at the limit of totals or of additions', () => {
    const form = formOf(
      many(12, (n) => ({ options: [0, 3 ** n * 1.000001] })),
      [[0, 1e9, 'all']],
    );
    expect(counted(form).result.undecided).toBe(false);
    expect(counted(form, { ...analysisLimits, totals: 4_000 }).result.undecided).toBe(true);
    const { result, sum } = counted(form, { ...analysisLimits, additions: 10_000 });
    expect(result.undecided).toBe(true);
    expect(sum).toBeLessThan(3 * (10_000 + LONGEST_STEP));
  });
});
