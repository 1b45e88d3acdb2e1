import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { getById } from '../../../src/domain/by-id.js';
import { fold } from '../../../src/domain/decider.js';
import { allItems } from '../../../src/domain/protocol/content.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import {
  formOfVersion,
  latestFormOf,
  optionOf,
  originIn,
  type Protocol,
  questionOf,
} from '../../../src/domain/protocol/fold.js';
import { ALLOWS_OPTIONS } from '../../../src/domain/protocol/response-type.js';
import type { Form } from '../../../src/domain/protocol/schemas.js';
import { repetitions } from '../../support/repetitions.js';
import { ANONYMOUS, expectRecordable } from '../../support/specification.js';
import { eventsOf } from '../support/arbitraries.js';
import { formsOf, optionsIn, protocolMachine, questionsIn } from '../support/machines.js';
import { folded, logOf, on, played } from '../support/play.js';
import type { ProtocolCommand, ProtocolEvent } from '../support/protocol-samples.js';

const { beginning, later } = protocolMachine;
const requests = fc
  .tuple(beginning, fc.array(later, { maxLength: 20, size: 'max' }))
  .map(([first, others]) => [first, ...others]);
const numRuns = repetitions('PROPERTY_RUNS');
vi.setConfig({ testTimeout: 90_000 + numRuns * 200 });

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
const ascending = (numbers: readonly number[]) =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? Number.POSITIVE_INFINITY));

/** Expects that content that a client sends back as it was read records as many events, none by default. */
const expectUnchanged = (state: Protocol, { type, data }: ProtocolCommand, events = 0) => {
  const newId = () => expect.fail('the decision created an id, but nothing is new');
  const given = { now: on(99).at, newId, actor: { id: ANONYMOUS, roles: [] } };
  expect(protocol.decide[type](state, protocol.commands[type].parse(data) as never, given)).toHaveLength(events);
};

/** Returns the forms that can be changed. */
const changeableIn = (forms: readonly Form[], state: Protocol): readonly Form[] =>
  state.status === 'unknown' || state.fields.archived ? [] : forms.filter(({ status }) => status === 'DRAFT');

type Rule = (forms: readonly Form[], state: Protocol, events: readonly ProtocolEvent[]) => void;

