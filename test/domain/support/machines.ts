// Draws the life of each aggregate: its first command, and later commands on what its state contains. Property tests
// decide these commands, and the history of the read models sends them to the service.
import type fc from 'fast-check';
import type { Decider, Schemas } from '../../../src/domain/decider.js';
import { institution } from '../../../src/domain/institution.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { formOf, type Protocol } from '../../../src/domain/protocol/fold.js';
import { ALLOWS_OPTIONS } from '../../../src/domain/protocol/response-type.js';
import type { Form } from '../../../src/domain/protocol/schemas.js';
import { specialty } from '../../../src/domain/specialty.js';
import { user } from '../../../src/domain/user/user.js';
import type { Sent } from '../../support/specification.js';
import { aimed, commandsOf, type Weights } from './arbitraries.js';
import type { ProtocolCommand, SentReplacement } from './protocol-samples.js';

/** How to draw commands of an aggregate. */
export interface Machine<S, E extends Schemas, C extends Schemas> {
  readonly decider: Decider<S, E, C>;
  readonly beginning: fc.Arbitrary<Sent<C>>;
  readonly later: fc.Arbitrary<Sent<C>>;
  /** Returns a drawn command with ids from the state. */
  readonly aim: (drawn: Sent<C>, state: S) => Sent<C>;
}

interface Drawing<S, C extends Schemas> {
  readonly beginning: Weights<C>;
  /** Every other command that has no weight here is drawn, too. */
  readonly later: Weights<C>;
  /** Returns the ids that the fields of commands may name. */
  readonly idsIn: (state: S) => Readonly<Record<string, readonly string[]>>;
  readonly repair?: (command: Sent<C>, state: S) => Sent<C>;
}

const machine = <S, E extends Schemas, C extends Schemas>(
  decider: Decider<S, E, C>,
  { beginning, later, idsIn, repair = (command) => command }: Drawing<S, C>,
): Machine<S, E, C> => ({
  decider,
  beginning: commandsOf(decider, beginning),
  later: commandsOf(decider, { ...later, ...others(decider.commands, { ...beginning, ...later }) }),
  aim: (drawn, state) => repair(aimed(drawn, idsIn(state)), state),
});

const others = <C extends Schemas>(commands: C, weighed: Weights<C>): Weights<C> =>
  Object.fromEntries(Object.keys(commands).flatMap((type) => (type in weighed ? [] : [[type, 1]]))) as Weights<C>;

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

export const institutionMachine = machine(institution, {
  beginning: { CreateInstitution: 1 },
  later: { ReviseInstitution: 2 },
  idsIn: (state) => ({ unityId: state.status === 'unknown' ? [] : idsOf(state.fields.unities) }),
});

export const specialtyMachine = machine(specialty, {
  beginning: { CreateSpecialty: 1 },
  later: {},
  idsIn: () => ({}),
});

export const userMachine = machine(user, {
  beginning: { RegisterUser: 1 },
  later: {
    ...{ ReviseUser: 8, ChangePhone: 2, SetSignInEmail: 2, Activate: 2, ChangePassword: 2 },
    ...{ AddProfile: 2, ApproveProfile: 6, RejectProfile: 4, ResubmitProfile: 6 },
    ...{ AttachToInstitution: 2, AttachToUnity: 2 },
  },
  idsIn: (state) => ({
    profileId: state.status === 'unknown' ? [] : idsOf(state.fields.profiles),
    institutionId: state.status === 'unknown' ? [] : idsOf(state.fields.institutions),
    unityId: state.status === 'unknown' ? [] : idsOf(state.fields.unities),
  }),
});

/** Returns every form of a protocol, the first version first. */
export const formsOf = (state: Protocol): Form[] =>
  state.status === 'unknown' ? [] : state.versions.map((formId) => formOf(state, formId));
export const questionsIn = (forms: readonly Form[]) => forms.flatMap(({ questions }) => questions);
export const optionsIn = (forms: readonly Form[]) => questionsIn(forms).flatMap(({ options }) => options);

