import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { getById } from '../../../src/domain/by-id.js';
import { type EventContext, fold } from '../../../src/domain/decider.js';
import { DomainError } from '../../../src/domain/errors.js';
import type { Form } from '../../../src/domain/protocol/form.js';
import { protocol } from '../../../src/domain/protocol/protocol.js';
import { ALLOWS_OPTIONS } from '../../../src/domain/protocol/response-type.js';
import { optionOf, type Protocol, questionOf } from '../../../src/domain/protocol/state.js';
import { repetitions } from '../../support/repetitions.js';
import { AGGREGATE_ID, ANONYMOUS, countingIds, deepFreeze, expectRecordable } from '../../support/specification.js';
import { aimed, anyEvent, anyRequest, beginning, knownIn, laterRequest } from './arbitraries.js';
import { formIn, type ProtocolCommand, type ProtocolEvent } from './samples.js';

interface Recorded {
  readonly event: ProtocolEvent;
  readonly on: EventContext;
}

const on = (step: number): EventContext => ({
  id: AGGREGATE_ID,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, step)).toISOString(),
});

const replayed = (recorded: readonly Recorded[]): Protocol =>
  recorded.reduce((state, { event, on }) => fold(protocol, state, event, on), protocol.initialState);

/** Returns the decided events, none if the schema or the aggregate refuses. Throws any other error: it is a defect. */
const decided = (state: Protocol, { type, data }: ProtocolCommand, now: string, newId: () => string) => {
  const command = protocol.commands[type].safeParse(data);
  if (!command.success) return [];
  try {
    return protocol.decide[type](state, command.data as never, { now, newId, actor: { id: ANONYMOUS, roles: [] } });
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
};

/** Returns every form of the protocol, the first version first. */
const formsOf = (state: Protocol): Form[] => {
  const forms: Form[] = [];
  let next = state.status === 'unknown' ? null : state.latestFormId;
  while (next !== null) {
    const form = formIn(state, next);
    forms.unshift(form);
    next = form.copiedFrom;
  }
  return forms;
};
const questionsOf = (forms: readonly Form[]) => forms.flatMap(({ questions }) => questions);
const optionsOf = (forms: readonly Form[]) => questionsOf(forms).flatMap(({ options }) => options);
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

type Watch = (state: Protocol, forms: readonly Form[], events: readonly ProtocolEvent[]) => void;

/** Sends the requests one second apart, and calls `watch` after each of them. */
const live = (sent: readonly ProtocolCommand[], watch: Watch) => {
  const newId = countingIds();
  const recorded: Recorded[] = [];
  let state = protocol.initialState;
  for (const [step, drawn] of sent.entries()) {
    const occasion = on(step);
    const events = decided(state, aimed(drawn, knownIn(formsOf(state))), occasion.at, newId);
    for (const event of events) {
      state = deepFreeze(fold(protocol, state, event, occasion));
      recorded.push({ event, on: occasion });
    }
    watch(state, formsOf(state), events);
  }
  return { state, recorded };
};

const requests = fc
  .tuple(beginning, fc.array(laterRequest, { maxLength: 20, size: 'max' }))
  .map(([first, later]) => [first, ...later]);
const numRuns = repetitions('PROPERTY_RUNS');
vi.setConfig({ testTimeout: 90_000 + numRuns * 200 });

const ascending = (numbers: readonly number[]) =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? Number.POSITIVE_INFINITY));

/** Decides on content that a client sends back as it was read. The decision may not create an id. */
const sentBack = (state: Protocol, { type, data }: ProtocolCommand) =>
  protocol.decide[type](state, protocol.commands[type].parse(data) as never, {
    now: on(99).at,
    newId: () => expect.fail('the decision created an id, but nothing is new'),
    actor: { id: ANONYMOUS, roles: [] },
  });

