// The schemas of protocols and their forms: limits, events, commands, and what responses show.
import { z } from 'zod';
import { dated, nameText, position, text, uuid, visibleText } from '../fields.js';
import { itemsOf, noOverlap, ordered, type rule, uniqueIds, uniquePositions, uniqueValues } from '../rules.js';
import { Metadata, NewMetadata, SentMetadata } from './metadata.js';
import { eachFitsType, ResponseType } from './response-type.js';

export const formLimits = {
  questions: 500,
  options: 200,
  scoreRanges: 500,
  /** The maximum size of a form in bytes: its JSON (UTF-8) in the ProtocolFormVersionCreated that copies it. */
  formBytes: 900 * 1_024,
  /** The maximum size of a form and of the fields of its protocol, which a copy records in one append of at most 1 MiB. */
  copyBytes: 1_000 * 1_024,
} as const;

/** The fields of a protocol itself. Replacing the questionnaire also replaces these fields. */
const protocolContent = { name: visibleText(500), prompt: text(100_000).nullable() };

export const OptionContent = z.object({ optionText: visibleText(2_000), score: z.number(), position: position() });

const QuestionContent = z.object({
  questionText: visibleText(10_000),
  responseType: ResponseType,
  metadata: Metadata,
  required: z.boolean(),
  weight: z.number(),
  position: position(),
});

const ScoreRangeContent = z.object({
  minScore: z.number(),
  maxScore: z.number(),
  classification: visibleText(500),
});

// Events. Each carries the complete content after the change.

const identity = { id: uuid(), copiedFrom: uuid().nullable() };
const RecordedOption = OptionContent.extend(identity);
const RevisableQuestion = QuestionContent.extend(identity).extend({ responseTypeInferred: z.boolean() });
const RecordedQuestion = RevisableQuestion.extend({ options: z.array(RecordedOption) });
const RecordedScoreRange = ScoreRangeContent.extend(identity);
const recordedContent = { questions: z.array(RecordedQuestion), scoreRanges: z.array(RecordedScoreRange) };
const reason = visibleText(2_000)
  .nullable()
  .describe('Why it was done. The text is stored in the clear and never erased, so it must name nobody.');
const undecided = z
  .literal(true)
  .optional()
  .describe('Present if the totals of the form were too many to decide, and the publisher accepted that.');
const Moved = z.array(z.object({ id: uuid(), position: position() }));
const DerivedFrom = z.object({ url: text(2_000), version: text(500).nullable() });

export type RecordedOption = z.infer<typeof RecordedOption>;
export type RecordedQuestion = z.infer<typeof RecordedQuestion>;
export type RecordedScoreRange = z.infer<typeof RecordedScoreRange>;

/** The events that change an existing form. */
export const formChanges = {
  ProtocolQuestionAdded: z.object({ formId: uuid(), question: RecordedQuestion, moved: Moved }),
  ProtocolQuestionRevised: z.object({ formId: uuid(), question: RevisableQuestion, moved: Moved }),
  ProtocolOptionAdded: z.object({
    formId: uuid(),
    questionId: uuid(),
    /** The type of the question after this event: an inferred TEXT becomes a SELECT when it gets an option. */
    responseType: ResponseType,
    option: RecordedOption,
    moved: Moved,
  }),
  ProtocolOptionRevised: z.object({ formId: uuid(), questionId: uuid(), option: RecordedOption, moved: Moved }),
  ProtocolQuestionsReordered: z.object({
    formId: uuid(),
    questionIds: z.array(uuid()).describe('All questions of the form. Their positions become 1 to n.'),
  }),
  ProtocolOptionsReordered: z.object({
    formId: uuid(),
    questionId: uuid(),
    optionIds: z.array(uuid()).describe('All options of the question. Their positions become 1 to n.'),
  }),
  ProtocolQuestionnaireReplaced: z.object({ formId: uuid(), ...protocolContent, ...recordedContent }),
  ProtocolQuestionRemoved: z.object({ formId: uuid(), questionId: uuid() }),
  ProtocolOptionRemoved: z.object({ formId: uuid(), questionId: uuid(), optionId: uuid() }),
};

