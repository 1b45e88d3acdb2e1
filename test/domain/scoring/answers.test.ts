// What each response type accepts, refuses and counts. The tests of scores and of analyses prove these rules only through
// their results.
import { describe, expect, it } from 'vitest';
import type { Answer, Outcomes, Question } from '../../../src/domain/scoring/answers.js';
import { decimalOf, ZERO } from '../../../src/domain/scoring/decimal.js';
import { first } from '../../support/items.js';
import { uuidOf } from '../../support/specification.js';
import { anyNumber, formOf, wholeNumber } from '../support/scoring.js';

type Given = Parameters<typeof formOf>[0][number];

const answering = (given: Given) => first(formOf([given]).questions);
const option = (place: number) => uuidOf(1_000 + place);

const text = (metadata: Question['metadata']): Given => ({ responseType: 'TEXT', metadata });
const date = (metadata: Question['metadata']): Given => ({ responseType: 'DATE', metadata });
const instant = (metadata: Question['metadata']): Given => ({ responseType: 'DATETIME', metadata });
const one: Given = { responseType: 'SELECT', options: [0, 3] };
const some: Given = { responseType: 'MULTIPLE_SELECT', options: [2, 3] };
const yesOrNo: Given = { responseType: 'BOOLEAN' };

describe('an answer', () => {
  it.each<[Given, Answer['value'], string | undefined]>([
    [text({}), 5, 'invalid-type'],
    [text({}), 'a', undefined],
    [text({ minLength: 0 }), '', 'too-small'],
    [text({ minLength: 2 }), 'a', 'too-small'],
    [text({ minLength: 2 }), 'ab', undefined],
    [text({ maxLength: 2 }), 'abc', 'too-big'],
    [text({ maxLength: 2 }), '💉💉', undefined],
    [anyNumber({}), '5', 'invalid-type'],
    [anyNumber({}), -1.5, undefined],
    [anyNumber({ minValue: 2.5 }), 2.4, 'too-small'],
    [anyNumber({ minValue: 2.5 }), 2.5, undefined],
    [anyNumber({ maxValue: 2.5 }), 2.6, 'too-big'],
    [anyNumber({ maxValue: 2.5 }), 2.5, undefined],
    [wholeNumber({}), 1.5, 'invalid-value'],
    [wholeNumber({}), 2, undefined],
    [wholeNumber({}), '2', 'invalid-type'],
    [wholeNumber({ minValue: 2 }), 1, 'too-small'],
    [date({}), '2021-02-29', 'invalid-type'],
    [date({}), '2020-02-29T12:00:00Z', 'invalid-type'],
    [date({}), '2020-02-29', undefined],
    [date({ minValue: '2020-03-01' }), '2020-02-29', 'too-small'],
    [date({ minValue: '2020-02-29' }), '2020-02-29', undefined],
    [date({ maxValue: '2020-02-28' }), '2020-02-29', 'too-big'],
    [instant({}), '2020-02-29', 'invalid-type'],
    [instant({}), '2020-02-29T12:00:00Z', undefined],
    [instant({ maxValue: '2020-02-29T12:00:00Z' }), '2020-02-29T13:00:00+01:00', undefined],
    [instant({ maxValue: '2020-02-29T12:00:00Z' }), '2020-02-29T12:00:00-01:00', 'too-big'],
    [instant({}), '2020-02-29T12:00Z', undefined],
    [instant({}), '2020-02-29t12:00:00.25z', undefined],
    [instant({}), '2020-02-29T12:00-0330', undefined],
    [instant({}), '2020-02-29T12:00', 'invalid-type'],
    [instant({ minValue: '2020-02-29t12:00z' }), '2020-02-29T13:59+0200', 'too-small'],
    [instant({ minValue: '2020-02-29t12:00z' }), '2020-02-29T14:00+0200', undefined],
    [instant({ maxValue: '2020-02-29T14:00+02' }), '2020-02-29t12:00:00.001z', 'too-big'],
    [yesOrNo, 'true', 'invalid-type'],
    [yesOrNo, false, undefined],
    [yesOrNo, true, undefined],
  ])('to %j is %j: %s', (given, value, code) => {
    const { member, faults } = answering(given);
    expect(member).toBe('value');
    expect(faults({ value })).toEqual(code === undefined ? [] : [{ path: [], code, message: expect.any(String) }]);
  });

  it.each<[Given, readonly number[], readonly (readonly (number | string)[])[]]>([
    [one, [], []],
    [one, [2], []],
    [one, [3], [[0, 'not-found']]],
    [one, [1, 2], [['too-big']]],
    [one, [2, 2], [['too-big'], [1, 'duplicate']]],
    [some, [1, 2], []],
    [
      some,
      [2, 9, 2],
      [
        [1, 'not-found'],
        [2, 'duplicate'],
      ],
    ],
    [{ ...one, responseType: 'BOOLEAN' }, [1, 2], [['too-big']]],
  ])('to %j with the options %j has the faults %j', (given, places, expected) => {
    const { member, faults } = answering(given);
    expect(member).toBe('optionIds');
    const found = faults({ optionIds: places.map(option) });
    expect(found.map(({ path, code }) => [...path, code])).toEqual(expected);
  });

  it.each([[one], [some]])('to %j without options has no faults, and its score says nothing', (given) => {
    const { faults, explained } = answering(given);
    expect(faults({})).toEqual([]);
    expect(explained({}, ZERO)).toBe('');
  });
});