/** Maps each rule to the check that must hold after every request. */
const rules: Readonly<Record<string, Watch>> = {
  'form versions are consecutive from 1 and the latest form is the highest': (state, forms) => {
    expect(forms.map(({ version }) => version)).toEqual(forms.map((_, index) => index + 1));
    expect(state.status === 'unknown' ? null : state.latestFormId).toBe(forms.at(-1)?.id ?? null);
  },
  'positions are unique in every list, and every list is sorted by them': (_, forms) => {
    for (const list of [
      ...forms.map(({ questions }) => questions),
      ...questionsOf(forms).map(({ options }) => options),
    ]) {
      expect(list.map(({ position }) => position)).toSatisfy(ascending);
    }
  },
  'score ranges are in order and never overlap': (_, forms) => {
    for (const { scoreRanges } of forms) {
      for (const [index, { minScore, maxScore }] of scoreRanges.entries()) {
        expect(minScore).toBeLessThanOrEqual(maxScore);
        expect(scoreRanges[index - 1]?.maxScore ?? Number.NEGATIVE_INFINITY).toBeLessThan(minScore);
      }
    }
  },
  'ids are unique across all versions': (_, forms) => {
    const { form, question, option, range } = knownIn(forms);
    const ids = [...form, ...question, ...option, ...range];
    expect(new Set(ids).size).toBe(ids.length);
  },
  'only questions whose type takes options have options': (_, forms) => {
    for (const { responseType, options } of questionsOf(forms)) {
      expect(options.length === 0 || ALLOWS_OPTIONS[responseType]).toBe(true);
    }
  },
  'every item names its parent and is found there': (state, forms) => {
    const places = forms.flatMap((form) => form.questions.map((question) => ({ form, question })));
    for (const { form, question } of places) {
      expect(question.protocolFormId).toBe(form.id);
      expect(questionOf(state, question.id)).toEqual({ form, question });
    }
    for (const place of places.flatMap((at) => at.question.options.map((option) => ({ ...at, option })))) {
      expect(place.option.protocolQuestionId).toBe(place.question.id);
      expect(optionOf(state, place.option.id)).toEqual(place);
    }
  },
  'no item was updated before it was created, nor after its form': (_, forms) => {
    for (const form of forms) {
      for (const { createdAt, updatedAt } of [form, ...form.questions, ...optionsOf([form]), ...form.scoreRanges]) {
        expect([createdAt, updatedAt, form.updatedAt].toSorted()).toEqual([createdAt, updatedAt, form.updatedAt]);
      }
    }
  },
  'every event matches its schema': (_state, _forms, events) => {
    for (const event of events) expectRecordable(protocol, event);
  },
  'a copy names its originals and has the same positions': (_, forms, events) => {
    const [source, copy] = forms.slice(-2);
    if (events[0]?.type !== 'ProtocolFormVersionCreated' || source === undefined || copy === undefined) return;
    const sources = (items: readonly { copiedFrom: string | null; position: number }[]) =>
      items.map(({ copiedFrom, position }) => [copiedFrom, position]);
    const originals = (items: readonly { id: string; position: number }[]) =>
      items.map(({ id, position }) => [id, position]);
    expect(sources(copy.questions)).toEqual(originals(source.questions));
    expect(sources(optionsOf([copy]))).toEqual(originals(optionsOf([source])));
    expect(copy.scoreRanges.map(({ copiedFrom }) => copiedFrom)).toEqual(idsOf(source.scoreRanges));
  },
  'a questionnaire that is sent back as it was read, in any order, records nothing': (state, forms) => {
    for (const { id: formId, questions, scoreRanges } of forms) {
      if (questions.length === 0) continue;
      const sent = questions.toReversed().map(({ responseType, ...item }) => ({ ...item, options: [...item.options] }));
      const data = { formId, questions: sent, scoreRanges: scoreRanges.toReversed() };
      expect(sentBack(state, { type: 'ReplaceQuestionnaire', data })).toEqual([]);
    }
  },
  'a reordering numbers the items of its list from 1 to n': (_state, forms, events) => {
    const [event] = events;
    const isOfQuestions = event?.type === 'ProtocolQuestionsReordered';
    if (!isOfQuestions && event?.type !== 'ProtocolOptionsReordered') return;
    const ids = isOfQuestions ? event.data.questionIds : event.data.optionIds;
    const items = isOfQuestions ? questionsOf(forms) : optionsOf(forms);
    const placed = items.filter(({ id }) => ids.includes(id)).map(({ id, position }) => [id, position]);
    expect(placed).toEqual(ids.map((id, index) => [id, index + 1]));
  },
  'the current order records nothing if it has no gaps': (state, forms) => {
    for (const { id: formId, questions } of forms) {
      const hasNoGaps = questions.every(({ position }, index) => position === index + 1);
      const sent: ProtocolCommand = { type: 'ReorderQuestions', data: { formId, ids: idsOf(questions) } };
      expect(sentBack(state, sent)).toHaveLength(hasNoGaps ? 0 : 1);
    }
  },
  'a question or an option that is sent back as it was read records nothing': (state, forms) => {
    for (const { id: questionId, responseType, ...data } of questionsOf(forms)) {
      expect(sentBack(state, { type: 'ReviseQuestion', data: { ...data, questionId } })).toEqual([]);
    }
    for (const { id: optionId, ...data } of optionsOf(forms)) {
      expect(sentBack(state, { type: 'ReviseOption', data: { ...data, optionId } })).toEqual([]);
    }
  },
};

/** Expects every rule to hold; the failure names the rule. */
const everyRule: Watch = (...seen) => {
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
        const { state, recorded } = live(sent, everyRule);
        expect(replayed(JSON.parse(JSON.stringify(recorded)))).toStrictEqual(state);
      }),
      { numRuns },
    ));
});

describe('a log in any order', () => {
  const anyLog = fc.array(anyEvent, { maxLength: 30, size: 'max' });
  const folded = (events: readonly ProtocolEvent[]) =>
    deepFreeze(replayed(events.map((event, step) => ({ event, on: on(step) }))));

  it('folds into a state without an error, from the unknown state on', () =>
    fc.assert(
      fc.property(anyLog, (events) => {
        for (const event of events) expectRecordable(protocol, event);
        const isCreated = events.some(({ type }) => type === 'ProtocolCreated');
        expect(folded(events).status).toBe(isCreated ? 'active' : 'unknown');
      }),
      { numRuns: 2 * numRuns },
    ));
  it('folds into a state on which every command leads to events or a refusal', () =>
    fc.assert(
      fc.property(anyLog, anyRequest, (events, request) => {
        expect(Array.isArray(decided(folded(events), request, on(99).at, countingIds()))).toBe(true);
      }),
      { numRuns: 2 * numRuns },
    ));
  it('keeps every form that was created after the protocol, whatever events follow', () =>
    fc.assert(
      fc.property(anyLog, (events) => {
        const state = folded(events);
        const since = events.slice(events.findLastIndex(({ type }) => type === 'ProtocolCreated'));
        const created = since.flatMap((event) =>
          event.type === 'ProtocolFormVersionCreated' ? [event.data.formId] : [],
        );
        if (state.status === 'unknown') return;
        for (const id of created) expect(getById(state.forms, id)?.id).toBe(id);
      }),
    ));
});
