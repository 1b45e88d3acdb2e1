// Limits the size of a form: the event that copies the form into a new version must fit into one append to the log.
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

/** The content of an event or of a form. */
interface Content {
  readonly questions: readonly Pick<RecordedQuestion, 'questionText' | 'metadata' | 'options'>[];
  readonly scoreRanges: readonly Pick<RecordedScoreRange, 'classification'>[];
}

/**
 * Returns the event in a list. Throws `form-too-large` if the event makes its form larger than the limit. An event that
 * shrinks a form above the limit is allowed, so that the form can be repaired. `form` is undefined if the event creates
 * it.
 */
export const bounded = (form: Form | undefined, event: Of<typeof formEvents>): readonly [Of<typeof formEvents>] => {
  if ('scoreRanges' in event.data && maxBytesOf(event.data) <= formLimits.formBytes) return [event];
  const after = evolveForm[event.type](form, event.data as never, UNRECORDED);
  const bytes = bytesOf(after);
  if (bytes > formLimits.formBytes && bytes > bytesOf(form)) {
    throw new DomainError('form-too-large', { limit: formLimits.formBytes, bytes });
  }
  return [event];
};

// The size does not depend on dates or on the protocol.
const UNRECORDED = { id: '', at: '' };

// All ids have the same length. Values that the form does not determine count with their longest form.
const anyId = () => '00000000-0000-7000-8000-000000000000';
const NEXT_VERSION = { formId: anyId(), version: Number.MAX_SAFE_INTEGER, copiedFrom: anyId() };
const ENVELOPE = Buffer.byteLength(JSON.stringify({ ...NEXT_VERSION, questions: [], scoreRanges: [] }));

/** Returns the size of the payload of the ProtocolFormVersionCreated that would copy the form. */
export const bytesOf = (form: Form | undefined): number =>
  form === undefined ? 0 : ENVELOPE + listed(form.questions, bytesOfQuestion) + listed(form.scoreRanges, bytesOfRange);

const listed = <I>(items: readonly I[], bytesOfItem: (item: I) => number): number =>
  items.reduce((bytes, item) => bytes + bytesOfItem(item), Math.max(0, items.length - 1));

// The most bytes of an item beside its texts: the names of its members, two ids and its numbers.
const ITEM_BYTES = 512;
// The maximum number of bytes that JSON needs for a code unit of UTF-16.
const UNIT_BYTES = 6;

/**
 * Returns an upper bound of the size of a form with this content. Most forms are far below the limit, so counting the
 * length of their texts avoids serializing each item.
 */
export const maxBytesOf = ({ questions, scoreRanges }: Content): number =>
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

// Most items of a form stay the same objects when the form changes. Measuring each object only once avoids serializing
// a large form for every option that is added to it.
const measured = new WeakMap<object, number>();

const once =
  <I extends object>(measure: (item: I) => number) =>
  (item: I): number => {
    const bytes = measured.get(item) ?? measure(item);
    measured.set(item, bytes);
    return bytes;
  };

const jsonBytes = (copy: unknown): number => Buffer.byteLength(JSON.stringify(copy));

const bytesOfOption = once((option: FormOption) => jsonBytes(copyOfOption(option, anyId)));
const bytesOfRange = once((range: FormScoreRange) => jsonBytes(copyOfRange(range, anyId)));
const bytesOfQuestion = once((question: FormQuestion) => {
  const alone = jsonBytes(copyOfQuestion({ ...question, options: [] }, false, anyId));
  return alone + listed(question.options, bytesOfOption);
});
