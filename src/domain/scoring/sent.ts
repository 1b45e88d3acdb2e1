// The form of a request, before it is recorded.
import { DomainError } from '../errors.js';
import { type Content, contentFrom } from '../protocol/content.js';
import { byScore } from '../protocol/positions.js';
import type { SentQuestionnaire } from '../protocol/schemas.js';
import type { ScoredForm } from './answers.js';

/**
 * Returns the form that a request would make of the content `before`. An item without an id is named by its JSON
 * pointer. Throws `fields-refused` if the request does not fit the content.
 */
export const sentForm = (sent: SentQuestionnaire, before: Content): ScoredForm => {
  const { content, errors } = contentFrom(sent, before, () => '');
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
  const names = namesOf(sent.questions, '/questions');
  const namesOfOptions = byPosition(sent.questions, ({ options }, index) =>
    namesOf(options, `/questions/${index}/options`),
  );
  const questions = content.questions.map((question) => {
    const optionNames = namesOfOptions.get(question.position);
    const options = question.options.map((option) => ({
      ...option,
      id: optionNames?.get(option.position) ?? option.id,
    }));
    return { ...question, id: names.get(question.position) ?? question.id, options };
  });
  const scoreRanges = sent.scoreRanges.map((range, index) => ({ ...range, id: range.id ?? `/scoreRanges/${index}` }));
  return { questions, scoreRanges: byScore(scoreRanges) };
};

interface Sent {
  readonly id?: string | undefined;
  readonly position?: number | undefined;
}

/** Returns what `make` returns for each sent item, by its position. No two have one position. */
const byPosition = <I extends Sent, T>(list: readonly I[], make: (item: I, index: number) => T) =>
  new Map(list.map((item, index) => [item.position ?? index + 1, make(item, index)]));

const namesOf = (list: readonly Sent[], pointer: string) =>
  byPosition(list, ({ id }, index) => id ?? `${pointer}/${index}`);
