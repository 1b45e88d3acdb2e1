// Answers to the questions of a form: for each response type, what an answer looks like, its faults, and what it counts.
import type { FieldError, FieldErrorCode } from '../errors.js';
import { type BoundKind, boundKindOf, boundValue } from '../protocol/metadata.js';
import type { ResponseType } from '../protocol/response-type.js';
import type { FormOption, FormQuestion, FormScoreRange } from '../protocol/schemas.js';
import { type Decimal, decimalOf, sumOf } from './decimal.js';
import { type Entry, LONGEST_TEXT } from './schemas.js';
import { exactTextOf, quoted } from './wording.js';

type Option = Pick<FormOption, 'id' | 'optionText' | 'score'>;

/** A question as answers and the analysis see it. */
export interface Question extends Pick<FormQuestion, 'id' | 'questionText' | 'responseType' | 'required' | 'weight'> {
  readonly metadata: FormQuestion['metadata'];
  readonly options: readonly Option[];
}

/** A form as answers and the analysis see it. Its questions are in their order, its score ranges sorted by `minScore`. */
export interface ScoredForm {
  readonly questions: readonly Question[];
  readonly scoreRanges: readonly Pick<FormScoreRange, 'minScore' | 'maxScore' | 'classification'>[];
}

/** An answer. Members that are no answer are absent. */
export interface Answer {
  readonly optionIds?: string[] | undefined;
  readonly value?: NonNullable<Entry['value']> | undefined;
}

/**
 * What the possible answers to a question count before its weight: one of some numbers, the sum of one or more numbers,
 * or a whole number or any number between two, each of which may be absent. `nothing` if no answer counts or is possible.
 */
export type Outcomes =
  | { readonly kind: 'nothing'; readonly numbers: readonly [] }
  | { readonly kind: 'one' | 'some'; readonly numbers: readonly number[] }
  | { readonly kind: 'whole' | 'any'; readonly numbers: readonly (number | undefined)[] };

/** The rules of a question. */
interface Answering {
  /** The member of an entry that has the answer. */
  readonly member: keyof Answer;
  /** Returns the faults of an answer, with paths in the member. No message repeats the answer. */
  readonly faults: (answer: Answer) => readonly FieldError[];
  /** Returns what an answer without faults counts; undefined if its type counts nothing. */
  readonly counted: (answer: Answer) => Decimal | undefined;
  /** Says what an answer counts. */
  readonly explained: (answer: Answer, counted: Decimal) => string;
  readonly outcomes: Outcomes;
  /** The answers that count least and most. One without a bound, and one that counts nothing, is undefined. */
  readonly ends: readonly (Answer | undefined)[];
  /** Returns a short answer without faults; undefined if there is none. */
  readonly possible: () => Answer | undefined;
}

export interface ScorableQuestion extends Question, Answering {}

/** A form with the rules of its questions. The score range of a form may have more members than scores need. */
export interface Scorable extends ScoredForm {
  readonly questions: readonly ScorableQuestion[];
  readonly byId: ReadonlyMap<string, ScorableQuestion>;
}

export const fault = (path: FieldError['path'], code: FieldErrorCode, message: string): FieldError => ({
  path,
  code,
  message,
});

const choice = (kind: 'one' | 'some', { options }: Question): Answering => {
  const [first] = options;
  // At least one option is chosen, so that none of them does not count.
  const endOf = (sign: 1 | -1) => {
    const useful = kind === 'some' ? options.filter(({ score }) => sign * score > 0) : [];
    const best = () => options.reduce((found, each) => (sign * each.score > sign * found.score ? each : found));
    return first && { optionIds: (useful.length > 0 ? useful : [best()]).map(({ id }) => id) };
  };
  const known = new Map(options.map((option) => [option.id, option]));
  const chosen = ({ optionIds = [] }: Answer) => optionIds.flatMap((id) => known.get(id) ?? []);
  return {
    member: 'optionIds',
    faults: ({ optionIds = [] }) => faultsOfChoice(kind, known, optionIds),
    counted: (answer) => first && sumOf(chosen(answer).map(({ score }) => decimalOf(score))),
    explained: (answer, counted) => {
      const [option, ...others] = chosen(answer);
      if (option === undefined) return '';
      return others.length === 0
        ? `${quoted(option.optionText)} scores ${option.score}`
        : `${others.length + 1} options score ${exactTextOf(counted)} together`;
    },
    outcomes: first === undefined ? NOTHING : { kind, numbers: options.map(({ score }) => score) },
    ends: [endOf(-1), endOf(1)],
    possible: () => first && { optionIds: [first.id] },
  };
};

const faultsOfChoice = (kind: 'one' | 'some', known: ReadonlyMap<string, Option>, chosen: readonly string[]) => {
  const seen = new Set<string>();
  const faults = chosen.flatMap((id, index) => {
    const isRepeated = seen.has(id);
    seen.add(id);
    if (!known.has(id)) return [fault([index], 'not-found', 'must name an option of the question')];
    return isRepeated ? [fault([index], 'duplicate', 'must not repeat an option')] : [];
  });
  return kind === 'one' && chosen.length > 1 ? [fault([], 'too-big', 'must have at most 1 item'), ...faults] : faults;
};

const NOTHING: Outcomes = { kind: 'nothing', numbers: [] };
const countsNothing = { counted: () => undefined, explained: () => '', outcomes: NOTHING, ends: [] };

const ORDERED: Readonly<Record<BoundKind, { readonly example: string | number; readonly wanted: string }>> = {
  number: { example: 0, wanted: 'must be a number' },
  date: { example: '2000-01-01', wanted: 'must be a date, such as 2020-02-29' },
  instant: {
    example: '2000-01-01T00:00:00Z',
    wanted: 'must be a date and time with an offset, such as 2020-02-29T12:00:00Z',
  },
};

