import { describe, expect, it } from 'vitest';
import { analysisOf } from '../../../src/domain/scoring/analysis.js';
import { type Scorable, scorable } from '../../../src/domain/scoring/answers.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { answersTo, type Instrument, instruments } from '../../support/instruments.js';
import { countingIds } from '../../support/specification.js';
import { finished } from '../support/scoring.js';

const formOf = ({ questions, scoreRanges }: Instrument): Scorable => {
  const newId = countingIds();
  return scorable({
    questions: questions.map(({ options, ...question }) => ({
      id: newId(),
      weight: 1,
      metadata: {},
      ...question,
      options: options.map((option) => ({ id: newId(), ...option })),
    })),
    scoreRanges,
  });
};

describe.each(instruments.map((instrument) => [instrument.name, instrument] as const))('%s', (_, instrument) => {
  const form = formOf(instrument);

  it.each(instrument.cases)('classifies $chosen as $classification', (each) => {
    const { total, classification } = each;
    const score = scoreOf(form, answersTo(form.questions, each));
    expect(score).toMatchObject({ total, classification, complete: true, missing: [] });
    expect(score.possible.min).toBeLessThanOrEqual(total);
  });

  it('has a case on both sides of every cut-off', () => {
    for (const { minScore, maxScore, classification } of instrument.scoreRanges) {
      const cases = instrument.cases.filter((each) => each.classification === classification);
      const totals = cases.map(({ total }) => total);
      expect(totals).toEqual(expect.arrayContaining([minScore, maxScore]));
    }
  });

  it('has a classification for every total, and no error', () => {
    const { findings, undecided } = finished(analysisOf(form));
    expect(undecided).toBe(false);
    expect(findings).toEqual([]);
  });
});