describe('the score of an answer', () => {
  it.each<[Given, Answer, number]>([
    [one, { optionIds: [option(2)] }, 3],
    [{ ...one, responseType: 'BOOLEAN' }, { optionIds: [option(1)] }, 0],
    [some, { optionIds: [option(1), option(2)] }, 5],
    [anyNumber({}), { value: -1.5 }, -1.5],
    [wholeNumber({}), { value: 7 }, 7],
  ])('to %j that is %j counts %d', (given, answer, expected) => {
    expect(answering(given).counted(answer)).toEqual(decimalOf(expected));
  });

  it.each<[Given, Answer]>([
    [text({}), { value: 'a' }],
    [date({}), { value: '2020-02-29' }],
    [instant({}), { value: '2020-02-29T12:00:00Z' }],
    [yesOrNo, { value: true }],
  ])('to %j that is %j counts nothing, and says nothing', (given, answer) => {
    const { counted, explained } = answering(given);
    expect(counted(answer)).toBeUndefined();
    expect(explained(answer, ZERO)).toBe('');
  });
});

describe('the numbers that answers count', () => {
  const nothing: Outcomes = { kind: 'nothing', numbers: [] };
  it.each<[Given, Outcomes]>([
    [text({}), nothing],
    [date({}), nothing],
    [instant({}), nothing],
    [yesOrNo, nothing],
    [{ options: [] }, nothing],
    [one, { kind: 'one', numbers: [0, 3] }],
    [
      { ...one, responseType: 'BOOLEAN' },
      { kind: 'one', numbers: [0, 3] },
    ],
    [some, { kind: 'some', numbers: [2, 3] }],
    [anyNumber({ minValue: 0.5 }), { kind: 'any', numbers: [0.5, undefined] }],
    [wholeNumber({ minValue: 0.5, maxValue: 2.5 }), { kind: 'whole', numbers: [1, 2] }],
    [wholeNumber({ minValue: 0.2, maxValue: 0.8 }), nothing],
    [anyNumber({ minValue: 3, maxValue: 2 }), nothing],
    // A bound of another kind bounds nothing.
    [anyNumber({ minValue: '2020-02-29' }), { kind: 'any', numbers: [undefined, undefined] }],
  ])('to %j are %j', (given, outcomes) => expect(answering(given).outcomes).toEqual(outcomes));
});

describe('the answers that count least and most', () => {
  const ends = (given: Given) => answering(given).ends;
  const chosen = (...places: readonly number[]) => ({ optionIds: places.map(option) });

  it.each<[Given, readonly (Answer | undefined)[]]>([
    [text({}), []],
    [yesOrNo, []],
    [{ options: [] }, [undefined, undefined]],
    [{ options: [3, -1, 2] }, [chosen(2), chosen(1)]],
    [{ responseType: 'MULTIPLE_SELECT', options: [3, -1, 2, -4] }, [chosen(2, 4), chosen(1, 3)]],
    [{ responseType: 'MULTIPLE_SELECT', options: [2, 3] }, [chosen(1), chosen(1, 2)]],
    [{ responseType: 'MULTIPLE_SELECT', options: [-2, 0] }, [chosen(1), chosen(2)]],
    [wholeNumber({ minValue: 0.5, maxValue: 2.5 }), [{ value: 1 }, { value: 2 }]],
    [anyNumber({ minValue: 0.5 }), [{ value: 0.5 }, undefined]],
  ])('to %j are %j', (given, expected) => expect(ends(given)).toEqual(expected));
});

describe('a possible answer', () => {
  it.each<[Given, Answer | undefined]>([
    [text({}), { value: '-' }],
    [text({ minLength: 3, maxLength: 3 }), { value: '---' }],
    [text({ minLength: 3, maxLength: 2 }), undefined],
    [text({ minLength: 100_000 }), { value: '-'.repeat(100_000) }],
    [text({ minLength: 100_001 }), undefined],
    [anyNumber({}), { value: 0 }],
    [anyNumber({ maxValue: -2.5 }), { value: -3 }],
    [anyNumber({ minValue: 36.25, maxValue: 42 }), { value: 37 }],
    [anyNumber({ minValue: 0.125, maxValue: 0.25 }), { value: 0.25 }],
    [anyNumber({ minValue: -5, maxValue: 5 }), { value: 0 }],
    [wholeNumber({ minValue: 0.5 }), { value: 1 }],
    [wholeNumber({ maxValue: -0.5 }), { value: -1 }],
    [wholeNumber({ minValue: 0.2, maxValue: 0.8 }), undefined],
    [date({}), { value: '2000-01-01' }],
    [date({ minValue: '2020-02-29' }), { value: '2020-02-29' }],
    [date({ minValue: '2020-02-29', maxValue: '2020-02-28' }), undefined],
    [instant({}), { value: '2000-01-01T00:00:00Z' }],
    [instant({ maxValue: '1999-01-01T00:00:00Z' }), { value: '1999-01-01T00:00:00Z' }],
    [one, { optionIds: [option(1)] }],
    [some, { optionIds: [option(1)] }],
    [{ options: [] }, undefined],
    [yesOrNo, { value: true }],
  ])('to %j is %j', (given, answer) => {
    const { possible, faults } = answering(given);
    expect(possible()).toEqual(answer);
    if (answer !== undefined) expect(faults(answer)).toEqual([]);
  });
});
