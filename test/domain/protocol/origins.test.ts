// The origin of a question, an option or a score range is its first original in the protocol.
import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { active, formOfVersion, originIn, type Protocol } from '../../../src/domain/protocol/fold.js';
import type { Form } from '../../../src/domain/protocol/schemas.js';
import { specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  formWith,
  option,
  optionId,
  type ProtocolCommand,
  type ProtocolEvent,
  question,
  questionId,
  range,
  rangeId,
  select,
  UNKNOWN_ID,
} from '../support/protocol-samples.js';

const { given } = specification(protocol);
const copy: ProtocolCommand = { type: 'CreateFormVersion', data: {} };
const first = formWith([select(1, [option(1)]), select(2, [option(2)])], { scoreRanges: [range(1, 0, 5)] });

// The ids of version 2, which a copy makes in the order of the items, and of its form.
const [firstQuestion, firstOption, secondQuestion, secondOption, scoreRange, form] = [1, 2, 3, 4, 5, 6].map(uuidOf) as [
  ...[string, string, string, string, string, string],
];
const replacement = (questions: object[], formId = form): ProtocolCommand => ({
  type: 'ReplaceQuestionnaire',
  data: {
    formId,
    questions: questions.map((each) => ({ questionText: 'Q', responseType: 'SELECT', ...each })),
    scoreRanges: [],
  },
});

const originsOf = (state: Protocol, { questions, scoreRanges }: Form) => ({
  questions: questions.map(({ id }) => originIn(active(state), id)),
  options: questions.flatMap(({ options }) => options.map(({ id }) => originIn(active(state), id))),
  scoreRanges: scoreRanges.map(({ id }) => originIn(active(state), id)),
});

/** Returns a check of the origins of all items of a version. */
const originsIn =
  (version: number, questions: readonly string[], options: readonly string[], scoreRanges: readonly string[]) =>
  (state: Protocol): void => {
    expect(originsOf(state, formOfVersion(state, version))).toEqual({ questions, options, scoreRanges });
  };

const [questions, options] = [[1, 2].map(questionId), [1, 2].map(optionId)];

describe('the origin of an item', () => {
  it('is the item itself if it was not copied', () =>
    given(created, first)
      .when()
      .thenState(originsIn(1, questions, options, [rangeId(1)])));

  it('is the first original of a copy of a copy', () =>
    given(created, first)
      .when(copy, copy, copy)
      .thenState((state) => {
        for (const version of [1, 2, 3, 4]) originsIn(version, questions, options, [rangeId(1)])(state);
      }));

  it('stays the same if a replacement removes the first original', () =>
    given(created, first)
      .when(copy, replacement([{}], FORM_ID), copy)
      .thenState(originsIn(3, questions, options, [rangeId(1)])));

  it('stays the same if a replacement removes the copy', () =>
    given(created, first)
      .when(copy, replacement([{}]), copy)
      .thenState((state) => {
        const removed = [firstQuestion, firstOption, secondQuestion, secondOption, scoreRange];
        expect(removed.map((id) => originIn(active(state), id))).toEqual([
          ...[questionId(1), optionId(1), questionId(2), optionId(2), rangeId(1)],
        ]);
      }));

  it('stays the same if a replacement keeps the item, and is the item itself if a replacement adds it', () =>
    given(created, first)
      .when(copy, replacement([{ id: secondQuestion, options: [{ optionText: 'New', score: 0 }] }, {}]), copy)
      .thenState((state) => {
        const { questions } = formOfVersion(state, 2);
        const [, added] = questions.map(({ id }) => id);
        const [, [newOption] = []] = [0, questions.flatMap((each) => each.options.map(({ id }) => id))];
        for (const version of [2, 3]) {
          expect(originsOf(state, formOfVersion(state, version))).toEqual({
            questions: [questionId(2), added],
            options: [newOption],
            scoreRanges: [],
          });
        }
      }));

  it('stays the same if a replacement moves an option to another question', () => {
    const moved = { id: firstOption, optionText: 'Option 1', score: 1 };
    given(created, first)
      .when(copy, replacement([{ id: firstQuestion }, { id: secondQuestion, options: [moved] }]), copy)
      .thenState(originsIn(3, questions, [optionId(1)], []));
  });

  it('is the item itself in a form that is no copy, after two others', () => {
    const second = formWith([], { formId: uuidOf(0xc02), version: 2, copiedFrom: FORM_ID });
    const third = formWith([question(5)], { formId: uuidOf(0xc03), version: 3 });
    given(created, first, second, third)
      .when()
      .thenState(originsIn(3, [questionId(5)], [], []));
  });

  it('is in this protocol, also if its form was copied from another protocol', () => {
    const foreign: ProtocolEvent = formWith(
      [{ ...question(1), copiedFrom: questionId(8), options: [option(1, { copiedFrom: optionId(8) })] }],
      { copiedFrom: UNKNOWN_ID, scoreRanges: [{ ...range(1, 0, 5), copiedFrom: rangeId(8) }] },
    );
    given(created, foreign)
      .when(copy)
      .thenState((state) => {
        for (const version of [1, 2]) originsIn(version, [questionId(1)], [optionId(1)], [rangeId(1)])(state);
      });
  });
});
