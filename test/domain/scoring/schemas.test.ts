// What requests may send, and that responses show exactly what their schemas say.
import { describe, expect, it } from 'vitest';
import { formLimits } from '../../../src/domain/protocol/schemas.js';
import { Analysis, Finding, LONGEST_TEXT, Score, SentAnswers } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { NOW, uuidOf } from '../../support/specification.js';
import { analysed, anyNumber, formOf, many } from '../support/scoring.js';

const questionId = uuidOf(1_000);
const ids = (count: number) => many(count, uuidOf);

describe('the answers of a request', () => {
  it.each([
    ['no entry', []],
    ['an entry without an answer', [{ questionId }]],
    ['as many options as a question may have', [{ questionId, optionIds: ids(formLimits.options), value: null }]],
    ['the longest text', [{ questionId, optionIds: null, value: 'x'.repeat(LONGEST_TEXT) }]],
    ['an entry for each question of a form', many(formLimits.questions, () => ({ questionId, value: 1.5 }))],
  ])('may have %s', (_, answers) => expect(SentAnswers.parse({ answers })).toEqual({ answers }));

  it.each<[string, unknown, readonly (string | number)[]]>([
    ['be absent', undefined, ['answers']],
    ['have an entry too many', many(formLimits.questions + 1, () => ({ questionId })), ['answers']],
    ['have an entry without a question', [{}], ['answers', 0, 'questionId']],
    ['name a question by something else', [{ questionId: 'first' }], ['answers', 0, 'questionId']],
    ['have an option too many', [{ questionId, optionIds: ids(formLimits.options + 1) }], ['answers', 0, 'optionIds']],
    ['name an option by something else', [{ questionId, optionIds: ['first'] }], ['answers', 0, 'optionIds', 0]],
    ['have a longer text', [{ questionId, value: 'x'.repeat(LONGEST_TEXT + 1) }], ['answers', 0, 'value']],
    ['have an object as a value', [{ questionId, value: {} }], ['answers', 0, 'value']],
  ])('may not %s', (_, answers, path) => {
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
    const answers = [
      { questionId, optionIds: [uuidOf(1_001)] },
      { questionId: uuidOf(2_000), value: 0 },
    ];
    const score = { version: 1, status: 'DRAFT', ...scoreOf(form, answers) };
    expect(score).toMatchObject({ complete: true, classification: 'low', items: { length: 3 } });
    const dates = { createdAt: NOW, updatedAt: NOW };
    const range = { id: uuidOf(1), protocolFormId: uuidOf(2), copiedFrom: null, ...score.range, ...dates };
    expect(Score.parse({ ...score, range })).toStrictEqual({ ...score, range });
    expect(Score.parse({ ...score, range: null })).toStrictEqual({ ...score, range: null });
  });

  it('shows an analysis as its schema says', () => {
    const analysis = { formId: null, revision: 3, ...analysed(form) };
    expect(analysis.findings).toHaveLength(1);
    expect(analysis.totals.intervals).toHaveLength(1);
    expect(Analysis.parse(analysis)).toStrictEqual(analysis);
    const values = { ...analysis, ...analysed(formOf([{ options: [1, 2] }])) };
    expect(Analysis.parse(values)).toStrictEqual(values);
  });

  it('shows no finding of another severity', () => {
    const [finding] = analysed(form).findings;
    expect(Finding.safeParse(finding).success).toBe(true);
    expect(Finding.safeParse({ ...finding, severity: 'fatal' }).success).toBe(false);
  });
});
