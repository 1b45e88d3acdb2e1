// The positions of questions in their form and of options in their question. Both lists follow the same rules.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../../src/domain/errors.js';
import { highestPosition as HIGHEST } from '../../../src/domain/fields.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import type { Protocol } from '../../../src/domain/protocol/fold.js';
import { byScore, makeRoom } from '../../../src/domain/protocol/positions.js';
import { formLimits } from '../../../src/domain/protocol/schemas.js';
import { EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  formIn,
  formWith,
  option,
  optionId,
  type ProtocolCommand,
  type ProtocolEvent,
  question,
  questionId,
  range,
  select,
  UNKNOWN_ID,
  upTo,
} from '../support/protocol-samples.js';

/** The positions of named items. `new` is the item that the command adds. */
type Places = Readonly<Record<string, number>>;

interface List {
  readonly with: (places: Places) => ProtocolEvent;
  readonly add: (position: number | undefined) => ProtocolCommand;
  readonly move: (name: string, position: number) => ProtocolCommand;
  readonly reorder: (ids: readonly string[], of?: string) => ProtocolCommand;
  readonly reordered: (ids: readonly string[]) => ProtocolEvent;
  readonly idOf: (name: string) => string;
  readonly itemsIn: (state: Protocol) => readonly { id: string; position: number; updatedAt: string }[];
  readonly unknownParent: 'form-not-found' | 'question-not-found';
}

const numbered = (name: string) => name.charCodeAt(0);
const OF_OPTIONS = questionId(0xfff);

const questions: List = {
  with: (places) => formWith(Object.entries(places).map(([name, position]) => question(numbered(name), { position }))),
  add: (position) => ({ type: 'AddQuestion', data: { formId: FORM_ID, questionText: 'New', position } }),
  move: (name, position) => ({ type: 'ReviseQuestion', data: { questionId: questionId(numbered(name)), position } }),
  reorder: (ids, formId = FORM_ID) => ({ type: 'ReorderQuestions', data: { formId, ids: [...ids] } }),
  reordered: (ids) => ({ type: 'ProtocolQuestionsReordered', data: { formId: FORM_ID, questionIds: [...ids] } }),
  idOf: (name) => (name === 'new' ? uuidOf(1) : questionId(numbered(name))),
  itemsIn: (state) => formIn(state).questions,
  unknownParent: 'form-not-found',
};

const options: List = {
  with: (places) => {
    const items = Object.entries(places).map(([name, position]) => option(numbered(name), { position }));
    return formWith([question(1), { ...select(2, items), id: OF_OPTIONS }]);
  },
  add: (position) => ({ type: 'AddOption', data: { questionId: OF_OPTIONS, optionText: 'New', score: 1, position } }),
  move: (name, position) => ({ type: 'ReviseOption', data: { optionId: optionId(numbered(name)), position } }),
  reorder: (ids, questionId = OF_OPTIONS) => ({ type: 'ReorderOptions', data: { questionId, ids: [...ids] } }),
  reordered: (ids) => ({
    type: 'ProtocolOptionsReordered',
    data: { formId: FORM_ID, questionId: OF_OPTIONS, optionIds: [...ids] },
  }),
  idOf: (name) => (name === 'new' ? uuidOf(1) : optionId(numbered(name))),
  itemsIn: (state) => formIn(state).questions[1]?.options ?? [],
  unknownParent: 'question-not-found',
};

const { given, sending } = specification(protocol);
const fault = (path: FieldError['path'], code: FieldError['code']) => ({ path, code, message: expect.any(String) });
const noRoom = { errors: [fault(['position'], 'too-big')] };

