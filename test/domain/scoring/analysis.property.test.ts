import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { analysisOf } from '../../../src/domain/scoring/analysis.js';
import type { Scorable } from '../../../src/domain/scoring/answers.js';
import type { Finding, FindingCode } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { repetitions } from '../../support/repetitions.js';
import {
  analysed,
  classOf,
  completeSets,
  continuousForms,
  counts,
  finished,
  reachableSets,
  smallForms,
} from '../support/scoring.js';

const numRuns = repetitions('PROPERTY_RUNS');
vi.setConfig({ testTimeout: 90_000 + numRuns * 200 });

const withCode = (findings: readonly Finding[], code: FindingCode) =>
  findings.filter((finding) => finding.code === code);

const totalsOf = (form: Scorable): number[] =>
  [...new Set(reachableSets(form).map(({ total }) => total))].toSorted((a, b) => a - b);

/** Returns the runs of neighbouring totals that have no range. */
const gapsOf = (form: Scorable): number[][] => {
  const gaps: number[][] = [];
  let isOpen = false;
  for (const total of totalsOf(form)) {
    const isGap = classOf(form, total) === null;
    if (isGap && isOpen) gaps.at(-1)?.push(total);
    else if (isGap) gaps.push([total]);
    isOpen = isGap;
  }
  return gaps;
};

/** Expects that each gap has answers that are complete and have a total in the gap, if answers can be complete. */
const expectShown = (form: Scorable, gaps: readonly Finding[]) => {
  for (const { answers, min, max } of gaps) {
    expect(answers !== null).toBe(canBeCompleted(form));
    if (answers == null) continue;
    const { total, range, possible, complete } = scoreOf(form, answers);
    expect([range, complete]).toEqual([null, true]);
    expect(form.questions.some(counts)).toBe(
      form.questions.some(
        (question) => counts(question) && answers.some(({ questionId }) => questionId === question.id),
      ),
    );
    expect([total, possible.min, possible.max].map((each) => each !== null)).toEqual([true, true, true]);
    expect(min == null || min <= total).toBe(true);
    expect(max == null || total <= max).toBe(true);
    expect(classOf(form, total)).toBeNull();
  }
};

const fewLimits = fc.record({ totals: fc.integer({ min: 1, max: 12 }), additions: fc.integer({ min: 1, max: 150 }) });

/** Expects that no total in a gap has a range, that both ends of a gap are totals, and that each end of all totals counts. */
const expectTrue = (form: Scorable, gaps: readonly Finding[]) => {
  const totals = totalsOf(form);
  const inGap = (total: number) => gaps.some(({ min, max }) => Number(min) <= total && total <= Number(max));
  const ends = form.scoreRanges.length === 0 ? [] : [totals[0] ?? 0, totals.at(-1) ?? 0];
  for (const { min, max } of gaps) expect(totals).toEqual(expect.arrayContaining([min, max]));
  for (const total of totals.filter(inGap)) expect(classOf(form, total)).toBeNull();
  expect(ends.map(inGap)).toEqual(ends.map((end) => classOf(form, end) === null));
};

const canBeCompleted = ({ questions }: Scorable) =>
  questions.every(
    ({ required, responseType, options }) =>
      !required || responseType === 'BOOLEAN' || !responseType.includes('SELECT') || options.length > 0,
  );

/** Returns whether some set of the other answers leaves several classifications open. */
const hasEffect = (form: Scorable, id: string): boolean => {
  const classes = new Map<string, string | null>();
  return reachableSets(form).some(({ entries, total }) => {
    const others = JSON.stringify(entries.filter(({ questionId }) => questionId !== id));
    const found = classOf(form, total);
    if (classes.has(others)) return classes.get(others) !== found;
    classes.set(others, found);
    return false;
  });
};

