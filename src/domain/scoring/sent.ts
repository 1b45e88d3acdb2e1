// The form of a request, before it is recorded.
import { DomainError } from '../errors.js';
import { type Content, contentFrom } from '../protocol/content.js';
import type { SentQuestionnaire } from '../protocol/schemas.js';
import type { ScoredForm } from './answers.js';

/**
 * Returns the form that a request would make of the content `before`. An item without an id is named by its JSON
 * pointer. Throws `fields-refused` if the request does not fit the content.
 */
export const sentForm = (sent: SentQuestionnaire, before: Content): ScoredForm => {
  const { content, errors } = contentFrom(sent, before, () => '');
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
  const questions = content.questions.map((question) => {
    const { id, index, item } = named(sent.questions, question, '/questions');
    const pointer = `/questions/${index}/options`;
    const options = question.options.map((option) => ({
      ...option,
      id: named(item?.options ?? [], option, pointer).id,
    }));
    return { ...question, id, options };
  });
  return { questions, scoreRanges: content.scoreRanges };
};

interface Sent {
  readonly id?: string | undefined;
  readonly position?: number | undefined;
}

/** Returns the sent item at the position of an item, its place in the list, and its name. No two have one position. */
const named = <I extends Sent>(list: readonly I[], { position }: { readonly position: number }, pointer: string) => {
  const index = list.findIndex((sent, place) => (sent.position ?? place + 1) === position);
  const item = list[index];
  return { index, item, id: item?.id ?? `${pointer}/${index}` };
};
