// The schemas of scores and analyses.
import { z } from 'zod';
import { text, uuid } from '../../../domain/fields.js';
import { FormScoreRange, formLimits } from '../../../domain/protocol/schemas.js';
import { CODES, SEVERITIES } from '../../../domain/scoring/findings.js';

const value = z
  .union([text(100_000), z.number(), z.boolean()], 'must be a text, a number, true or false')
  .describe('A number on NUMBER, true or false on BOOLEAN without options, and a text on TEXT, DATE and DATETIME.');

const SentAnswer = z
  .object({
    questionId: uuid(),
    optionIds: z.array(uuid()).max(formLimits.options).nullish().describe('The chosen options of a choice.'),
    value: value.nullish(),
  })
  .describe('An entry without options and without a value, and one with an empty text, is no answer.')
  .meta({ id: 'SentAnswer' });

export const SentAnswers = z.object({ answers: z.array(SentAnswer).max(formLimits.questions) });

const end = z.number().nullable();
const openEnd = end.describe('Null if there is no bound.');

const ScoredItem = z
  .object({
    questionId: uuid(),
    contribution: end.describe(
      'The weight times what was answered. Null if the question was not answered, or answers to it do not count.',
    ),
    weight: z.number(),
    answered: z.boolean(),
    explanation: z.string(),
  })
  .meta({ id: 'ScoredItem' });

export const Score = z
  .object({
    total: z.number().describe('The exact sum of the contributions, rounded to a double.'),
    classification: z.string().nullable().describe('Null if a required answer is missing or no range has the total.'),
    range: FormScoreRange.nullable().describe('The score range that contains the exact total.'),
    complete: z.boolean().describe('Whether every required question is answered.'),
    missing: z.array(uuid()).describe('The required questions without an answer.'),
    possible: z
      .object({ min: openEnd, max: openEnd })
      .describe('The smallest and the largest total of the complete sets that contain these answers.'),
    items: z.array(ScoredItem).describe('In the order of the form.'),
  })
  .meta({ id: 'Score' });

const name = text(512).describe('An id; in the analysis of a request, a JSON pointer if the item has no id.');

export const Finding = z
  .object({
    code: z.enum(CODES),
    severity: z.enum(SEVERITIES).describe('A form with an error cannot be published.'),
    message: z.string(),
    questionIds: z.array(name),
    min: openEnd.optional(),
    max: openEnd.optional(),
    answers: z
      .array(z.object({ questionId: name, optionIds: z.array(name).optional(), value: value.optional() }))
      .nullable()
      .optional()
      .describe('Answers whose score shows the finding. Only the first 20 findings with answers have them.'),
  })
  .meta({ id: 'Finding' });

export const Analysis = z
  .object({
    formId: uuid().nullable().describe('Null for a form that is not stored.'),
    revision: z.int().min(0).nullable().describe('The revision of the protocol, as in the ETag.'),
    undecided: z.boolean().describe('Whether there are too many totals to decide. No finding then needs the totals.'),
    totals: z.object({
      min: openEnd,
      max: openEnd,
      count: z.int().nullable().describe('Null if totals are undecided or continuous.'),
      values: z.array(z.number()).nullable().describe('Null if totals are undecided, continuous or more than 1,000.'),
      intervals: z
        .array(z.object({ min: openEnd, max: openEnd }))
        .nullable()
        .describe('The totals if they are continuous. Null if they are undecided or more than 1,000.'),
    }),
    findings: z.array(Finding).describe('At most 100: errors first, then in the order of the form.'),
    truncated: z.boolean().describe('Whether the form has more findings.'),
  })
  .meta({ id: 'FormAnalysis' });