describe('the analysis of a small form', () => {
  it('has the totals of all complete sets', () =>
    fc.assert(
      fc.property(smallForms, (form) => {
        const { totals, undecided } = analysed(form);
        const expected = totalsOf(form);
        expect(undecided).toBe(false);
        expect(totals).toEqual({
          min: expected[0],
          max: expected.at(-1),
          count: expected.length,
          values: expected.length > 1_000 ? null : expected,
          intervals: [],
        });
      }),
      { numRuns },
    ));

  it('finds every run of totals without a range, with answers that lead there', () =>
    fc.assert(
      fc.property(smallForms, (form) => {
        const found = withCode(analysed(form).findings, 'total-without-range');
        const expected = form.scoreRanges.length === 0 ? [] : gapsOf(form);
        expect(found.map(({ min, max }) => [min, max])).toEqual(expected.map((gap) => [gap[0], gap.at(-1)]));
        expectShown(form, found);
      }),
      { numRuns },
    ));

  it('finds every range without a total', () =>
    fc.assert(
      fc.property(smallForms, (form) => {
        const totals = totalsOf(form);
        const isEmpty = (low: number, high: number) => !totals.some((total) => low <= total && total <= high);
        const expected = form.scoreRanges.filter(({ minScore, maxScore }) => isEmpty(minScore, maxScore));
        const found = withCode(analysed(form).findings, 'range-without-total');
        expect(found.map(({ min, max }) => [min, max])).toEqual(
          expected.map(({ minScore, maxScore }) => [minScore, maxScore]),
        );
      }),
      { numRuns },
    ));

  it('finds every question that counts and never changes the classification', () =>
    fc.assert(
      fc.property(smallForms, (form) => {
        const expected = form.questions
          .filter(counts)
          .filter(({ id }) => form.scoreRanges.length > 0 && !hasEffect(form, id));
        const found = withCode(analysed(form).findings, 'question-without-effect');
        expect(found.flatMap(({ questionIds }) => questionIds)).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns },
    ));

  it('finds only true gaps if it may decide on few totals only, and the ends of all totals', () =>
    fc.assert(
      fc.property(smallForms, fewLimits, (form, limits) => {
        const { totals, undecided, findings } = finished(analysisOf(form, limits));
        const all = totalsOf(form);
        const gaps = withCode(findings, 'total-without-range');
        expect([totals.min, totals.max]).toEqual([all[0], all.at(-1)]);
        expect(withCode(findings, 'totals-undecided')).toHaveLength(Number(undecided));
        expectShown(form, gaps);
        expectTrue(form, gaps);
      }),
      { numRuns },
    ));
});

describe('the score of a partly answered small form', () => {
  it('names the smallest and the largest total of the complete sets that contain the answers', () =>
    fc.assert(
      fc.property(smallForms, fc.infiniteStream(fc.boolean()), fc.nat(), (form, isGiven, pick) => {
        const sets = completeSets(form);
        const given = (sets[pick % sets.length]?.entries ?? []).filter(() => isGiven.next().value);
        const totals = completeSets(form, given).map(({ total }) => total);
        const { possible, total, range, complete, classification } = scoreOf(form, given);
        const counting = form.questions.filter(counts).map(({ id }) => id);
        const isCounted = counting.length === 0 || given.some(({ questionId }) => counting.includes(questionId));
        expect(possible).toEqual({ min: Math.min(...totals), max: Math.max(...totals) });
        expect(range?.classification ?? null).toBe(complete && isCounted ? classOf(form, total) : null);
        expect(classification).toBe(range?.classification ?? null);
      }),
      { numRuns },
    ));
});

describe('the analysis of a form with fractions', () => {
  const STEP = 0.5;

  it('has every total of a grid in an interval, and no interval beyond them', () =>
    fc.assert(
      fc.property(continuousForms, (form) => {
        const { totals } = analysed(form);
        const grid = reachableSets(form, STEP).map(({ total }) => total);
        const intervals = totals.values?.map((value) => ({ min: value, max: value })) ?? totals.intervals ?? [];
        for (const total of grid) {
          expect(intervals.some(({ min, max }) => Number(min) <= total && total <= Number(max))).toBe(true);
        }
        for (const { min, max } of intervals) expect(grid).toEqual(expect.arrayContaining([min, max]));
        expect([totals.min, totals.max]).toEqual([intervals[0]?.min, intervals.at(-1)?.max]);
      }),
      { numRuns },
    ));

  it('finds the gap of every total of a grid, with answers that lead there', () =>
    fc.assert(
      fc.property(continuousForms, (form) => {
        const gaps = withCode(analysed(form).findings, 'total-without-range');
        expectShown(form, gaps);
        if (form.scoreRanges.length === 0) return;
        for (const { total } of reachableSets(form, STEP)) {
          if (classOf(form, total) !== null) continue;
          expect(gaps.some(({ min, max }) => Number(min) <= total && total <= Number(max))).toBe(true);
        }
      }),
      { numRuns },
    ));
});
