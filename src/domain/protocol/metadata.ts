// The metadata of a question: an open object, of which some members have a meaning.
import { z } from 'zod';
import { INSTANT, instantOf } from '../comparable.js';
import type { FieldError } from '../errors.js';
import { same, text } from '../fields.js';
import { ordered, rule } from '../rules.js';

export const maxMetadataMembers = 200;

/** What `minValue` and `maxValue` can be. The response type of a question decides which of them (response-type.ts). */
export type BoundKind = 'number' | 'date' | 'instant';

const isoDate = z.iso.date();
const LONGEST_BOUND = 40;

/** Returns the kind of a bound (ISO 8601 for dates and instants); undefined for anything else. */
export const boundKindOf = (sent: unknown): BoundKind | undefined => {
  if (typeof sent === 'number') return 'number';
  if (typeof sent !== 'string' || sent.length > LONGEST_BOUND) return undefined;
  if (isoDate.safeParse(sent).success) return 'date';
  return INSTANT.test(sent) ? 'instant' : undefined;
};

/** Returns the number by which a bound is compared; NaN for anything else. */
export const boundValue = (sent: unknown): number => {
  const kind = boundKindOf(sent);
  if (kind === undefined) return Number.NaN;
  if (kind === 'number') return Number(sent);
  return kind === 'date' ? Date.parse(String(sent)) : instantOf(String(sent));
};

const noBound = 'must be a number, an ISO date, or an ISO date and time with an offset';
const bound = () =>
  z
    .union([z.number(), text(LONGEST_BOUND)], noBound)
    .refine((sent) => boundKindOf(sent) !== undefined, { error: noBound, params: { code: 'invalid-format' } })
    .nullish()
    .describe(
      'An ISO date on DATE, an ISO date and time with an offset on DATETIME, and a number on every other type.',
    );

/** An open object. Known members are checked if they are present. */
export const Metadata = z
  .looseObject({
    minValue: bound(),
    maxValue: bound(),
    minLength: z.int().min(0).nullish(),
    maxLength: z.int().min(0).nullish(),
    dateFormat: text(100).min(1).nullish(),
  })
  .superRefine(
    ...rule((metadata, refuse) => {
      if (typeof metadata === 'object' && Object.keys(metadata ?? {}).length > maxMetadataMembers) {
        refuse([], 'too-big', `must have at most ${maxMetadataMembers} members`);
      }
    }),
  )
  .meta({ id: 'QuestionMetadata', maxProperties: maxMetadataMembers });

/** The metadata of a request that replaces other metadata. Events may have metadata whose bounds are in the wrong order. */
export const SentMetadata = Metadata.superRefine(...ordered('minValue', 'maxValue', boundValue)).superRefine(
  ...ordered('minLength', 'maxLength'),
);

/** The metadata of a new question. Events may have other values of `integer`, which mean nothing. */
export const NewMetadata = SentMetadata.safeExtend({
  integer: z.boolean().nullish().describe('`true`: a NUMBER refuses fractions.'),
}).meta({ id: 'NewQuestionMetadata', maxProperties: maxMetadataMembers });

type Members = z.infer<typeof Metadata>;

/** Returns the fault of `integer` in metadata that replaces other metadata, whose value it may repeat. */
export const faultsOfInteger = ({ integer }: Members, before?: Members): readonly FieldError[] =>
  integer == null || typeof integer === 'boolean' || same(integer, before?.['integer'])
    ? []
    : [{ path: ['metadata', 'integer'], code: 'invalid-type', message: 'must be true or false' }];
