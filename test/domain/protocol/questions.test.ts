import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { RESPONSE_TYPES } from '../../../src/domain/protocol/response-type.js';
import { EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  fieldsIn,
  formIn,
  formWith,
  moves,
  option,
  question,
  questionId,
  select,
  TYPES_WITHOUT_OPTIONS,
  UNKNOWN_ID,
  upTo,
} from '../support/protocol-samples.js';

const { given, sending } = specification(protocol);
const empty = formWith([]);
const three = formWith([question(1), question(2), question(3)]);

const added = (changes: Partial<ReturnType<typeof question>>, moved: ReturnType<typeof moves> = []) =>
  ({
    type: 'ProtocolQuestionAdded',
    data: { formId: FORM_ID, question: question(1, { id: uuidOf(1), questionText: 'New', ...changes }), moved },
  }) as const;

const add = (fields: object = {}) =>
  ({ type: 'AddQuestion', data: { formId: FORM_ID, questionText: 'New', ...fields } }) as const;

describe('a question that is added', () => {
  it('gets defaults for omitted fields: no metadata, optional, weight 1, an inferred TEXT', () =>
    given(created, empty)
      .when(add())
      .then(added({ position: 1, responseTypeInferred: true })));
  it('has the content that was sent', () => {
    const changes = { metadata: { hint: { de: '…' } }, required: true, weight: -0.5, position: 0 };
    given(created, empty)
      .when(add({ responseType: 'TEXT', ...changes }))
      .then(added(changes));
  });
  it('appears in its form without options, dated now', () => {
    const { responseTypeInferred: _, ...content } = question(4, { id: uuidOf(1), questionText: 'New' });
    given(created, empty)
      .when(add({ position: 4 }))
      .thenState((state) =>
        expect(formIn(state).questions).toStrictEqual([
          { ...content, protocolFormId: FORM_ID, createdAt: NOW, updatedAt: NOW },
        ]),
      );
  });
  it('updates its form, not the protocol', () =>
    given(created, empty)
      .when(add())
      .thenState((state) => {
        expect(formIn(state)).toMatchObject({ createdAt: EARLIER, updatedAt: NOW });
        expect(fieldsIn(state)).toMatchObject({ updatedAt: EARLIER });
      }));

  it.each(RESPONSE_TYPES)('keeps the type that it is sent with: %s', (responseType) =>
    given(created, empty).when(add({ responseType })).then(added({ responseType })),
  );
  it('is of an inferred type if none is sent', () =>
    given(created, empty)
      .when(add({ metadata: { minValue: 0 } }))
      .then(added({ responseType: 'NUMBER', responseTypeInferred: true, metadata: { minValue: 0 } })));
  it('records which questions its position moves', () =>
    given(created, three)
      .when(add({ responseType: 'TEXT', position: 2 }))
      .then(added({ position: 2 }, moves([questionId(2), 3], [questionId(3), 4]))));

  it('is refused above the limit of 500', () => {
    given(created, formWith(upTo(500).map((n) => question(n))))
      .when(add({ position: 1 }))
      .thenRefuses('too-many-questions', { limit: 500 });
    given(created, formWith(upTo(499).map((n) => question(n))))
      .when(add({ position: 1 }))
      .thenState((state) => expect(formIn(state).questions).toHaveLength(500));
  });
  it('is refused if the protocol has no such form', () =>
    given(created, empty)
      .when(add({ formId: UNKNOWN_ID }))
      .thenRefuses('form-not-found', { formId: UNKNOWN_ID }));
});

describe('the bounds of a question', () => {
  const errors = ['minValue', 'maxValue'].map((name) => ({
    path: ['metadata', name],
    code: 'invalid-type' as const,
    message: expect.any(String),
  }));
  const metadata = { minValue: '2026-01-31', maxValue: '2026-02-01' };

  it('are refused if its type does not take them', () => {
    given(created, empty)
      .when(add({ responseType: 'NUMBER', metadata }))
      .thenRefuses('fields-refused', { errors });
    given(created, formWith([question(2, { responseType: 'DATE', metadata })]))
      .when({ type: 'ReviseQuestion', data: { questionId: questionId(2), responseType: 'NUMBER' } })
      .thenRefuses('fields-refused', { errors });
  });
});

describe('the fields of a question', () => {
  const sent = { formId: FORM_ID, questionText: 'New' };

  it('report all their faults together', () =>
    sending('AddQuestion', {
      formId: 'x',
      questionText: '',
      responseType: 'COLOR',
      metadata: { minValue: 2, maxValue: 1, minLength: 5, maxLength: 4, dateFormat: '' },
      required: 'yes',
      weight: Number.POSITIVE_INFINITY,
      position: 1_000_000_001,
    }).isRefusedFor(
      '/formId invalid_format',
      '/questionText blank',
      '/responseType invalid_value',
      '/metadata inverted',
      '/metadata inverted',
      '/metadata/dateFormat too_small',
      '/required invalid_type',
      '/weight invalid_type',
      '/position too_big',
    ));
  it('allow a text of at most 10 000 characters', () => {
    sending('AddQuestion', { ...sent, questionText: 'q'.repeat(10_000) }).isAccepted();
    sending('AddQuestion', { ...sent, questionText: 'q'.repeat(10_001) }).isRefusedFor('/questionText too_big');
  });
  it('keep unknown keys of metadata, even with dots and dollar signs', () => {
    const metadata = { 'a.b': { $set: [1, null] }, $where: 'x', constructor: 1 };
    sending('AddQuestion', { ...sent, metadata }).isParsedAs({ ...sent, metadata, required: false, weight: 1 });
  });
});

