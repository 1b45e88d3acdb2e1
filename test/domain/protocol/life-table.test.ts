// What every command does in every state of a form and of its protocol. A state without a row does not compile.
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { DomainError, type DomainErrorCode } from '../../../src/domain/errors.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import type { FormStatus, protocolCommands } from '../../../src/domain/protocol/schemas.js';
import { countingIds, NOW } from '../../support/specification.js';
import { folded } from '../support/play.js';
import {
  archived,
  created,
  FORM_ID,
  formWith,
  INSTITUTION_ID,
  option,
  optionId,
  type ProtocolCommand,
  type ProtocolEvent,
  published,
  question,
  questionId,
  retired,
  select,
  UNKNOWN_ID,
} from '../support/protocol-samples.js';

const draft = formWith([select(1, [option(1), option(2)]), question(2)]);
const inUse: { readonly [S in FormStatus]: readonly ProtocolEvent[] } = {
  DRAFT: [created, draft],
  PUBLISHED: [created, draft, published],
  RETIRED: [created, draft, published, retired],
};
type State = FormStatus | 'missing' | 'archived';
/** The histories that lead to each state. A protocol can be archived with a form of any status. */
const histories: { readonly [S in State]: readonly (readonly ProtocolEvent[])[] } = {
  missing: [[]],
  DRAFT: [inUse.DRAFT],
  PUBLISHED: [inUse.PUBLISHED],
  RETIRED: [inUse.RETIRED],
  archived: Object.values(inUse).map((history) => [...history, archived]),
};

const CREATION = 'ProtocolCreated and ProtocolFormVersionCreated';

type Type = keyof typeof protocolCommands;
type Request<T extends Type> = z.input<(typeof protocolCommands)[T]>;
type Outcome = keyof typeof protocol.events | typeof CREATION | DomainErrorCode | 'nothing';

interface Row<T extends Type> {
  /** A request that changes something in a draft. */
  readonly sent: Request<T>;
  /** Requests that name an item that does not exist. They have the same refusal in a draft and in an archived protocol. */
  readonly unknown: readonly (readonly [request: Request<T>, refusal: DomainErrorCode])[];
  /** The events that are recorded in each state, `nothing`, or the code of the refusal. */
  readonly in: { readonly [S in State]: Outcome };
}

type InStates = Row<Type>['in'];

const of = <T extends Type>(row: Row<T>): Row<T> => row;
const everywhere = (event: Outcome): InStates => ({
  missing: event,
  DRAFT: event,
  PUBLISHED: event,
  RETIRED: event,
  archived: event,
});
const ofProtocol = (event: Outcome, archived: Outcome): InStates => ({
  ...everywhere(event),
  missing: 'protocol-not-found',
  archived,
});
const change = (event: Outcome): InStates => ({
  ...ofProtocol(event, 'protocol-archived'),
  PUBLISHED: 'form-published',
  RETIRED: 'form-retired',
});

const questions = [{ questionText: 'New', responseType: 'TEXT' as const }];
const unknownQuestion = { questionId: UNKNOWN_ID };
const unknownForm = { formId: UNKNOWN_ID };

