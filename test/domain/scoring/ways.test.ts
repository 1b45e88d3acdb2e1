import { describe, expect, it } from 'vitest';
import type { Scorable } from '../../../src/domain/scoring/answers.js';
import { modelOf } from '../../../src/domain/scoring/model.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { Sums } from '../../../src/domain/scoring/sums.js';
import { noneOf, prefixesOf } from '../../../src/domain/scoring/totals.js';
import { waysTo } from '../../../src/domain/scoring/ways.js';
import { completeSets, finished, formOf, released, wholeNumber } from '../support/scoring.js';

const waysIn = (form: Scorable, totals: readonly bigint[]) => {
  const zero = Sums.zero();
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

  it('is a complete set of answers with this total', () => {
    const ways = released(waysIn(form, totals.map(BigInt)));
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
    const ways = finished(waysIn(optional, [0n, 1n, 2n]));
    expect(ways.map(({ size }) => size)).toEqual([1, 1, 2]);
  });

  it('counts a search in each set', () => {
    const some = formOf([{ responseType: 'MULTIPLE_SELECT', options: [1, 4, 2] }, { options: [0] }]);
    const searches = [...waysIn(some, [3n])].filter(({ added, held }) => added > 0 && held === 0);
    expect(searches.map(({ added }) => added)).toEqual([...[1, 2], ...[1, 1, 1], ...[1, 2]]);
  });
});
