// The entries of a request to score a form: the answers in them, and all their faults.
import type { FieldError, FieldErrorCode } from '../errors.js';
import { type Answer, answeringOf, type Question, type ScoredForm } from './answers.js';
import type { Entry } from './schemas.js';

/** The answers of a request by the ids of their questions. An entry may have no answer. */
export type Answers = ReadonlyMap<string, Answer | undefined>;

/** Returns the answers of a request, and its faults: all of them, each with the path of the member at fault. */
export const readAnswers = (
  { questions }: Pick<ScoredForm, 'questions'>,
  entries: readonly Entry[],
): { readonly answers: Answers; readonly errors: readonly FieldError[] } => {
  const known = new Map(questions.map((question) => [question.id, question]));
  const answers = new Map<string, Answer | undefined>();
  const errors = entries.flatMap((entry, index) => {
    const faults = faultsOf(entry, known.get(entry.questionId), answers);
    answers.set(entry.questionId, answerOf(entry));
    return faults.map(({ path, ...fault }) => ({ path: ['answers', index, ...path], ...fault }));
  });
  return { answers, errors };
};

const faultsOf = (entry: Entry, question: Question | undefined, previous: Answers): readonly FieldError[] => {
  if (question === undefined) return [fault(['questionId'], 'not-found', 'must name a question of the form')];
  const repeated = previous.has(question.id)
    ? [fault(['questionId'], 'duplicate', 'must not be the question of a previous answer')]
    : [];
  return [...repeated, ...faultsOfAnswer(question, answerOf(entry) ?? {})];
};

const faultsOfAnswer = (question: Question, answer: Answer): readonly FieldError[] => {
  const { member, faults } = answeringOf(question);
  const other = member === 'value' ? 'optionIds' : 'value';
  return [
    ...(answer[other] === undefined ? [] : [fault([other], 'excluded', `must be absent: send \`${member}\``)]),
    ...(answer[member] === undefined ? [] : faults(answer).map(([at, ...rest]) => fault([member, ...at], ...rest))),
  ];
};

const fault = (path: FieldError['path'], code: FieldErrorCode, message: string): FieldError => ({
  path,
  code,
  message,
});

/** Returns the answer of an entry; undefined if it has none. */
const answerOf = ({ optionIds, value }: Entry): Answer | undefined => {
  const hasOptions = optionIds != null && optionIds.length > 0;
  const hasValue = value != null && value !== '';
  return hasOptions || hasValue ? { ...(hasOptions && { optionIds }), ...(hasValue && { value }) } : undefined;
};
