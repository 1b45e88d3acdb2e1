// The size of a form is the size of the event that copies it into a new version. A form may have 900 KiB; a larger form
// may only shrink.
import { describe, expect, it } from 'vitest';
import { copyOfProtocol } from '../../../src/domain/protocol/copies.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import type { Protocol } from '../../../src/domain/protocol/fold.js';
import { formLimits, type RecordedQuestion } from '../../../src/domain/protocol/schemas.js';
import { countingIds, specification, uuidOf } from '../../support/specification.js';
import { decided, folded } from '../support/play.js';
import {
  created,
  FORM_ID,
  formWith,
  INSTITUTION_ID,
  option,
  optionId,
  type ProtocolCommand,
  type ProtocolEvent,
  question,
  questionId,
  range,
  select,
  upTo,
} from '../support/protocol-samples.js';

const { given } = specification(protocol);
const copy: ProtocolCommand = { type: 'CreateFormVersion', data: {} };
const isActive = ({ status }: Protocol) => expect(status).toBe('active');

const sizeOf = (payload: object | undefined): number => Buffer.byteLength(JSON.stringify(payload));

/** Returns the bytes of the event that copies the form into its next version. */
const bytesOfCopy = (...events: readonly ProtocolEvent[]): number => {
  const [copied] = decided(protocol, folded(protocol, events), copy);
  return sizeOf(copied?.data);
};

/** Returns a question with a text in its metadata, which no other limit bounds. */
const long = (n: number, letters: number, letter = 'x'): RecordedQuestion =>
  question(n, { metadata: { note: letter.repeat(letters) } });

/** Returns a form of two questions, an option and a score range whose copy has this many bytes, or a few less. */
const formOf = (bytes: number, letter = 'x') => {
  const around = (letters: number) =>
    formWith([long(1, letters, letter), select(2, [option(1)])], { scoreRanges: [range(1, 0, 2)] });
  const letters = Math.floor((bytes - bytesOfCopy(created, around(0))) / Buffer.byteLength(letter));
  return around(letters);
};

// Every version counts as the longest possible number, which has 15 digits more than version 2.
const DIGITS = 15;
// Made within a test, because mutation testing takes code that runs when a file loads for code of every test.
const full = () => formOf(formLimits.formBytes - DIGITS);
const tooLarge = () => formOf(formLimits.formBytes + 10_000 - DIGITS);

const addOption = (optionText: string): ProtocolCommand => ({
  type: 'AddOption',
  data: { questionId: questionId(2), optionText, score: 1 },
});
const addQuestion = (note: string): ProtocolCommand => ({
  type: 'AddQuestion',
  data: { formId: FORM_ID, questionText: 'New', metadata: { note } },
});
const reviseQuestion = (letters: number): ProtocolCommand => ({
  type: 'ReviseQuestion',
  data: { questionId: questionId(1), metadata: { note: 'x'.repeat(letters) } },
});
const reviseOption = (optionText: string): ProtocolCommand => ({
  type: 'ReviseOption',
  data: { optionId: optionId(1), optionText },
});
const replace = (letters: number): ProtocolCommand => ({
  type: 'ReplaceQuestionnaire',
  data: { formId: FORM_ID, questions: [long(1, letters)], scoreRanges: [] },
});
const create = (only: RecordedQuestion): ProtocolCommand => ({
  type: 'CreateQuestionnaire',
  data: { institutionId: INSTITUTION_ID, name: 'Long', questions: [only], scoreRanges: [] },
});