export const formEvents = {
  ProtocolFormVersionCreated: z.object({
    formId: uuid(),
    version: z.int().min(1),
    copiedFrom: uuid().nullable(),
    ...recordedContent,
    derivedFrom: DerivedFrom.nullish().describe('The source of an imported form. Absent if the form was not imported.'),
  }),
  ...formChanges,
  ProtocolFormPublished: z.object({ formId: uuid(), reason, undecided }),
  ProtocolFormRetired: z.object({ formId: uuid(), reason }),
};

export const protocolEvents = {
  ProtocolCreated: z.object({ institutionId: uuid(), ...protocolContent }),
  ProtocolRevised: z.object(protocolContent),
  ...formEvents,
  ProtocolArchived: z.object({ reason }),
  ProtocolRestored: z.object({ reason }),
};

// Commands.

const name = nameText(500);
const created = { institutionId: uuid(), name, prompt: protocolContent.prompt.default(null) };
const revised = { name: name.optional(), prompt: protocolContent.prompt.optional() };
const kept = { id: uuid().optional().describe('The id of an item to keep, or of its original. Absent: a new item.') };
const place = { position: position().optional().describe('If absent, the place in the list, counted from 1.') };
const explained = { reason: reason.default(null) };
const lastByDefault = position()
  .optional()
  .describe(
    'If absent, the item is placed last. An item at this position moves down by one, as do those up to the next gap.',
  );

const SentOption = OptionContent.extend(place).meta({ id: 'NewOption' });

const listOf = <S extends z.ZodType>(item: S, longest: number, ...rules: readonly ReturnType<typeof rule>[]) =>
  rules.reduce((list, each) => list.superRefine(...each), z.array(item).max(longest));
const optionsOf = <S extends z.ZodType>(option: S) => listOf(option, formLimits.options, uniquePositions).default([]);
const questionsOf = <S extends z.ZodType>(question: S, ...rules: readonly ReturnType<typeof rule>[]) =>
  listOf(question, formLimits.questions, uniquePositions, eachFitsType, ...rules).min(1);
const orderOf = (longest: number) =>
  listOf(uuid(), longest, uniqueValues).describe('The ids of all items of the list in their new order.');

const SentContent = QuestionContent.extend({
  metadata: NewMetadata.default({}),
  required: z.boolean().default(false),
  weight: QuestionContent.shape.weight.default(1),
});
const SentQuestion = SentContent.extend({ ...place, options: optionsOf(SentOption) }).meta({ id: 'NewQuestion' });
const SentScoreRange = ScoreRangeContent.superRefine(...ordered('minScore', 'maxScore')).meta({ id: 'NewScoreRange' });

const ReplacingQuestion = SentQuestion.extend({
  ...kept,
  responseType: ResponseType.optional(),
  metadata: SentMetadata.default({}),
  options: optionsOf(SentOption.extend(kept).meta({ id: 'ReplacingOption' })),
}).meta({ id: 'ReplacingQuestion' });
const ReplacingScoreRange = ScoreRangeContent.extend(kept)
  .superRefine(...ordered('minScore', 'maxScore'))
  .meta({ id: 'ReplacingScoreRange' });

const withUniqueIds = uniqueIds((list) => [{ path: [], list }]);
const withUniqueOptionIds = uniqueIds((questions) =>
  itemsOf(questions).map(([{ options }, index]) => ({ path: [index, 'options'], list: options })),
);

/** The commands that change an existing form. */
export const formCommands = {
  /** Nothing is merged with the lists of the form, except that an absent response type stays the same. */
  ReplaceQuestionnaire: z.object({
    ...revised,
    formId: uuid(),
    questions: questionsOf(ReplacingQuestion, withUniqueIds, withUniqueOptionIds),
    scoreRanges: listOf(ReplacingScoreRange, formLimits.scoreRanges, noOverlap, withUniqueIds),
  }),
  AddQuestion: SentContent.partial({ responseType: true }).extend({ formId: uuid(), position: lastByDefault }),
  ReviseQuestion: QuestionContent.extend({ metadata: SentMetadata }).partial().extend({ questionId: uuid() }),
  AddOption: OptionContent.extend({ questionId: uuid(), position: lastByDefault }),
  ReviseOption: OptionContent.partial().extend({ optionId: uuid() }),
  ReorderQuestions: z.object({ formId: uuid(), ids: orderOf(formLimits.questions) }),
  ReorderOptions: z.object({ questionId: uuid(), ids: orderOf(formLimits.options) }),
  RemoveQuestion: z.object({ questionId: uuid() }),
  RemoveOption: z.object({ optionId: uuid() }),
};

