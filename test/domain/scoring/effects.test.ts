import { describe, expect, it } from 'vitest';
import { decide, withoutEffectIn } from '../../../src/domain/scoring/analysis.js';
import { Classes } from '../../../src/domain/scoring/classes.js';
import { withoutEffectBeside } from '../../../src/domain/scoring/effects.js';
import { modelOf } from '../../../src/domain/scoring/model.js';
import { NO_TOTALS, prefixesOf } from '../../../src/domain/scoring/totals.js';
import { analysed, finished, formOf, many, released, wholeNumber } from '../support/scoring.js';

const partsOf = (...options: readonly (readonly number[])[]) =>
  finished(modelOf(formOf(options.map((each) => ({ options: each }))))).parts;
const ineffective = (...given: Parameters<typeof formOf>) =>
  analysed(formOf(...given)).findings.flatMap(({ code, questionIds }) =>
    code === 'question-without-effect' ? questionIds : [],
  );

describe('a question', () => {
  it('has no effect if each of its answers leads to the same classification, whatever its smallest score', () => {
    const questions = [{ options: [2, 3] }, { options: [0, 10] }];
    const [first] = formOf(questions).questions;
    const ranges = [
      [2, 3, 'a'],
      [12, 13, 'b'],
    ] as const;
    expect(ineffective(questions, [...ranges])).toEqual([first?.id]);
  });

  it('has an effect if only some other answers leave it', () => {
    const ranges = [
      [0, 5, 'a'],
      [6, 7, 'b'],
      [8, 30, 'c'],
    ] as const;
    expect(ineffective([{ options: [-5, -4] }, { options: [8, 10] }], [...ranges])).toEqual([]);
  });
});

describe('the search for questions without effect', () => {
  const classesTo = (largest: bigint) => new Classes([{ min: 0n, max: largest, classification: 'all' }], largest);

  it('takes few steps for many totals of the same classification', () => {
    const outside = finished(prefixesOf(NO_TOTALS, partsOf(many(1_000, (n) => n)))).at(-1) ?? NO_TOTALS;
    expect([...withoutEffectBeside(partsOf([0, 1]), outside, classesTo(1_000n))].length).toBeLessThan(10);
  });

  it('holds the memory of totals that later totals share', () => {
    const steps = [...withoutEffectBeside(partsOf([0, 1], [0, 2], [3]), NO_TOTALS, classesTo(6n))];
    const held = steps.map((step) => step.held).filter((each) => each !== 0);
    expect(held.slice(0, 2)).toEqual([1, 1]);
  });

  it('releases the memory of all sets', () => {
    const form = formOf(
      [
        { options: [0, 1, 300] },
        { options: [5] },
        { options: [0, 70], required: false },
        { responseType: 'MULTIPLE_SELECT', options: [1, 200, 4] },
        wholeNumber({ minValue: 0, maxValue: 5 }),
      ],
      [[76, 80, 'middle']],
    );
    const model = finished(modelOf(form));
    const { gaps, ways } = released(decide(form, model));
    expect(gaps).toHaveLength(2);
    expect(released(withoutEffectIn(model, ways)).size).toBe(1);
  });
});