describe('the size of a form', () => {
  it('is exactly the size of the event that copies it into a new version', () => {
    expect(bytesOfCopy(created, full())).toBe(formLimits.formBytes - DIGITS);
    given(created, full()).when(reviseOption('Option 2')).thenState(isActive);
    given(created, full()).when(reviseOption('Option 10')).thenRefuses('form-too-large', {
      limit: 921_600,
      bytes: 921_601,
    });
  });

  it('counts bytes of UTF-8, not characters', () => {
    const form = formOf(formLimits.formBytes - DIGITS, '字');
    expect(JSON.stringify(form.data).length).toBeLessThan(formLimits.formBytes / 2);
    given(created, form)
      .when(addOption('x'.repeat(100)))
      .thenRefuses('form-too-large');
  });

  it('counts the id of the original of each item, even if the item is not a copy yet', () => {
    const optionsOf = (n: number) => upTo(199).map((m) => option(m, { id: uuidOf(n * 1_000 + m) }));
    const many = formWith(upTo(31).map((n) => select(n, optionsOf(n))));
    expect(sizeOf(many.data)).toBeLessThan(formLimits.formBytes);
    given(created, many).when(addOption('x')).thenRefuses('form-too-large');
  });
});

describe('a form', () => {
  it.each<[string, () => ProtocolEvent, ProtocolCommand]>([
    ['within the limit may not grow above it by a question', full, addQuestion('x'.repeat(100))],
    ['within the limit may not grow above it by a longer question', full, reviseQuestion(formLimits.formBytes)],
    ['within the limit may not grow above it by an option', full, addOption('x'.repeat(100))],
    ['within the limit may not grow above it by a longer option', full, reviseOption('x'.repeat(200))],
    ['within the limit may not be replaced by one above it', full, replace(formLimits.formBytes)],
    ['above the limit may not grow by a question', tooLarge, addQuestion('')],
    ['above the limit may not grow by an option', tooLarge, addOption('x')],
    ['above the limit may not grow by a longer option', tooLarge, reviseOption('Option 1, longer')],
    ['above the limit may not be replaced by a larger one', tooLarge, replace(formLimits.formBytes + 20_000)],
    ['above the limit cannot be copied', tooLarge, copy],
  ])('%s', (_, form, command) => given(created, form()).when(command).thenRefuses('form-too-large'));

  it.each<[string, ProtocolCommand]>([
    ['a shorter question, even if it stays above the limit', reviseQuestion(formLimits.formBytes)],
    ['a shorter option', reviseOption('1')],
    ['an option of the same length', reviseOption('option 1')],
    ['a smaller questionnaire, even if it stays above the limit', replace(formLimits.formBytes)],
    ['a small questionnaire', replace(1)],
  ])('above the limit accepts %s', (_, command) => given(created, tooLarge()).when(command).thenState(isActive));

  it('within the limit can always be copied, and so can its copy', () =>
    given(created, full())
      .when(...upTo(12).map(() => copy))
      .thenState(isActive));

  it('may be created up to the limit, but not above it', () => {
    given()
      .when(create(long(1, formLimits.formBytes - 1_000)))
      .thenState(isActive);
    given()
      .when(create(long(1, formLimits.formBytes - 100)))
      .thenRefuses('form-too-large');
  });

  it('may not be created with metadata whose names are too long together', () => {
    const metadata = Object.fromEntries(upTo(100).map((n) => [`${n}`.padEnd(10_000, '-'), n]));
    given()
      .when(create({ ...question(1), metadata }))
      .thenRefuses('form-too-large');
  });
});

describe('a copy of a protocol', () => {
  /** Returns a copy of a full form whose payloads have this many bytes together. The prompt fills it up to this size. */
  const copyWith = (bytes: number) => {
    const { form, ...fields } = copyOfProtocol(
      folded(protocol, [created, full()]),
      { institutionId: INSTITUTION_ID },
      countingIds(),
    );
    const data = { ...fields, prompt: '' };
    const rest = bytes - sizeOf(form) - sizeOf(data);
    const prompt = '字'.repeat(rest / 3) + 'x'.repeat(rest % 3);
    return { type: 'CopyProtocol', data: { ...data, prompt, form } } as const;
  };

  it('is accepted with exactly the bytes that one append may have, and refused with more', () => {
    const limit = formLimits.copyBytes;
    given().when(copyWith(limit)).thenState(isActive);
    given()
      .when(copyWith(limit + 1))
      .thenRefuses('form-too-large', { limit, bytes: limit + 1 });
  });
});
