// What requests may send, and that responses show exactly what their schemas say.
import { describe, expect, it } from 'vitest';
import { formLimits } from '../../../src/domain/protocol/schemas.js';
import { Analysis, Finding, LONGEST_TEXT, Score, SentAnswers } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { uuidOf } from '../../support/specification.js';
import { analysed, anyNumber, formOf, many } from '../support/scoring.js';

const questionId = uuidOf(1_000);
const ids = (count: number) => many(count, uuidOf);

describe('the answers of a request', () => {
  it.each([
    [[]],
    [[{ questionId }]],
    [[{ questionId, optionIds: ids(formLimits.options), value: null }]],
    [[{ questionId, optionIds: null, value: 'x'.repeat(LONGEST_TEXT) }]],
    [many(formLimits.questions, () => ({ questionId, value: 1.5 }))],
  ])('may be entries, each with a question: case %#', (answers) =>
    expect(SentAnswers.parse({ answers })).toEqual({ answers }),
  );

  it.each<[unknown, readonly (string | number)[]]>([
    [undefined, ['answers']],
    [many(formLimits.questions + 1, () => ({ questionId })), ['answers']],
    [[{}], ['answers', 0, 'questionId']],
    [[{ questionId: 'first' }], ['answers', 0, 'questionId']],
    [[{ questionId, optionIds: ids(formLimits.options + 1) }], ['answers', 0, 'optionIds']],
    [[{ questionId, optionIds: ['first'] }], ['answers', 0, 'optionIds', 0]],
    [[{ questionId, value: 'x'.repeat(LONGEST_TEXT + 1) }], ['answers', 0, 'value']],
    [[{ questionId, value: {} }], ['answers', 0, 'value']],
  ])('may not be anything else: case %#', (answers, path) => {
    const { error } = SentAnswers.safeParse({ answers });
    expect(error?.issues.map((issue) => issue.path)).toEqual([path]);
  });
});

describe('a response', () => {
  const form = formOf(
    [{ options: [1, 2] }, anyNumber({ minValue: 0, maxValue: 1 }), { responseType: 'TEXT', required: false }],
    [[0, 1.5, 'low']],
  );

  it('shows a score as its schema says', () => {
    // The range of a stored form has more members.
    const score = { ...scoreOf(form, [{ questionId, optionIds: [uuidOf(1_001)] }]), range: null };
    expect(score.items).toHaveLength(3);
    expect(Score.parse(score)).toStrictEqual(score);
  });

  it('shows an analysis as its schema says', () => {
    const analysis = { formId: null, revision: 0, ...analysed(form) };
    expect(analysis.findings).toHaveLength(1);
    expect(analysis.totals.intervals).toHaveLength(1);
    expect(Analysis.parse(analysis)).toStrictEqual(analysis);
    const values = { ...analysis, ...analysed(formOf([{ options: [1, 2] }])) };
    expect(Analysis.parse(values)).toStrictEqual(values);
    expect(Finding.safeParse({ ...analysis.findings[0], severity: 'fatal' }).success).toBe(false);
  });
});
