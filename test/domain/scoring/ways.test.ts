import { describe, expect, it } from 'vitest';
import type { ScoredForm } from '../../../src/domain/scoring/answers.js';
import { modelOf } from '../../../src/domain/scoring/model.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { Bits, Runs, type Sums } from '../../../src/domain/scoring/sums.js';
import { noneOf, prefixesOf } from '../../../src/domain/scoring/totals.js';
import { waysTo } from '../../../src/domain/scoring/ways.js';
import { completeSets, finished, formOf, released, wholeNumber } from '../support/scoring.js';

const waysIn = <S extends Sums<S>>(form: ScoredForm, totals: readonly bigint[], zero: S) => {
  const { parts } = finished(modelOf(form));
  return waysTo(totals, parts, { zero, prefixes: finished(prefixesOf(noneOf(zero), parts)) });
};

describe('the way back from a total', () => {
  const form = formOf([
    { responseType: 'MULTIPLE_SELECT', options: [3, -1, 40, 0, 40] },
    { options: [5, 0, 3], required: false },
    { options: [100, 108, 104] },
    wholeNumber({ minValue: 2, maxValue: 5 }, { weight: -2, required: false }),
    { responseType: 'MULTIPLE_SELECT', options: [-1, 1, 7], required: false },
  ]);
  const totals = [...new Set(completeSets(form).map(({ total }) => total))];

  it.each([
    ['bits', released(waysIn(form, totals.map(BigInt), Bits.zero(1n)))],
    ['runs', released(waysIn(form, totals.map(BigInt), Runs.zero(40)))],
  ])('is a complete set of answers with this total: %s', (_, ways) => {
    const entriesOf = (way: (typeof ways)[number]) =>
      [...way].map(([questionId, answer]) => ({ questionId, ...answer }));
    const scores = ways.map((way) => scoreOf(form, entriesOf(way)));
    expect(scores.map(({ total, complete }) => [total, complete])).toEqual(totals.map((total) => [total, true]));
  });

  it('leaves a question unanswered if it can, and answers at least one', () => {
    const optional = formOf([
      { options: [0, 1], required: false },
      { options: [0, 1], required: false },
    ]);
    const ways = finished(waysIn(optional, [0n, 1n, 2n], Bits.zero(1n)));
    expect(ways.map(({ size }) => size)).toEqual([1, 1, 2]);
  });

  it('counts a search in each set', () => {
    // A set up to 40,960 takes 11 additions to search, and to make.
    const some = formOf([{ responseType: 'MULTIPLE_SELECT', options: [1, 40_960, 2] }, { options: [0] }]);
    const additions = [...waysIn(some, [3n], Bits.zero(1n))].flatMap(({ added }) => (added === 0 ? [] : [added]));
    const single = [11, 12];
    const choices = [...[11, 11, 11, 11], 1, 12, ...[11, 11, 11, 11], 11, 1];
    expect(additions).toEqual([...single, ...choices]);
  });
});