const rows: { readonly [T in Type]: Row<T> } = {
  // These create a protocol, so that the service sends them to no other.
  CreateProtocol: of({
    sent: { institutionId: INSTITUTION_ID, name: 'New' },
    unknown: [],
    in: everywhere('ProtocolCreated'),
  }),
  CreateQuestionnaire: of({
    sent: { institutionId: INSTITUTION_ID, name: 'New', questions, scoreRanges: [] },
    unknown: [],
    in: everywhere(CREATION),
  }),
  CopyProtocol: of({
    sent: { institutionId: INSTITUTION_ID, name: 'Copy', prompt: null, form: formWith([]).data },
    unknown: [],
    in: everywhere(CREATION),
  }),
  ReviseProtocol: of({ sent: { name: 'New' }, unknown: [], in: ofProtocol('ProtocolRevised', 'protocol-archived') }),
  CreateFormVersion: of({
    sent: {},
    unknown: [[{ fromFormId: UNKNOWN_ID }, 'fields-refused']],
    in: ofProtocol('ProtocolFormVersionCreated', 'protocol-archived'),
  }),
  ReplaceQuestionnaire: of({
    sent: { formId: FORM_ID, questions, scoreRanges: [] },
    unknown: [[{ ...unknownForm, questions, scoreRanges: [] }, 'fields-refused']],
    in: change('ProtocolQuestionnaireReplaced'),
  }),
  AddQuestion: of({
    sent: { formId: FORM_ID, questionText: 'New' },
    unknown: [[{ ...unknownForm, questionText: 'New' }, 'form-not-found']],
    in: change('ProtocolQuestionAdded'),
  }),
  ReviseQuestion: of({
    sent: { questionId: questionId(1), weight: 2 },
    unknown: [[unknownQuestion, 'question-not-found']],
    in: change('ProtocolQuestionRevised'),
  }),
  AddOption: of({
    sent: { questionId: questionId(1), optionText: 'New', score: 1 },
    unknown: [[{ ...unknownQuestion, optionText: 'New', score: 1 }, 'question-not-found']],
    in: change('ProtocolOptionAdded'),
  }),
  ReviseOption: of({
    sent: { optionId: optionId(1), score: 5 },
    unknown: [[{ optionId: UNKNOWN_ID }, 'option-not-found']],
    in: change('ProtocolOptionRevised'),
  }),
  ReorderQuestions: of({
    sent: { formId: FORM_ID, ids: [questionId(2), questionId(1)] },
    unknown: [[{ ...unknownForm, ids: [] }, 'form-not-found']],
    in: change('ProtocolQuestionsReordered'),
  }),
  ReorderOptions: of({
    sent: { questionId: questionId(1), ids: [optionId(2), optionId(1)] },
    unknown: [[{ ...unknownQuestion, ids: [] }, 'question-not-found']],
    in: change('ProtocolOptionsReordered'),
  }),
  RemoveQuestion: of({
    sent: { questionId: questionId(1) },
    unknown: [[unknownQuestion, 'question-not-found']],
    in: change('ProtocolQuestionRemoved'),
  }),
  RemoveOption: of({
    sent: { optionId: optionId(1) },
    unknown: [[{ optionId: UNKNOWN_ID }, 'option-not-found']],
    in: change('ProtocolOptionRemoved'),
  }),
  PublishForm: of({
    sent: { formId: FORM_ID },
    unknown: [[unknownForm, 'form-not-found']],
    in: { ...change('ProtocolFormPublished'), PUBLISHED: 'nothing' },
  }),
  RetireForm: of({
    sent: { formId: FORM_ID },
    unknown: [[unknownForm, 'form-not-found']],
    in: { ...change('ProtocolFormRetired'), PUBLISHED: 'ProtocolFormRetired', RETIRED: 'nothing' },
  }),
  ArchiveProtocol: of({ sent: {}, unknown: [], in: ofProtocol('ProtocolArchived', 'nothing') }),
  RestoreProtocol: of({ sent: {}, unknown: [], in: ofProtocol('nothing', 'ProtocolRestored') }),
};

/** Returns the types of the events that a command records, `nothing`, or the code of the refusal. */
const outcomeOf = (history: readonly ProtocolEvent[], { type, data }: ProtocolCommand): string => {
  const circumstances = { now: NOW, newId: countingIds(), actor: { id: 'anonymous', roles: [] } };
  const command = protocol.commands[type].parse(data);
  try {
    const events = protocol.decide[type](folded(protocol, history), command as never, circumstances);
    return events.length === 0 ? 'nothing' : events.map((event) => event.type).join(' and ');
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

/** Requests that would change nothing in a draft. */
const idle: readonly ProtocolCommand[] = [
  { type: 'ReviseQuestion', data: { questionId: questionId(1) } },
  { type: 'ReviseOption', data: { optionId: optionId(1) } },
  { type: 'ReorderQuestions', data: { formId: FORM_ID, ids: [questionId(1), questionId(2)] } },
  { type: 'ReorderOptions', data: { questionId: questionId(1), ids: [optionId(1), optionId(2)] } },
  { type: 'ReviseProtocol', data: {} },
  { type: 'ReplaceQuestionnaire', data: { formId: FORM_ID, questions: draft.data.questions, scoreRanges: [] } },
];

const cases = Object.entries(rows).flatMap(([type, row]) =>
  Object.entries(row.in).map(([state, outcome]) => ({ type, state: state as State, sent: row.sent, outcome })),
);
const unknowns = Object.entries(rows).flatMap(([type, row]) =>
  row.unknown.map(([sent, refusal]) => ({ type, sent, refusal })),
);

describe('a command', () => {
  it.each(cases)('$type, $state: $outcome', ({ type, state, sent, outcome }) =>
    expect(
      new Set(histories[state].map((history) => outcomeOf(history, { type, data: sent } as ProtocolCommand))),
    ).toEqual(new Set([outcome])),
  );

  it.each(unknowns)(
    '$type of what does not exist: $refusal, also in an archived protocol',
    ({ type, sent, refusal }) => {
      const command = { type, data: sent } as ProtocolCommand;
      for (const history of [inUse.DRAFT, ...histories.archived]) expect(outcomeOf(history, command)).toBe(refusal);
    },
  );

  it.each(idle)('$type that would change nothing is refused as if it changed something', (command) => {
    expect(outcomeOf(inUse.DRAFT, command)).toBe('nothing');
    for (const state of ['PUBLISHED', 'RETIRED', 'archived'] as const) {
      const outcome =
        command.type === 'ReviseProtocol' && state !== 'archived' ? 'nothing' : rows[command.type].in[state];
      for (const history of histories[state]) expect(outcomeOf(history, command)).toBe(outcome);
    }
  });
});
