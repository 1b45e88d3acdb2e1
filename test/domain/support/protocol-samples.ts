// Sample events and contents of protocols. A test names only the fields that matter to it.
import type { z } from 'zod';
import type { Of } from '../../../src/domain/decider.js';
import { formOf, type Protocol } from '../../../src/domain/protocol/fold.js';
import { ALLOWS_OPTIONS, RESPONSE_TYPES } from '../../../src/domain/protocol/response-type.js';
import type {
  Form,
  protocolCommands,
  protocolEvents,
  RecordedOption,
  RecordedQuestion,
  RecordedScoreRange,
} from '../../../src/domain/protocol/schemas.js';
import { AGGREGATE_ID, EARLIER, type Sent, uuidOf } from '../../support/specification.js';

export type ProtocolEvent = Of<typeof protocolEvents>;
export type ProtocolCommand = Sent<typeof protocolCommands>;
export type SentQuestionnaire = z.input<(typeof protocolCommands)['CreateQuestionnaire']>;
export type SentReplacement = z.input<(typeof protocolCommands)['ReplaceQuestionnaire']>;

/** The response types whose questions take options. */
export const TYPES_WITH_OPTIONS = RESPONSE_TYPES.filter((type) => ALLOWS_OPTIONS[type]);
/** The response types whose questions take no options. */
export const TYPES_WITHOUT_OPTIONS = RESPONSE_TYPES.filter((type) => !ALLOWS_OPTIONS[type]);

export const INSTITUTION_ID = uuidOf(0xb01);
export const FORM_ID = uuidOf(0xc01);
export const UNKNOWN_ID = uuidOf(0xdead);
export const questionId = (n: number): string => uuidOf(0x10_000 + n);
export const optionId = (n: number): string => uuidOf(0x20_000 + n);
export const rangeId = (n: number): string => uuidOf(0x30_000 + n);

export const created: ProtocolEvent = {
  type: 'ProtocolCreated',
  data: { institutionId: INSTITUTION_ID, name: 'Chest pain', prompt: 'Ask calmly.' },
};

export const question = (n: number, changes: Partial<RecordedQuestion> = {}): RecordedQuestion => ({
  id: questionId(n),
  copiedFrom: null,
  questionText: `Question ${n}`,
  responseType: 'TEXT',
  responseTypeInferred: false,
  metadata: {},
  required: false,
  weight: 1,
  position: n,
  options: [],
  ...changes,
});

export const select = (n: number, options: readonly RecordedOption[]): RecordedQuestion =>
  question(n, { responseType: 'SELECT', options: [...options] });

export const option = (n: number, changes: Partial<RecordedOption> = {}): RecordedOption => ({
  id: optionId(n),
  copiedFrom: null,
  optionText: `Option ${n}`,
  score: n,
  position: n,
  ...changes,
});

export const range = (n: number, minScore: number, maxScore: number): RecordedScoreRange => ({
  id: rangeId(n),
  copiedFrom: null,
  minScore,
  maxScore,
  classification: `Class ${n}`,
});

type Version = Extract<ProtocolEvent, { type: 'ProtocolFormVersionCreated' }>;

/** Returns a form version with these questions, by default the first version. */
export const formWith = (
  questions: readonly RecordedQuestion[],
  changes: Partial<Omit<Version['data'], 'questions'>> = {},
): Version => ({
  type: 'ProtocolFormVersionCreated',
  data: {
    formId: FORM_ID,
    version: 1,
    copiedFrom: null,
    questions: [...questions],
    scoreRanges: [],
    ...changes,
  },
});

/** Returns the new positions of items that moved down. */
export const moves = (...moved: readonly (readonly [id: string, position: number])[]) =>
  moved.map(([id, position]) => ({ id, position }));

/** Returns the numbers from 1 to `count`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Returns a form of a protocol. */
export const formIn = (state: Protocol, formId = FORM_ID): Form => formOf(state, formId);

/** Returns the fields of the protocol itself, without its forms. */
export const fieldsIn = (state: Protocol) => (state.status === 'unknown' ? undefined : state.fields);

/** An empty form as it is folded. */
export const emptyForm: Form = {
  id: FORM_ID,
  protocolId: AGGREGATE_ID,
  version: 1,
  copiedFrom: null,
  status: 'DRAFT',
  createdAt: EARLIER,
  updatedAt: EARLIER,
  questions: [],
  scoreRanges: [],
};

export const published: ProtocolEvent = { type: 'ProtocolFormPublished', data: { formId: FORM_ID, reason: null } };
export const retired: ProtocolEvent = { type: 'ProtocolFormRetired', data: { formId: FORM_ID, reason: null } };
export const archived: ProtocolEvent = { type: 'ProtocolArchived', data: { reason: null } };
