// The entries of a request to score a form: the answers in them, and all their faults.
import type { FieldError } from '../errors.js';
import { hasVisibleCharacter } from '../fields.js';
import { formLimits } from '../protocol/schemas.js';
import { MAX_ERRORS } from '../rules.js';
import { type Answer, fault, type Scorable, type ScorableQuestion } from './answers.js';
import { AnswerValue, type Entry } from './schemas.js';

/** The answers of a request by the ids of their questions. An entry may have no answer. */
export type Answers = ReadonlyMap<string, Answer | undefined>;

/**
 * Returns the answers of a request, and its faults, each with the path of the member at fault: all of them, or more than
 * `MAX_ERRORS`. An entry is undefined if it cannot be read.
 */
export const readAnswers = (
  { byId }: Scorable,
  entries: readonly (Entry | undefined)[],
): { readonly answers: Answers; readonly errors: readonly FieldError[] } => {
  const answers = new Map<string, Answer | undefined>();
  const errors: FieldError[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry === undefined) continue;
    const question = byId.get(entry.questionId);
    const faults = faultsOf(entry, question, answers);
    answers.set(entry.questionId, answerOf(entry, question));
    for (const each of faults) errors.push(within(['answers', index], each));
    if (errors.length > MAX_ERRORS) break;
  }
  return { answers, errors };
};

/**
 * Returns the readable parts of entries with a faulty shape. One response can then list the faults of the shape and all
 * others. An unreadable member is absent, or is an id that nothing has.
 */
export const readableEntries = (sent: unknown): readonly (Entry | undefined)[] => {
  const answers = (sent as { readonly answers?: unknown } | null)?.answers;
  // The schema refuses longer lists.
  return Array.isArray(answers) ? answers.slice(0, formLimits.questions).map(readableEntry) : [];
};

const readableEntry = (sent: unknown): Entry | undefined => {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return undefined;
  const { questionId, optionIds, value } = sent as { readonly [M in keyof Entry]?: unknown };
  return {
    questionId: readableId(questionId),
    optionIds: Array.isArray(optionIds) ? optionIds.slice(0, formLimits.options).map(readableId) : undefined,
    value: AnswerValue.safeParse(value).data,
  };
};

const ID = '00000000-0000-7000-8000-000000000000';
const utf8 = new TextEncoder();

/** Returns the bytes that an answer takes in a request, with a comma. All ids have the same length. */
export const bytesOfAnswer = ({ optionIds, value }: Answer): number =>
  utf8.encode(`${JSON.stringify({ questionId: ID, optionIds: optionIds?.map(() => ID), value })},`).length;

const readableId = (sent: unknown): string => (typeof sent === 'string' ? sent.toLowerCase() : '');

const within = (path: FieldError['path'], found: FieldError): FieldError => ({
  ...found,
  path: [...path, ...found.path],
});

const faultsOf = (entry: Entry, question: ScorableQuestion | undefined, previous: Answers): readonly FieldError[] => {
  if (question === undefined) return [fault(['questionId'], 'not-found', 'must name a question of the form')];
  const repeated = previous.has(question.id)
    ? [fault(['questionId'], 'duplicate', 'must not be the question of a previous answer')]
    : [];
  return [...repeated, ...faultsOfAnswer(question, answerOf(entry, question) ?? {})];
};

const faultsOfAnswer = ({ member, faults }: ScorableQuestion, answer: Answer): readonly FieldError[] => {
  const other = member === 'value' ? 'optionIds' : 'value';
  return [
    ...(answer[other] === undefined ? [] : [fault([other], 'excluded', `must be absent: send \`${member}\``)]),
    ...(answer[member] === undefined ? [] : faults(answer).map((each) => within([member], each))),
  ];
};

/** Returns the answer of an entry; undefined if it has none. */
const answerOf = ({ optionIds, value }: Entry, question: ScorableQuestion | undefined): Answer | undefined => {
  const hasOptions = optionIds != null && optionIds.length > 0;
  const isBlank = question?.responseType === 'TEXT' && typeof value === 'string' && !hasVisibleCharacter(value);
  const hasValue = value != null && value !== '' && !isBlank;
  return hasOptions || hasValue ? { ...(hasOptions && { optionIds }), ...(hasValue && { value }) } : undefined;
};
