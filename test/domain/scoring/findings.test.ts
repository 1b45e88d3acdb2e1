import { describe, expect, it } from 'vitest';
import type { ScoredForm } from '../../../src/domain/scoring/answers.js';
import { findingCodes } from '../../../src/domain/scoring/schemas.js';
import { uuidOf } from '../../support/specification.js';
import { analysed, anyNumber, formOf, many, wholeNumber } from '../support/scoring.js';

const question = (place: number) => uuidOf(1_000 * place);
const shown = (form: ScoredForm) =>
  analysed(form).findings.map(({ code, severity, questionIds }) => [code, severity, ...questionIds]);

describe('findings', () => {
  it('have the worst first, then the first question, and those of no question last', () => {
    const form = formOf(
      [
        { questionText: 'Impossible' },
        anyNumber({}),
        { options: [0], questionText: 'Same' },
        { options: [0], questionText: 'same' },
        anyNumber({ minValue: 0 }),
        { questionText: 'Impossible, too' },
      ],
      [[0, 1, 'low']],
    );
    expect(shown(form)).toEqual([
      ['required-question-without-options', 'error', question(1)],
      ['required-question-without-options', 'error', question(6)],
      ['total-without-range', 'error'],
      ['total-without-range', 'error'],
      ['number-without-bounds', 'warning', question(2)],
      ['equal-texts', 'warning', question(3), question(4)],
      ['number-without-bounds', 'warning', question(5)],
    ]);
  });

  it('have one severity for each code, and name the questions that are at fault', () => {
    const withEffect = formOf(
      [{ options: [0, 1] }],
      [
        [5, 6, 'never'],
        [0, 1, 'always'],
      ],
    );
    const forms = [
      formOf([{ questionText: 'a' }, { questionText: 'A' }, anyNumber({}, { questionText: 'b' })]),
      { ...withEffect, scoreRanges: withEffect.scoreRanges.toReversed() },
      formOf([{ options: [0, 1, 7] }], [[0, 5, 'low']]),
      formOf([]),
      formOf([wholeNumber({ minValue: 0 }, { required: false }), { required: false }]),
      formOf([{ responseType: 'TEXT', metadata: { minLength: 100_001 } }]),
    ];
    const found = new Map(forms.flatMap(shown).map((finding) => [finding[0], finding]));
    expect(findingCodes.map((code) => found.get(code))).toEqual([
      ['form-without-questions', 'error'],
      ['required-question-without-options', 'error', question(2)],
      ['required-question-without-answer', 'error', question(1)],
      ['total-without-range', 'error'],
      ['totals-undecided', 'warning'],
      ['question-without-answer', 'warning', question(2)],
      ['optional-question-counts', 'warning', question(1)],
      ['equal-texts', 'warning', question(1), question(2)],
      ['number-without-bounds', 'warning', question(1)],
      ['range-without-total', 'warning'],
      ['question-without-effect', 'information', question(1)],
      ['ranges-missing', 'information'],
    ]);
  });

  it('are at most 100, and say whether there are more', () => {
    // The form also lacks score ranges, which is one more.
    const formWith = (impossible: number) =>
      analysed(formOf(many(impossible, (index) => ({ questionText: `Impossible ${index}` }))));
    const [all, some] = [formWith(99), formWith(100)];
    expect([all.findings.length, all.truncated]).toEqual([100, false]);
    expect([some.findings.length, some.truncated]).toEqual([100, true]);
    expect(some.findings.at(-1)?.code).toBe('required-question-without-options');
  });

  it('name undecided totals before all other warnings', () => {
    const form = formOf(many(150, () => wholeNumber({ minValue: 0 })));
    expect(shown(form)[0]).toEqual(['totals-undecided', 'warning']);
    expect(shown(form)).toHaveLength(100);
  });

  it('ignore the bounds of a number that does not count', () => {
    expect(shown(formOf([anyNumber({}, { weight: 0 })], [[0, 0, 'all']]))).toEqual([]);
  });
});
