// The member `integer` of metadata: true, false or null where it is sent, unless a question has another value already.
import { describe, expect, it } from 'vitest';
import { noContent } from '../../../src/domain/protocol/content.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { NewMetadata, SentMetadata } from '../../../src/domain/protocol/metadata.js';
import { formCommands } from '../../../src/domain/protocol/schemas.js';
import { sentForm } from '../../../src/domain/scoring/sent.js';
import { specification } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  formIn,
  formWith,
  type ProtocolCommand,
  question,
  questionId,
  type SentReplacement,
} from '../support/protocol-samples.js';

const { given, sending } = specification(protocol);

const FAULTY = ['true', 'false', '', 1, 0, 1.5, [], [true], {}, { integer: true }];
const FINE = [true, false, null];

type Questions = SentReplacement['questions'];
const fault = (...path: readonly (string | number)[]) => ({
  errors: [{ path: [...path, 'metadata', 'integer'], code: 'invalid-type' as const, message: 'must be true or false' }],
});
const replace = (questions: Questions): ProtocolCommand => ({
  type: 'ReplaceQuestionnaire',
  data: { formId: FORM_ID, questions, scoreRanges: [] },
});
const asked = (integer: unknown, more: Partial<Questions[number]> = {}): Questions[number] => ({
  questionText: 'New',
  metadata: { integer },
  ...more,
});

describe('an integer that is neither true, false nor null', () => {
  it.each(FAULTY)('is refused where a question is created: %j', (integer) => {
    const sent = { ...asked(integer), responseType: 'TEXT' };
    sending('AddQuestion', { formId: FORM_ID, ...asked(integer), questionText: '' }).isRefusedFor(
      '/questionText blank',
      '/metadata/integer invalid_type',
    );
    const content = { institutionId: questionId(1), name: 'New', questions: [sent, sent], scoreRanges: [] };
    sending('CreateQuestionnaire', content).isRefusedFor(
      '/questions/0/metadata/integer invalid_type',
      '/questions/1/metadata/integer invalid_type',
    );
  });

  it.each(FAULTY)('is refused where a question is replaced or revised: %j', (integer) => {
    const before = formWith([question(1, { metadata: { integer: 'yes' } }), question(2)]);
    given(created, before)
      .when(replace([asked(true), asked(integer, { id: questionId(1) })]))
      .thenRefuses('fields-refused', fault('questions', 1));
    for (const questionNumber of [1, 2]) {
      given(created, before)
        .when({ type: 'ReviseQuestion', data: { questionId: questionId(questionNumber), metadata: { integer } } })
        .thenRefuses('fields-refused', fault());
    }
  });

  it.each(FAULTY)('is refused in a form that is not stored: %j', (integer) => {
    const sent = formCommands.ReplaceQuestionnaire.parse(replace([asked(integer)]).data);
    expect(() => sentForm(sent, noContent)).toThrow(expect.objectContaining({ details: fault('questions', 0) }));
  });

  it.each(FAULTY)('may stay as it was recorded, and means nothing: %j', (integer) => {
    const metadata = { integer, hint: 'old' };
    const before = formWith([
      question(1, { metadata, questionText: 'Same' }),
      question(2, { metadata }),
      question(3, { metadata, copiedFrom: questionId(9) }),
    ]);
    const metadataAfter = (...commands: readonly ProtocolCommand[]) => {
      let found: unknown;
      given(created, before)
        .when(...commands)
        .thenState((state) => {
          found = formIn(state).questions.map((each) => each.metadata);
        });
      return found;
    };
    const kept = { integer, hint: 'new' };
    const [byText, byPosition, byOriginal] = [
      asked(undefined, { questionText: 'Same', metadata: kept, position: 7 }),
      asked(undefined, { metadata: kept, position: 2 }),
      asked(undefined, { id: questionId(9), metadata: kept, position: 8 }),
    ];
    expect(metadataAfter(replace([byText, byPosition, byOriginal]))).toEqual([kept, kept, kept]);
    const revise = (changes: object): ProtocolCommand => ({
      type: 'ReviseQuestion',
      data: { questionId: questionId(1), ...changes },
    });
    expect(metadataAfter(revise({ questionText: 'Other' }), revise({ metadata: kept }))).toEqual([
      kept,
      metadata,
      metadata,
    ]);
    given(created, before)
      .when(replace([{ ...byPosition, position: 12 }]))
      .thenRefuses('fields-refused', fault('questions', 0));
  });
});

it.each(FINE)('an integer may be %j, with all other rules of metadata', (integer) => {
  expect(NewMetadata.parse({ integer, other: 1 })).toEqual({ integer, other: 1 });
  expect(SentMetadata.parse({ integer })).toEqual({ integer });
  for (const schema of [NewMetadata, SentMetadata]) {
    const { error } = schema.safeParse({
      integer,
      minValue: 2,
      maxValue: 1,
      minLength: 2,
      maxLength: 1,
      dateFormat: '',
    });
    expect(error?.issues).toHaveLength(3);
  }
  const replaced = given(created, formWith([question(1)])).when(replace([asked(integer)]));
  replaced.thenState((state) => expect(formIn(state).questions[0]?.metadata).toEqual({ integer }));
});
