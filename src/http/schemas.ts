// What is answered, as schemas with the names that OpenAPI shows.
import { z } from 'zod';
import { QuestionContent, ResponseType } from '../domain/form.js';
import { placeOf } from './reading.js';

const id = z.uuid();
const instant = z.iso.datetime();
const dates = { createdAt: instant, updatedAt: instant };
const copiedFrom = id.nullable().describe('What this was copied from when its form version was created.');

export const Protocol = z
  .object({ id, institutionId: id, name: z.string(), prompt: z.string().nullable(), ...dates })
  .meta({ id: 'Protocol' });

export const ProtocolQuestionOption = z
  .object({
    id,
    protocolQuestionId: id,
    copiedFrom,
    optionText: z.string(),
    score: z.number(),
    position: z.int(),
    ...dates,
  })
  .meta({ id: 'ProtocolQuestionOption' });

export const ProtocolQuestion = z
  .object({
    id,
    protocolFormId: id,
    copiedFrom,
    questionText: z.string(),
    responseType: ResponseType,
    metadata: QuestionContent.shape.metadata,
    required: z.boolean(),
    weight: z.number(),
    position: z.int(),
    ...dates,
    options: z.array(ProtocolQuestionOption).describe('By ascending position.'),
  })
  .meta({ id: 'ProtocolQuestion' });

export const ScoreRange = z
  .object({
    id,
    protocolFormId: id,
    copiedFrom,
    minScore: z.number(),
    maxScore: z.number(),
    classification: z.string(),
    ...dates,
  })
  .meta({ id: 'ScoreRange' });

const scoreRanges = z.array(ScoreRange).describe('By ascending minScore; both ends are inclusive.');

export const ProtocolFormVersion = z
  .object({ id, protocolId: id, version: z.int().min(1), copiedFrom, ...dates })
  .meta({ id: 'ProtocolFormVersion' });

export const ProtocolForm = z
  .object({
    ...ProtocolFormVersion.shape,
    questions: z.array(ProtocolQuestion).describe('By ascending position.'),
    scoreRanges,
  })
  .meta({ id: 'ProtocolForm' });

export const ProtocolAndForm = z.object({ protocol: Protocol, form: ProtocolForm }).meta({ id: 'ProtocolAndForm' });

export const Questionnaire = z
  .object({ protocol: Protocol, form: ProtocolForm.nullable(), scoreRanges })
  .meta({ id: 'Questionnaire' });

export const Unity = z
  .object({ id, institutionId: id, name: z.string(), address: z.string().nullable(), ...dates })
  .meta({ id: 'Unity' });

export const Institution = z
  .object({
    id,
    name: z.string(),
    document: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    address: z.string().nullable(),
    unities: z.array(Unity),
    ...dates,
  })
  .meta({ id: 'Institution' });

export const Specialty = z
  .object({ id, name: z.string(), description: z.string().nullable(), enabled: z.boolean(), ...dates })
  .meta({ id: 'Specialty' });

/** A page of a list. */
export const pageOf = (item: z.ZodType) => {
  const page = z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('Ask `cursor` for it to get the next page; null on the last.'),
  });
  return page.meta({ id: `${String(item.meta()?.['id'])}Page` });
};

/** A whole number in a query. */
export const integerText = (lowest: number, highest: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.int().min(lowest).max(highest));

/** Which page of a list. */
export const paging = {
  limit: integerText(1, 200)
    .default(50)
    .meta({ openapi: { type: 'integer', minimum: 1, maximum: 200, default: 50 } }),
  cursor: z
    .string()
    .max(200)
    .refine((cursor) => /^[0-9a-z]{16,64}$/.test(placeOf(cursor)), {
      error: 'is no cursor of this list',
      params: { code: 'bad-cursor' },
    })
    .transform(placeOf)
    .optional()
    .meta({ openapi: { type: 'string', maxLength: 200, description: 'The `nextCursor` of the page before.' } }),
};

export const nameFilter = z
  .string()
  .max(500)
  .optional()
  .describe('The beginning of the name; case and accents do not matter.');
export const enabledFilter = z.enum(['true', 'false']).optional();
export const idFilter = z.guid().toLowerCase().optional();
export const versionFilter = integerText(1, 999_999_999)
  .optional()
  .meta({ openapi: { type: 'integer', minimum: 1 } });
