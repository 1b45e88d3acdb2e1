// What is no answer, and which classification a form has while no answer counts.
import { describe, expect, it } from 'vitest';
import { readAnswers } from '../../../src/domain/scoring/entries.js';
import type { Entry } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { uuidOf } from '../../support/specification.js';
import { anyNumber, formOf, wholeNumber } from '../support/scoring.js';

type Given = Parameters<typeof formOf>[0][number];

const question = (place: number) => uuidOf(1_000 * place);
const valued = (value: Entry['value']): Entry[] => [{ questionId: question(1), value }];
const text: Given = { responseType: 'TEXT', required: false };
const optional: Given = { required: false };

describe('a value without a visible character', () => {
  it.each([
    ...[' ', '\n\t\r ', '\u00a0\u2003\u3000', '\u200b\u2060\ufeff', '\u3164\u115f\uffa0', '\u2800', '\u00ad\u034f'],
    ...['\u202e\u2066', '\ufe0f', '\u{e0041}', ' '.repeat(100_000)],
  ])('is no answer to a TEXT, whatever its length: %j', (value) => {
    for (const metadata of [{}, { minLength: 1 }, { minLength: 20, maxLength: 30 }]) {
      expect(scoreOf(formOf([{ responseType: 'TEXT', metadata }]), valued(value))).toMatchObject({
        ...{ complete: false, missing: [question(1)] },
        items: [{ answered: false, explanation: 'Not answered, although required.' }],
      });
    }
  });

  it.each<[string, readonly string[]]>([
    ['-', ['too-small']],
    ['\u200bé', ['too-small']],
    [' é ', []],
    ['\u200b\u200b💉', []],
    ['\n\n\n.', ['too-big']],
  ])('counts as a character of a TEXT that has a visible one: %j', (value, codes) => {
    const form = formOf([{ responseType: 'TEXT', metadata: { minLength: 3, maxLength: 3 } }]);
    expect(readAnswers(form, valued(value)).errors.map(({ code }) => code)).toEqual(codes);
  });

  it.each(['NUMBER', 'DATE', 'DATETIME', 'BOOLEAN'] as const)('is a wrong answer to a %s', (responseType) => {
    const { errors } = readAnswers(formOf([{ responseType }]), valued(' \u200b'));
    expect(errors).toMatchObject([{ path: ['answers', 0, 'value'], code: 'invalid-type' }]);
  });
});

describe('the classification of a form', () => {
  const ranges = [[-5, 0, 'low'] as const, [1, 9, 'high'] as const];

  it.each<[string, readonly Given[]]>([
    ['a choice', [{ options: [0, 1], ...optional }]],
    ['several choices', [{ responseType: 'MULTIPLE_SELECT', options: [0, 1], ...optional }]],
    ['a BOOLEAN with options', [{ responseType: 'BOOLEAN', options: [0, 1], ...optional }]],
    ['a number', [anyNumber({ minValue: 0, maxValue: 0 }, { ...optional, weight: -2 })]],
    ['options that score 0, beside a question that does not count', [{ options: [0], ...optional }, text]],
  ])('is null while no question that counts is answered: %s', (_, questions) => {
    const form = formOf([...questions, text], ranges);
    const answered = [{ questionId: question(questions.length + 1), value: 'none' }];
    for (const entries of [answered, [...answered, { questionId: question(1), optionIds: [], value: null }]]) {
      expect(scoreOf(form, entries)).toMatchObject({ total: 0, classification: null, range: null, complete: true });
    }
  });

  it.each<[string, readonly Given[]]>([
    ['no question', []],
    ['texts only', [text, { responseType: 'DATE', required: false }]],
    ['a weight of 0', [{ options: [5], weight: 0, ...optional }]],
    ['a choice without options, and a BOOLEAN without', [optional, { responseType: 'BOOLEAN', ...optional }]],
    ['a number that no answer fits', [wholeNumber({ minValue: 0.2, maxValue: 0.8 }, optional)]],
  ])('is that of 0 if no question counts: %s', (_, questions) =>
    expect(scoreOf(formOf(questions, ranges), [])).toMatchObject({ total: 0, classification: 'low' }),
  );

  it('is that of the total as soon as one question that counts is answered, also with 0', () => {
    const choice = { options: [0, 1], ...optional };
    const answer = { questionId: question(2), optionIds: [uuidOf(2_001)] };
    expect(scoreOf(formOf([choice, choice], ranges), [answer])).toMatchObject({ total: 0, classification: 'low' });
  });
});