const idsInForms = (state: Protocol) => {
  const forms = formsOf(state);
  const [questions, options] = [idsOf(questionsIn(forms)), idsOf(optionsIn(forms))];
  const scoreRanges = idsOf(forms.flatMap((form) => form.scoreRanges));
  return {
    formId: idsOf(forms),
    fromFormId: idsOf(forms),
    questionId: questions,
    optionId: options,
    questions,
    options,
    scoreRanges,
  };
};

const withoutRepeats = <T extends { id?: string | undefined }>(items: readonly T[], seen = new Set<unknown>()): T[] =>
  items.map((item) => {
    const isRepeated = item.id !== undefined && seen.has(item.id);
    seen.add(item.id);
    return isRepeated ? { ...item, id: undefined } : item;
  });

const withUniquePositions = <T extends { position?: number | undefined }>(items: readonly T[]): T[] => {
  const isUnique = new Set(items.map(({ position }, index) => position ?? index + 1)).size === items.length;
  return isUnique ? [...items] : items.map((item) => ({ ...item, position: undefined }));
};

/** Makes a drawn questionnaire one that the schema accepts: rules across fields are rarely kept by chance. */
const consistent = <T extends Pick<SentReplacement, 'questions' | 'scoreRanges'>>(sent: T) => {
  const optionIds = new Set<unknown>();
  const questions = withUniquePositions(withoutRepeats(sent.questions)).map(({ options = [], ...question }) => ({
    ...question,
    options: ALLOWS_OPTIONS[question.responseType ?? 'SELECT']
      ? withUniquePositions(withoutRepeats(options, optionIds))
      : [],
  }));
  const scoreRanges = withoutRepeats(sent.scoreRanges).map(({ minScore, maxScore, ...range }, index) => {
    const offset = 30 * index;
    return { ...range, minScore: minScore - offset, maxScore: maxScore - offset };
  });
  return { ...sent, questions, scoreRanges };
};

/** Returns an order of a whole list, which the drawn ids decide. */
const orderOf = (items: readonly { readonly id: string }[], drawn: readonly string[]): string[] =>
  idsOf(items)
    .map((id, index) => ({ id, rank: drawn[index % drawn.length] ?? '' }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ id }) => id);

const repaired = (command: ProtocolCommand, state: Protocol): ProtocolCommand => {
  const { type, data } = command;
  if (type === 'CreateQuestionnaire') return { type, data: consistent(data) };
  if (type === 'ReplaceQuestionnaire') return { type, data: consistent(data) };
  if (type === 'ReorderQuestions') {
    const questions = formsOf(state).find(({ id }) => id === data.formId)?.questions ?? [];
    return { type, data: { ...data, ids: orderOf(questions, data.ids) } };
  }
  if (type === 'ReorderOptions') {
    const options = questionsIn(formsOf(state)).find(({ id }) => id === data.questionId)?.options ?? [];
    return { type, data: { ...data, ids: orderOf(options, data.ids) } };
  }
  return command;
};

export const protocolMachine = machine(protocol, {
  beginning: { CreateProtocol: 1, CreateQuestionnaire: 3 },
  later: {
    ...{ ReviseProtocol: 6, ReplaceQuestionnaire: 6, CreateFormVersion: 8, AddQuestion: 12, ReviseQuestion: 12 },
    ...{ AddOption: 12, ReviseOption: 12, ReorderQuestions: 12, ReorderOptions: 12 },
    ...{ RemoveQuestion: 4, RemoveOption: 4 },
    // Few forms are published and few protocols archived, because most commands are then refused.
    ...{ PublishForm: 2, RetireForm: 2, ArchiveProtocol: 2, RestoreProtocol: 6 },
    // It creates a protocol.
    CopyProtocol: 0,
  },
  idsIn: idsInForms,
  repair: repaired,
});