export const protocolCommands = {
  CreateProtocol: z.object(created),
  CreateQuestionnaire: z.object({
    ...created,
    questions: questionsOf(SentQuestion),
    scoreRanges: listOf(SentScoreRange, formLimits.scoreRanges, noOverlap),
  }),
  ReviseProtocol: z.object(revised),
  CreateFormVersion: z.object({
    fromFormId: uuid().optional().describe('The form to copy. Default: the newest form of the protocol.'),
  }),
  ...formCommands,
  PublishForm: z.object({ formId: uuid(), ...explained, undecided }),
  RetireForm: z.object({ formId: uuid(), ...explained }),
  ArchiveProtocol: z.object(explained),
  RestoreProtocol: z.object(explained),
  /** Creates a protocol from what `copyOfProtocol` returns. */
  CopyProtocol: protocolEvents.ProtocolCreated.extend({ form: formEvents.ProtocolFormVersionCreated }),
};

/** A request for a copy of a protocol. */
export const SentCopy = z
  .object({
    institutionId: uuid(),
    name: name.optional().describe('Default: the name of the original.'),
    formId: uuid().optional().describe('The form to copy. Default: the newest form of the protocol.'),
  })
  .meta({ id: 'NewProtocolCopy' });

/** The content of a form as requests send it. */
export type SentQuestionnaire = Pick<z.infer<typeof formCommands.ReplaceQuestionnaire>, 'questions' | 'scoreRanges'>;

// Responses.

/** A protocol as responses show it, without its forms. */
export const ProtocolFields = z
  .object({
    ...dated(protocolEvents.ProtocolCreated.shape),
    archived: z.literal(true).optional().describe('Present only while the protocol is archived.'),
  })
  .meta({ id: 'Protocol' });

export const FormStatus = z.enum(['DRAFT', 'PUBLISHED', 'RETIRED']).meta({
  id: 'FormStatus',
  description: 'Only a DRAFT can be changed. It becomes PUBLISHED or RETIRED, and a PUBLISHED form RETIRED.',
});

const copiedFrom = identity.copiedFrom.describe(
  'The id of the original from which this item was copied when its form was created. After a copy of a protocol, the original belongs to another protocol.',
);
export const FormOption = z
  .object(dated({ protocolQuestionId: uuid(), copiedFrom, ...OptionContent.shape }))
  .meta({ id: 'ProtocolQuestionOption' });
export const FormQuestion = z
  .object({
    ...dated({ protocolFormId: uuid(), copiedFrom, ...QuestionContent.shape }),
    options: z.array(FormOption).readonly().describe('Sorted by ascending position.'),
  })
  .meta({ id: 'ProtocolQuestion' });
export const FormScoreRange = z
  .object(dated({ protocolFormId: uuid(), copiedFrom, ...ScoreRangeContent.shape }))
  .meta({ id: 'ScoreRange' });
/** A form without its content. */
export const FormVersion = z
  .object(dated({ protocolId: uuid(), version: z.int().min(1), copiedFrom, status: FormStatus }))
  .meta({ id: 'ProtocolFormVersion' });
/** A form as responses show it. */
export const Form = FormVersion.extend({
  questions: z.array(FormQuestion).readonly().describe('Sorted by ascending position.'),
  scoreRanges: z
    .array(FormScoreRange)
    .readonly()
    .describe('Sorted by ascending minScore. Both ends of a range are inclusive.'),
}).meta({ id: 'ProtocolForm' });

export type SentCopy = z.infer<typeof SentCopy>;
export type FormStatus = z.infer<typeof FormStatus>;
export type ProtocolFields = z.infer<typeof ProtocolFields>;
export type FormOption = z.infer<typeof FormOption>;
export type FormQuestion = z.infer<typeof FormQuestion>;
export type FormScoreRange = z.infer<typeof FormScoreRange>;
export type FormVersion = z.infer<typeof FormVersion>;
export type Form = z.infer<typeof Form>;
