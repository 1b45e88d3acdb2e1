// How large a form may be: the event that copies it into a new version must fit into one append of the event log.
import type { Of } from '../decider.js';
import { DomainError } from '../errors.js';
import {
  evolveForm,
  type Form,
  type FormOption,
  type FormQuestion,
  type FormScoreRange,
  type formEvents,
  formLimits,
  type RecordedQuestion,
  type RecordedScoreRange,
} from './form.js';
import { copyOfOption, copyOfQuestion, copyOfRange } from './questionnaire.js';

/** What an event or a form consists of. */
interface Content {
  readonly questions: readonly Pick<RecordedQuestion, 'questionText' | 'metadata' | 'options'>[];
  readonly scoreRanges: readonly Pick<RecordedScoreRange, 'classification'>[];
}

/**
 * Returns the event alone. Throws if the event makes its form larger than the limit; an event that makes a form smaller
 * that was too large already is allowed, so that such a form can be mended. `form` is undefined if the event creates it.
 */
export const bounded = (form: Form | undefined, event: Of<typeof formEvents>): readonly [Of<typeof formEvents>] => {
  if ('scoreRanges' in event.data && mostBytesOf(event.data) <= formLimits.formBytes) return [event];
  const after = evolveForm[event.type](form, event.data as never, UNRECORDED);
  const bytes = bytesOf(after);
  if (bytes > formLimits.formBytes && bytes > bytesOf(form)) {
    throw new DomainError('form-too-large', { limit: formLimits.formBytes, bytes });
  }
  return [event];
};

// The size says nothing of dates and of the protocol.
const UNRECORDED = { id: '', at: '' };

// All ids are equally long. Of what the form itself does not say, the longest counts.
const anyId = () => '00000000-0000-7000-8000-000000000000';
const NEXT_VERSION = { formId: anyId(), version: Number.MAX_SAFE_INTEGER, copiedFrom: anyId() };
const ENVELOPE = Buffer.byteLength(JSON.stringify({ ...NEXT_VERSION, questions: [], scoreRanges: [] }));

/** Returns the bytes of the data of the ProtocolFormVersionCreated that would copy the form. */
export const bytesOf = (form: Form | undefined): number =>
  form === undefined ? 0 : ENVELOPE + listed(form.questions, bytesOfQuestion) + listed(form.scoreRanges, bytesOfRange);

const listed = <I>(items: readonly I[], bytesOfItem: (item: I) => number): number =>
  items.reduce((bytes, item) => bytes + bytesOfItem(item), Math.max(0, items.length - 1));

// The most bytes of an item beside its texts: the names of its members, two ids and its numbers.
const ITEM_BYTES = 512;
// The most bytes that JSON takes for a unit of UTF-16.
const UNIT_BYTES = 6;

/**
 * Returns a number of bytes that a form with this content does not exceed. Usual forms are far below the limit: to count
 * the units of their texts spares writing each item as JSON.
 */
export const mostBytesOf = ({ questions, scoreRanges }: Content): number =>
  ENVELOPE +
  sum(questions, ({ questionText, metadata, options }) => {
    const text = questionText.length + JSON.stringify(metadata).length;
    return (
      ITEM_BYTES + UNIT_BYTES * text + sum(options, ({ optionText }) => ITEM_BYTES + UNIT_BYTES * optionText.length)
    );
  }) +
  sum(scoreRanges, ({ classification }) => ITEM_BYTES + UNIT_BYTES * classification.length);

const sum = <I>(items: readonly I[], of: (item: I) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

// A change leaves most items of a form the same objects: measuring each once spares a large form being written out as
// JSON for each option that is added to it.
const measured = new WeakMap<object, number>();

const once =
  <I extends object>(measure: (item: I) => number) =>
  (item: I): number => {
    const bytes = measured.get(item) ?? measure(item);
    measured.set(item, bytes);
    return bytes;
  };

const written = (copy: unknown): number => Buffer.byteLength(JSON.stringify(copy));

const bytesOfOption = once((option: FormOption) => written(copyOfOption(option, anyId)));
const bytesOfRange = once((range: FormScoreRange) => written(copyOfRange(range, anyId)));
const bytesOfQuestion = once((question: FormQuestion) => {
  const alone = written(copyOfQuestion({ ...question, options: [] }, false, anyId));
  return alone + listed(question.options, bytesOfOption);
});