/** Maps each rule to the check that must hold after every request. */
const rules: Readonly<Record<string, Rule>> = {
  'form versions are consecutive from 1 and the latest form is the highest': (forms, state) => {
    expect(forms.map(({ version }) => version)).toEqual(forms.map((_, index) => index + 1));
    for (const form of forms) expect(formOfVersion(state, form.version)).toBe(form);
    if (state.status !== 'unknown') expect(latestFormOf(state)).toBe(forms.at(-1) ?? null);
  },
  'positions are unique in every list, and every list is sorted by them': (forms) => {
    for (const list of [
      ...forms.map(({ questions }) => questions),
      ...questionsIn(forms).map((each) => each.options),
    ]) {
      expect(list.map(({ position }) => position)).toSatisfy(ascending);
    }
  },
  'score ranges are in order and never overlap': (forms) => {
    for (const { scoreRanges } of forms) {
      for (const [index, { minScore, maxScore }] of scoreRanges.entries()) {
        expect(minScore).toBeLessThanOrEqual(maxScore);
        expect(scoreRanges[index - 1]?.maxScore ?? Number.NEGATIVE_INFINITY).toBeLessThan(minScore);
      }
    }
  },
  'ids are unique across all versions': (forms) => {
    const ranges = forms.flatMap(({ scoreRanges }) => scoreRanges);
    const ids = idsOf([...forms, ...questionsIn(forms), ...optionsIn(forms), ...ranges]);
    expect(new Set(ids).size).toBe(ids.length);
  },
  'only questions whose type takes options have options': (forms) => {
    for (const { responseType, options } of questionsIn(forms)) {
      expect(options.length === 0 || ALLOWS_OPTIONS[responseType]).toBe(true);
    }
  },
  'every item names its parent and is found there': (forms, state) => {
    const places = forms.flatMap((form) => form.questions.map((question) => ({ form, question })));
    for (const { form, question } of places) {
      expect(question.protocolFormId).toBe(form.id);
      expect(questionOf(state, question.id)).toMatchObject({ form, question });
    }
    for (const place of places.flatMap((at) => at.question.options.map((option) => ({ ...at, option })))) {
      expect(place.option.protocolQuestionId).toBe(place.question.id);
      expect(optionOf(state, place.option.id)).toMatchObject(place);
    }
  },
  'no item was updated before it was created, nor after its form': (forms) => {
    for (const form of forms) {
      for (const { createdAt, updatedAt } of [form, ...form.questions, ...optionsIn([form]), ...form.scoreRanges]) {
        expect([createdAt, updatedAt, form.updatedAt].toSorted()).toEqual([createdAt, updatedAt, form.updatedAt]);
      }
    }
  },
  'every event matches its schema': (_forms, _state, events) => {
    for (const event of events) expectRecordable(protocol, event);
  },
  'a copy names its originals and has the same positions': (forms, _, events) => {
    const copy = forms.at(-1);
    const source = forms.find(({ id }) => id === copy?.copiedFrom);
    if (events[0]?.type !== 'ProtocolFormVersionCreated' || source === undefined || copy === undefined) return;
    const sources = (items: readonly { copiedFrom: string | null; position: number }[]) =>
      items.map(({ copiedFrom, position }) => [copiedFrom, position]);
    const originals = (items: readonly { id: string; position: number }[]) =>
      items.map(({ id, position }) => [id, position]);
    expect(sources(copy.questions)).toEqual(originals(source.questions));
    expect(sources(optionsIn([copy]))).toEqual(originals(optionsIn([source])));
    expect(copy.scoreRanges.map(({ copiedFrom }) => copiedFrom)).toEqual(idsOf(source.scoreRanges));
  },
  'a copy has the origin of its original, and every other item is its own origin': (forms, state) => {
    if (state.status === 'unknown') return;
    const ranges = forms.flatMap(({ scoreRanges }) => scoreRanges);
    for (const { id, copiedFrom } of [...questionsIn(forms), ...optionsIn(forms), ...ranges]) {
      expect(originIn(state, id)).toBe(copiedFrom === null ? id : originIn(state, copiedFrom));
    }
  },
  'a questionnaire that is sent back as it was read, in any order, records nothing': (forms, state) => {
    const drafts = changeableIn(forms, state).filter((form) => form.questions.length > 0);
    for (const { id: formId, questions, scoreRanges } of drafts) {
      const sent = questions.toReversed().map(({ responseType, ...item }) => ({ ...item, options: [...item.options] }));
      const data = { formId, questions: sent, scoreRanges: scoreRanges.toReversed() };
      expectUnchanged(state, { type: 'ReplaceQuestionnaire', data });
    }
  },
  'a reordering numbers the items of its list from 1 to n': (forms, _, [event]) => {
    const isOfQuestions = event?.type === 'ProtocolQuestionsReordered';
    if (!isOfQuestions && event?.type !== 'ProtocolOptionsReordered') return;
    const ids = isOfQuestions ? event.data.questionIds : event.data.optionIds;
    const items = isOfQuestions ? questionsIn(forms) : optionsIn(forms);
    const placed = items.filter(({ id }) => ids.includes(id)).map(({ id, position }) => [id, position]);
    expect(placed).toEqual(ids.map((id, index) => [id, index + 1]));
  },
  'the current order records nothing if it has no gaps': (forms, state) => {
    for (const { id: formId, questions } of changeableIn(forms, state)) {
      const hasGaps = questions.some(({ position }, index) => position !== index + 1);
      expectUnchanged(state, { type: 'ReorderQuestions', data: { formId, ids: idsOf(questions) } }, Number(hasGaps));
    }
  },
  'a question or an option that is sent back as it was read records nothing': (forms, state) => {
    const drafts = changeableIn(forms, state);
    for (const { id: questionId, responseType, ...data } of questionsIn(drafts)) {
      expectUnchanged(state, { type: 'ReviseQuestion', data: { ...data, questionId } });
    }
    for (const { id: optionId, ...data } of optionsIn(drafts)) {
      expectUnchanged(state, { type: 'ReviseOption', data: { ...data, optionId } });
    }
  },
};

