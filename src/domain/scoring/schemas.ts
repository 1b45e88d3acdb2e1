// The answers of a request, and what responses show of scores and analyses.
import { z } from 'zod';
import { text, uuid } from '../fields.js';
import { FormScoreRange, FormStatus, FormVersion, formLimits } from '../protocol/schemas.js';

/** The longest body of a request to score a form, in bytes. */
export const LONGEST_BODY = 256 * 1_024;

/** The longest answer. */
export const LONGEST_TEXT = 100_000;

export const AnswerValue = z
  .union([text(LONGEST_TEXT), z.number(), z.boolean()], 'must be a text, a number, true or false')
  .describe('A number on NUMBER, true or false on BOOLEAN without options, and a text on TEXT, DATE and DATETIME.');

const name = text(512).toLowerCase().describe('An id. In a form that is not stored, a JSON pointer if there is none.');

const SentAnswer = z
  .object({
    questionId: uuid(),
    optionIds: z.array(uuid()).max(formLimits.options).nullish().describe('The chosen options of a choice.'),
    value: AnswerValue.nullish(),
  })
  .describe(
    'An entry without options and without a value, and one with an empty text, is no answer. A TEXT needs a visible character.',
  )
  .meta({ id: 'SentAnswer' });

export const SentAnswers = z.object({ answers: z.array(SentAnswer).max(formLimits.questions) });

const NamedAnswer = SentAnswer.extend({ questionId: name, optionIds: z.array(name).max(formLimits.options).nullish() });
/** Answers to a form that is not stored. */
export const NamedAnswers = z.array(NamedAnswer.meta({ id: 'NamedAnswer' })).max(formLimits.questions);

/** An end of a set of totals. */
const end = z.number().nullable().describe('Null if there is no bound.');

const ScoredItem = z
  .object({
    questionId: uuid(),
    contribution: z
      .number()
      .nullable()
      .describe('The weight times what was answered. Null if nothing was answered, or the answer does not count.'),
    weight: z.number(),
    answered: z.boolean(),
    explanation: z.string(),
  })
  .meta({ id: 'ScoredItem' });

export const Score = z
  .object({
    version: FormVersion.shape.version,
    status: FormStatus,
    archived: z.literal(true).optional().describe('Present only while the protocol is archived.'),
    total: z.number().describe('The exact sum of the contributions, rounded to a double.'),
    classification: z.string().nullable().describe('Null if answers are missing, or if no range has the total.'),
    range: FormScoreRange.nullable().describe('The score range that contains the exact total.'),
    complete: z.boolean().describe('Whether every required question is answered.'),
    missing: z.array(uuid()).describe('The required questions without an answer.'),
    possible: z
      .object({ min: end, max: end })
      .describe('The smallest and the largest total of the complete sets that contain these answers.'),
    items: z.array(ScoredItem).describe('In the order of the form.'),
  })
  .meta({ id: 'Score' });

const { minScore, maxScore, classification } = FormScoreRange.shape;
const NamedRange = z.object({ id: name, minScore, maxScore, classification }).meta({ id: 'NamedScoreRange' });

/** The score of a form that is not stored. */
export const NamedScore = Score.omit({ archived: true })
  .extend({ version: z.null(), status: z.null(), range: NamedRange.nullable(), missing: z.array(name) })
  .extend({ items: z.array(ScoredItem.extend({ questionId: name }).meta({ id: 'NamedScoredItem' })) })
  .meta({ id: 'NamedScore' });

export const severities = ['error', 'warning', 'information'] as const;
export const findingCodes = [
  ...(['form-without-questions', 'required-question-without-options'] as const),
  ...(['required-question-without-answer', 'total-without-range'] as const),
  ...(['totals-undecided', 'question-without-answer', 'optional-question-counts'] as const),
  ...(['equal-texts', 'number-without-bounds', 'range-without-total'] as const),
  ...(['question-without-effect', 'ranges-missing'] as const),
] as const;

export const Finding = z
  .object({
    code: z.enum(findingCodes),
    severity: z.enum(severities).describe('A form with an error cannot be published.'),
    message: z.string(),
    questionIds: z.array(name),
    min: end.optional(),
    max: end.optional(),
    answers: z
      .array(z.object({ questionId: name, optionIds: z.array(name).optional(), value: AnswerValue.optional() }))
      .nullable()
      .optional()
      .describe('Answers whose score shows the finding. Only the first 20 findings with answers have them.'),
  })
  .meta({ id: 'Finding' });

const Totals = z.object({
  min: end,
  max: end,
  count: z
    .int()
    .nullable()
    .describe('Null if the totals are undecided or continuous, 0 if no set of answers is complete.'),
  values: z.array(z.number()).nullable().describe('Null if the totals are undecided, continuous or more than 1,000.'),
  intervals: z
    .array(z.object({ min: end, max: end }))
    .nullable()
    .describe('The totals if they are continuous. Null if they are undecided, or more than 1,000 intervals.'),
});

export const Analysis = z
  .object({
    formId: uuid().nullable().describe('Null for a form that is not stored.'),
    revision: z.int().min(0).nullable().describe('The revision of the protocol, as in the ETag.'),
    undecided: z.boolean().describe('Whether there are too many totals to decide. Only what is certain is then found.'),
    totals: Totals,
    findings: z.array(Finding).describe('At most 100: errors first, then in the order of the form.'),
    truncated: z.boolean().describe('Whether the form has more findings.'),
  })
  .meta({ id: 'FormAnalysis' });

/** An answer of a request. In an example, the analysis names items of a request by their pointers. */
export type Entry = z.infer<typeof SentAnswer>;
export type ScoredItem = z.infer<typeof ScoredItem>;
/** The score of a form, wherever the form comes from. The ranges of a stored form have more members. */
export type Score = Omit<z.infer<typeof Score>, 'range' | 'version' | 'status' | 'archived'> & {
  readonly range: Pick<FormScoreRange, 'minScore' | 'maxScore' | 'classification'> | null;
};
export type FindingCode = (typeof findingCodes)[number];
export type Finding = z.infer<typeof Finding>;
export type Totals = z.infer<typeof Totals>;
/** The analysis of a form, wherever the form comes from. */
export type Analysis = Omit<z.infer<typeof Analysis>, 'formId' | 'revision'>;