/** Returns one of the shortest answers without faults among some; undefined if there is none. */
const shortestOf = (values: readonly unknown[], faults: Answering['faults']): Answer | undefined => {
  const lengthOf = ({ value }: Answer) => `${value}`.length;
  return values
    .flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [{ value }] : []))
    .filter((answer) => faults(answer).length === 0)
    .toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
};

/** Returns how to answer with a value that has an order. A bound of another kind bounds nothing. */
const ordered = (kind: BoundKind, { metadata }: Question) => {
  const boundOf = (name: 'minValue' | 'maxValue') => {
    const bound = metadata[name];
    return boundKindOf(bound) === kind ? (bound ?? undefined) : undefined;
  };
  const [min, max] = [boundOf('minValue'), boundOf('maxValue')];
  const { example: usual, wanted } = ORDERED[kind];
  const faults = ({ value }: Answer): readonly FieldError[] => {
    if (boundKindOf(value) !== kind) return [fault([], 'invalid-type', wanted)];
    const at = boundValue(value);
    if (at < boundValue(min)) return [fault([], 'too-small', `must be at least ${min}`)];
    if (at > boundValue(max)) return [fault([], 'too-big', `must be at most ${max}`)];
    return [];
  };
  const possible = () => shortestOf([usual, min, max], faults);
  return { member: 'value', faults, ...countsNothing, possible, min, max } as const;
};

const number = (question: Question): Answering => {
  const { min, max, faults: faultsOfBounds, ...values } = ordered('number', question);
  const isWhole = question.metadata['integer'] === true;
  const lowest = numberIn(min, isWhole ? Math.ceil : itself);
  const highest = numberIn(max, isWhole ? Math.floor : itself);
  const isPossible = (lowest ?? Number.NEGATIVE_INFINITY) <= (highest ?? Number.POSITIVE_INFINITY);
  const faults = (answer: Answer): readonly FieldError[] =>
    isWhole && typeof answer.value === 'number' && !Number.isInteger(answer.value)
      ? [fault([], 'invalid-value', 'must be a whole number')]
      : faultsOfBounds(answer);
  const rounded = [numberIn(min, Math.ceil), numberIn(max, Math.floor)];
  return {
    ...values,
    faults,
    counted: ({ value }) => decimalOf(Number(value)),
    explained: () => 'The number counts',
    outcomes: isPossible ? { kind: isWhole ? 'whole' : 'any', numbers: [lowest, highest] } : NOTHING,
    ends: [lowest, highest].map((value) => (value === undefined ? undefined : { value })),
    possible: () => shortestOf([0, ...rounded, min, max], faults),
  };
};

const itself = (bound: number): number => bound;
const numberIn = (bound: unknown, rounded: (bound: number) => number): number | undefined =>
  typeof bound === 'number' ? rounded(bound) : undefined;

const text = ({ metadata: { minLength, maxLength } }: Question): Answering => {
  const shortest = Math.max(minLength ?? 1, 1);
  const longest = maxLength ?? Number.POSITIVE_INFINITY;
  return {
    member: 'value',
    faults: ({ value }) => {
      if (typeof value !== 'string') return [fault([], 'invalid-type', 'must be a text')];
      const length = [...value].length;
      if (length < shortest) return [fault([], 'too-small', `must have at least ${shortest} characters`)];
      return length > longest ? [fault([], 'too-big', `must have at most ${longest} characters`)] : [];
    },
    ...countsNothing,
    possible: () => (shortest <= Math.min(longest, LONGEST_TEXT) ? { value: '-'.repeat(shortest) } : undefined),
  };
};

const yesOrNo: Answering = {
  member: 'value',
  faults: ({ value }) => (typeof value === 'boolean' ? [] : [fault([], 'invalid-type', 'must be true or false')]),
  ...countsNothing,
  possible: () => ({ value: true }),
};

const ANSWERING: Readonly<Record<ResponseType, (question: Question) => Answering>> = {
  TEXT: text,
  NUMBER: number,
  DATE: (question) => ordered('date', question),
  DATETIME: (question) => ordered('instant', question),
  BOOLEAN: (question) => (question.options.length > 0 ? choice('one', question) : yesOrNo),
  SELECT: (question) => choice('one', question),
  MULTIPLE_SELECT: (question) => choice('some', question),
};

/** Returns a form with the rules of its questions, or the same form if it has them. */
export const scorable = (form: ScoredForm | Scorable): Scorable => {
  if ('byId' in form) return form;
  const questions = form.questions.map(withRules);
  return { questions, scoreRanges: form.scoreRanges, byId: new Map(questions.map((each) => [each.id, each])) };
};

const withRules = (question: Question): ScorableQuestion => {
  const { id, questionText, responseType, required, weight, metadata, options } = question;
  const { member, faults, counted, explained, possible, ...rules } = ANSWERING[responseType](question);
  const outcomes = weight === 0 ? NOTHING : rules.outcomes;
  const ends = weight < 0 ? rules.ends.toReversed() : rules.ends;
  // All members in one literal. V8 takes several times as long to make and to read an object that spreads others.
  return {
    id,
    questionText,
    responseType,
    required,
    weight,
    metadata,
    options,
    member,
    faults,
    counted,
    explained,
    possible,
    outcomes,
    ends,
  };
};

/** Returns whether an answer to the question can change the total. */
export const counts = ({ outcomes }: ScorableQuestion): boolean => outcomes.kind !== 'nothing';
