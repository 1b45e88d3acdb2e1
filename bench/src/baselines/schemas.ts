// Schemas of the request bodies that the baselines check.
import { z } from 'zod';

/** The body of POST /protocols. */
export const Protocol = z.object({
  institutionId: z.guid(),
  name: z.string().min(1).max(500),
  prompt: z.string().max(100_000).nullable().default(null),
});
export type Protocol = z.infer<typeof Protocol>;

const Option = z.object({ optionText: z.string().min(1).max(2_000), score: z.number(), position: z.int().min(0) });
const Question = z.object({
  questionText: z.string().min(1).max(10_000),
  responseType: z.string(),
  metadata: z.looseObject({}).default({}),
  required: z.boolean().default(false),
  weight: z.number().default(1),
  position: z.int().min(0),
  options: z.array(Option).max(200).default([]),
});
const ScoreRange = z.object({ minScore: z.number(), maxScore: z.number(), classification: z.string().min(1) });

/** The body of POST /protocols/questionnaires. */
export const Questionnaire = Protocol.extend({
  questions: z.array(Question).min(1).max(500),
  scoreRanges: z.array(ScoreRange).max(500),
});
export type Questionnaire = z.infer<typeof Questionnaire>;
