import { describe, expect, it } from 'vitest';
import type { Scorable } from '../../../src/domain/scoring/answers.js';
import { modelOf } from '../../../src/domain/scoring/model.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import type { Steps } from '../../../src/domain/scoring/sums.js';
import { NO_TOTALS, prefixesOf } from '../../../src/domain/scoring/totals.js';
import { answersOf, waysTo } from '../../../src/domain/scoring/ways.js';
import { completeSets, finished, formOf, released, wholeNumber } from '../support/scoring.js';

const waysIn = (form: Scorable, totals: readonly bigint[]) => {
  const { parts } = finished(modelOf(form));
  return waysTo(totals, parts, finished(prefixesOf(NO_TOTALS, parts)));
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
      [...released(answersOf(way.added))].map(([questionId, answer]) => ({ questionId, ...answer }));
    const scores = ways.map((way) => scoreOf(form, entriesOf(way)));
    expect(scores.map(({ total, complete }) => [total, complete])).toEqual(totals.map((total) => [total, true]));
  });

  it('leaves a question unanswered if it can, and answers at least one', () => {
    const optional = formOf([
      { options: [0, 1], required: false },
      { options: [0, 1], required: false },
    ]);
    const ways = finished(waysIn(optional, [0n, 1n, 2n]));
    expect(ways.map(({ added }) => added.size)).toEqual([1, 1, 2]);
  });

  it('counts a search in each set', () => {
    const some = formOf([{ responseType: 'MULTIPLE_SELECT', options: [1, 4, 2] }, { options: [0] }]);
    const searchesOf = (steps: Steps<unknown>) =>
      // A union makes more additions or holds memory.
      [...steps].filter(({ added, held }) => added > 0 && added < 3 && held === 0).map(({ added }) => added);
    const [way] = finished(waysIn(some, [3n]));
    expect(searchesOf(waysIn(some, [3n]))).toEqual([1, 2, 1, 2]);
    expect(searchesOf(answersOf(way?.added ?? new Map()))).toEqual([1, 1, 1]);
  });
});