describe('a question that is revised', () => {
  const revised = (changes: Partial<ReturnType<typeof question>>, moved: ReturnType<typeof moves> = []) => {
    const { options: _, ...content } = question(2, changes);
    return { type: 'ProtocolQuestionRevised', data: { formId: FORM_ID, question: content, moved } } as const;
  };
  const revise = (fields: object) =>
    ({ type: 'ReviseQuestion', data: { questionId: questionId(2), ...fields } }) as const;

  it.each([
    { questionText: 'Where?' },
    { responseType: 'DATE' as const },
    { metadata: { maxLength: 9 } },
    { required: true },
    { weight: 0 },
    { position: 9 },
  ])('changes only the fields that are sent: %o', (changes) =>
    given(created, three).when(revise(changes)).then(revised(changes)),
  );

  it('records nothing if nothing changes', () => {
    const form = formWith([question(2, { metadata: { minLength: 1, maxLength: 2 } })]);
    given(created, form).when(revise({})).then();
    const { id: _, copiedFrom, responseTypeInferred, options, ...fields } = question(2);
    given(created, form)
      .when(revise({ ...fields, metadata: { maxLength: 2, minLength: 1 } }))
      .then();
  });
  it('has its metadata replaced, not merged', () =>
    given(created, formWith([question(2, { metadata: { minLength: 1, hint: 'a' } })]))
      .when(revise({ metadata: { hint: 'b' } }))
      .then(revised({ metadata: { hint: 'b' } })));
  it('keeps its createdAt and its options, and is updated together with its form', () =>
    given(created, formWith([select(2, [option(1)])]))
      .when(revise({ weight: 2 }))
      .thenState((state) => {
        expect(formIn(state)).toMatchObject({ createdAt: EARLIER, updatedAt: NOW });
        expect(formIn(state).questions).toMatchObject([
          { weight: 2, createdAt: EARLIER, updatedAt: NOW, options: [{ id: option(1).id, updatedAt: EARLIER }] },
        ]);
        expect(formIn(state).questions[0]).not.toHaveProperty('responseTypeInferred');
      }));

  it('records which questions its position moves, and moves none if it keeps its position', () => {
    given(created, three)
      .when(revise({ position: 1 }))
      .then(revised({ position: 1 }, moves([questionId(1), 2])));
    given(created, three)
      .when(revise({ position: 2, required: true }))
      .then(revised({ required: true }));
  });

  it('keeps its copiedFrom, and its inferred type when its metadata changes', () => {
    const inferred = { responseTypeInferred: true, copiedFrom: questionId(9) };
    given(created, formWith([question(2, inferred)]))
      .when(revise({ metadata: { minValue: 1 } }))
      .then(revised({ ...inferred, metadata: { minValue: 1 } }));
  });
  it('no longer counts its type as inferred once a type is sent, even the same type', () => {
    for (const responseType of RESPONSE_TYPES) {
      given(created, formWith([question(2, { responseTypeInferred: true })]))
        .when(revise({ responseType }))
        .then(revised({ responseType }));
    }
  });
  it('may change between the types that take options', () =>
    given(created, formWith([select(2, [option(1)])]))
      .when(revise({ responseType: 'MULTIPLE_SELECT' }))
      .then(revised({ responseType: 'MULTIPLE_SELECT' })));
  it.each(TYPES_WITHOUT_OPTIONS)('with options cannot become a %s', (responseType) =>
    given(created, formWith([select(2, [option(1)])]))
      .when(revise({ responseType }))
      .thenRefuses('options-not-taken', { questionId: questionId(2), responseType }),
  );
  it('without options may become any type', () =>
    given(created, formWith([select(2, [])]))
      .when(revise({ responseType: 'DATE' }))
      .then(revised({ responseType: 'DATE' })));

  it.each([UNKNOWN_ID, option(1).id])('is refused if the protocol has no such question: %s', (questionId) =>
    given(created, formWith([select(2, [option(1)])]))
      .when({ type: 'ReviseQuestion', data: { questionId } })
      .thenRefuses('question-not-found', { questionId }),
  );
  it('is refused after a replacement removed the question', () =>
    given(created, three)
      .when(
        {
          type: 'ReplaceQuestionnaire',
          data: { formId: FORM_ID, questions: [{ questionText: 'Q' }], scoreRanges: [] },
        },
        revise({ weight: 2 }),
      )
      .thenRefuses('question-not-found', { questionId: questionId(2) }));
  it('refuses fields of the wrong type, and null where it is not allowed', () =>
    sending('ReviseQuestion', { questionId: 1, questionText: null, metadata: [], required: null }).isRefusedFor(
      '/questionId invalid_type',
      '/questionText invalid_type',
      '/metadata invalid_type',
      '/required invalid_type',
    ));
  it('refuses bounds in the wrong order', () =>
    sending('ReviseQuestion', { questionId: questionId(1), metadata: { minValue: 2, maxValue: 1 } }).isRefusedFor(
      '/metadata inverted',
    ));
});