/** Returns the items that an event names with their originals. */
const itemsIn = ({ type, data }: ProtocolEvent): readonly Pick<Form, 'id' | 'copiedFrom'>[] => {
  switch (type) {
    case 'ProtocolFormVersionCreated':
    case 'ProtocolQuestionnaireReplaced':
      return allItems(data);
    case 'ProtocolQuestionAdded':
      return [data.question];
    case 'ProtocolOptionAdded':
      return [data.option];
    default:
      return [];
  }
};

/** Maps each item to the item that it descends from by copies. A replacement names a kept item again. */
const ancestorsOf = (items: readonly Pick<Form, 'id' | 'copiedFrom'>[]): ReadonlyMap<string, string> => {
  const ancestors = new Map<string, string>();
  for (const { id, copiedFrom } of items) {
    if (!ancestors.has(id)) ancestors.set(id, ancestors.get(copiedFrom ?? '') ?? id);
  }
  return ancestors;
};

/** Expects every rule to hold; the failure names the rule. */
const expectEveryRule: Rule = (...seen) => {
  for (const [rule, holds] of Object.entries(rules)) {
    try {
      holds(...seen);
    } catch (cause) {
      throw new Error(`broken: ${rule}: ${cause}`, { cause });
    }
  }
};

describe('a protocol', () => {
  it('keeps every rule after every request, and replays from JSON to the same state', () =>
    fc.assert(
      fc.property(requests, (sent) => {
        const steps = played(protocolMachine, sent);
        for (const { state, events } of steps) expectEveryRule(formsOf(state), state, events);
        const replayed = logOf(steps).reduce<Protocol>(
          (state, { event, on }) => fold(protocol, state, event, on),
          protocol.initialState,
        );
        expect(replayed).toStrictEqual(steps.at(-1)?.state);
      }),
      { numRuns },
    ));

  it('is given commands of every type, most of which it accepts', () => {
    const steps = fc.sample(requests, { numRuns: 300, seed: 1 }).flatMap((sent) => played(protocolMachine, sent));
    const recorded = steps.flatMap(({ events }) => events.map(({ type }) => type));
    expect(new Set(recorded)).toEqual(new Set(Object.keys(protocol.events)));
    expect(steps.filter(({ events }) => events.length > 0).length).toBeGreaterThan(steps.length / 2);
  });

  it('gives two items the same origin exactly if both descend from one item by copies, also after they are removed', () =>
    fc.assert(
      fc.property(requests, (sent) => {
        const steps = played(protocolMachine, sent);
        const state = steps.at(-1)?.state ?? protocol.initialState;
        if (state.status === 'unknown') return;
        const ancestors = ancestorsOf(steps.flatMap(({ events }) => events.flatMap(itemsIn)));
        for (const [id, ancestor] of ancestors) expect(originIn(state, id)).toBe(ancestor);
      }),
      { numRuns },
    ));

  it('keeps every form that was created after it, whatever events follow', () =>
    fc.assert(
      fc.property(fc.array(eventsOf(protocol), { maxLength: 30, size: 'max' }), (events) => {
        const state = folded(protocol, events);
        const since = events.slice(events.findLastIndex(({ type }) => type === 'ProtocolCreated'));
        const created = since.flatMap((event) =>
          event.type === 'ProtocolFormVersionCreated' ? [event.data.formId] : [],
        );
        if (state.status === 'unknown') return;
        for (const id of created) expect(getById(state.forms, id)?.id).toBe(id);
      }),
    ));
});
