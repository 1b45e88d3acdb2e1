// The schemas of responses about protocols.
import { z } from 'zod';
import { QuestionContent, ResponseType } from '../../../domain/protocol/form.js';
import { dates, id } from '../../request/schemas.js';

const copiedFrom = id
  .nullable()
  .describe('The id of the original from which this item was copied when its form version was created.');

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
    options: z.array(ProtocolQuestionOption).describe('Sorted by ascending position.'),
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

const scoreRanges = z.array(ScoreRange).describe('Sorted by ascending minScore. Both ends of a range are inclusive.');

export const ProtocolFormVersion = z
  .object({ id, protocolId: id, version: z.int().min(1), copiedFrom, ...dates })
  .meta({ id: 'ProtocolFormVersion' });

export const ProtocolForm = z
  .object({
    ...ProtocolFormVersion.shape,
    questions: z.array(ProtocolQuestion).describe('Sorted by ascending position.'),
    scoreRanges,
  })
  .meta({ id: 'ProtocolForm' });

export const ProtocolAndForm = z.object({ protocol: Protocol, form: ProtocolForm }).meta({ id: 'ProtocolAndForm' });

export const Questionnaire = z
  .object({ protocol: Protocol, form: ProtocolForm.nullable(), scoreRanges })
  .meta({ id: 'Questionnaire' });