describe.each([
  { name: 'question', list: questions },
  { name: 'option', list: options },
])('the position of a $name', ({ list }) => {
  /** Expects the items in the order of `after`. Only those that are not where they were before are updated. */
  const expectPlaces = (state: Protocol, before: Places, after: Places) =>
    expect(list.itemsIn(state).map(({ id, position, updatedAt }) => [id, position, updatedAt])).toStrictEqual(
      Object.entries(after).map(([name, position]) => [
        list.idOf(name),
        position,
        before[name] === position ? EARLIER : NOW,
      ]),
    );

  it.each<[string, Places, number | undefined, Places]>([
    ['is 1 in an empty list', {}, undefined, { new: 1 }],
    ['is after the highest if none is sent', { a: 0, b: 7, c: 3 }, undefined, { a: 0, c: 3, b: 7, new: 8 }],
    ['is 1 after an item at 0', { a: 0 }, undefined, { a: 0, new: 1 }],
    ['may be a gap, and then nothing moves', { a: 1, b: 3 }, 2, { a: 1, new: 2, b: 3 }],
    ['moves the items from there on down by one', { a: 1, b: 2, c: 3 }, 2, { a: 1, new: 2, b: 3, c: 4 }],
    ['moves nothing beyond the first gap', { a: 1, b: 2, c: 4 }, 1, { new: 1, a: 2, b: 3, c: 4 }],
    ['may be 0', { a: 0, b: 5 }, 0, { new: 0, a: 1, b: 5 }],
    ['may be the highest', { a: HIGHEST - 1 }, undefined, { a: HIGHEST - 1, new: HIGHEST }],
    ['may push an item to the highest', { a: HIGHEST - 1 }, HIGHEST - 1, { new: HIGHEST - 1, a: HIGHEST }],
  ])('that is added %s', (_, before, position, after) =>
    given(created, list.with(before))
      .when(list.add(position))
      .thenState((state) => expectPlaces(state, before, after)),
  );

  it.each<[string, Places, readonly [string, number], Places]>([
    ['up to a taken position moves the items there', { a: 1, b: 2, c: 3 }, ['b', 1], { b: 1, a: 2, c: 3 }],
    ['down to a taken position leaves a gap', { a: 1, b: 2, c: 3 }, ['b', 3], { a: 1, b: 3, c: 4 }],
    ['up to a free position moves nothing else', { a: 1, b: 2, c: 3 }, ['b', 0], { b: 0, a: 1, c: 3 }],
    ['down to a free position moves nothing else', { a: 1, b: 2, c: 3 }, ['b', 9], { a: 1, c: 3, b: 9 }],
  ])('that is moved %s', (_, before, moved, after) =>
    given(created, list.with(before))
      .when(list.move(...moved))
      .thenState((state) => expectPlaces(state, before, after)),
  );

  it('may not push an item above the highest position', () => {
    const full = list.with({ a: HIGHEST - 1, b: HIGHEST });
    for (const command of [list.add(undefined), list.add(HIGHEST - 1), list.move('a', HIGHEST)]) {
      given(created, full).when(command).thenRefuses('fields-refused', noRoom);
    }
  });

  describe('in a new order', () => {
    const before = { a: 1, b: 3, c: 7 };
    const ids = (...names: readonly string[]) => names.map(list.idOf);

    it('is recorded as one event for the list', () =>
      given(created, list.with(before))
        .when(list.reorder(ids('c', 'a', 'b')))
        .then(list.reordered(ids('c', 'a', 'b'))));

    it.each([
      ['c', 'a', 'b'],
      ['a', 'c', 'b'],
      ['a', 'b', 'c'],
    ])('counts from 1 without gaps: %s %s %s', (...names) =>
      given(created, list.with(before))
        .when(list.reorder(ids(...names)))
        .thenState((state) => {
          expectPlaces(state, before, Object.fromEntries(names.map((name, index) => [name, index + 1])));
          expect(formIn(state).updatedAt).toBe(NOW);
        }),
    );

    it('stays as it is if the order is the same and has no gaps', () => {
      given(created, list.with(before), list.reordered(ids('c', 'a', 'b')))
        .when(list.reorder(ids('c', 'a', 'b')))
        .then();
      given(created, list.with({})).when(list.reorder([])).then();
    });

    it.each([
      { names: ['a', 'b'], errors: [fault(['ids'], 'incomplete')] },
      { names: ['a', 'b', 'c', 'x'], errors: [fault(['ids', 3], 'not-found')] },
      { names: ['a', 'x', 'c'], errors: [fault(['ids', 1], 'not-found'), fault(['ids'], 'incomplete')] },
    ])('rejects missing and unknown ids: $names', ({ names, errors }) =>
      given(created, list.with(before))
        .when(list.reorder(ids(...names)))
        .thenRefuses('fields-refused', { errors }),
    );

    it('rejects an unknown list', () => {
      const command = list.reorder([], UNKNOWN_ID);
      given(created, list.with(before)).when(command).thenRefuses(list.unknownParent);
      given().when(command).thenRefuses('protocol-not-found', {});
    });
  });
});

it('a new order of options updates their question, and no other', () =>
  given(created, options.with({ a: 1, b: 2 }))
    .when(options.reorder(['b', 'a'].map(options.idOf)))
    .thenState((state) => expect(formIn(state).questions).toMatchObject([{ updatedAt: EARLIER }, { updatedAt: NOW }])));

describe('an order that is sent', () => {
  it('may name each id only once', () => {
    const [one, two] = [questionId(0xa), questionId(0xb)];
    sending('ReorderQuestions', { formId: FORM_ID, ids: [one, two] }).isAccepted();
    sending('ReorderQuestions', { formId: FORM_ID, ids: [one, two, one.toUpperCase(), one] }).isRefusedFor(
      '/ids/2 duplicate',
      '/ids/3 duplicate',
    );
  });
  it('may be only as long as a list may be', () => {
    const ids = (count: number) => upTo(count).map(questionId);
    sending('ReorderQuestions', { formId: FORM_ID, ids: ids(formLimits.questions) }).isAccepted();
    sending('ReorderQuestions', { formId: FORM_ID, ids: ids(formLimits.questions + 1) }).isRefusedFor('/ids too_big');
    sending('ReorderOptions', { questionId: OF_OPTIONS, ids: ids(formLimits.options) }).isAccepted();
    sending('ReorderOptions', { questionId: OF_OPTIONS, ids: ids(formLimits.options + 1) }).isRefusedFor(
      '/ids too_big',
    );
  });
});

it('score ranges are in the order of their scores, also if those of older events overlap', () => {
  const [low, wide, high] = [range(1, 0, 2), range(2, 0, 5), range(3, 3, 4)];
  expect(byScore([high, wide, low])).toEqual([low, wide, high]);
});

it('room is made by moving only the items that must move, each by one, in any list', () =>
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(20), { maxLength: 15 }), fc.nat(22), (positions, position) => {
      const moved = makeRoom(
        positions.map((each) => ({ id: uuidOf(each), position: each })),
        position,
      );
      expect(moved).toEqual(moved.map((_, n) => ({ id: uuidOf(position + n), position: position + n + 1 })));
      expect(positions).not.toContain(position + moved.length);
    }),
  ));
