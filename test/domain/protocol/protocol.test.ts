import { describe, expect, it } from 'vitest';
import { fold } from '../../../src/domain/decider.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { evolveProtocolFields, formOfVersion, latestFormOf } from '../../../src/domain/protocol/fold.js';
import { AGGREGATE_ID, EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  fieldsIn,
  formIn,
  formWith,
  INSTITUTION_ID,
  option,
  optionId,
  type ProtocolCommand,
  question,
  questionId,
  range,
  rangeId,
  select,
  UNKNOWN_ID,
} from '../support/protocol-samples.js';

const { given, sending } = specification(protocol);

describe('a protocol, when it is created', () => {
  const command = { institutionId: INSTITUTION_ID, name: 'Chest pain', prompt: 'Ask calmly.' };

  it('has the content that was sent, the id of its stream and no form yet, and is dated now', () => {
    given().when({ type: 'CreateProtocol', data: command }).then(created);
    given()
      .when({ type: 'CreateProtocol', data: command })
      .thenState((state) => {
        expect(state).toMatchObject({ status: 'active', versions: [] });
        expect(fieldsIn(state)).toStrictEqual({ id: AGGREGATE_ID, ...command, createdAt: NOW, updatedAt: NOW });
      });
  });
  it('has no prompt if none is sent', () => {
    const { prompt: _, ...without } = command;
    given()
      .when({ type: 'CreateProtocol', data: without })
      .then({ type: 'ProtocolCreated', data: { ...without, prompt: null } });
  });
  it('is folded in the same way for decisions and for reads', () => {
    const on = { id: AGGREGATE_ID, at: NOW };
    given()
      .when({ type: 'CreateProtocol', data: command })
      .thenState((state) =>
        expect(evolveProtocolFields.ProtocolCreated(undefined, command, on)).toStrictEqual(fieldsIn(state)),
      );
  });
  it('reports all missing and invalid fields at once', () =>
    sending('CreateProtocol', { institutionId: 'here', prompt: 1 }).isRefusedFor(
      '/institutionId invalid_format',
      '/name invalid_type',
      '/prompt invalid_type',
    ));
  it('requires a name with visible characters', () =>
    sending('CreateProtocol', { ...command, name: '\u200b \t' }).isRefusedFor('/name control-character'));
  it('allows a name of at most 500 characters and a prompt of at most 100 000', () => {
    sending('CreateProtocol', { ...command, name: 'n'.repeat(500), prompt: 'p'.repeat(100_000) }).isAccepted();
    sending('CreateProtocol', { ...command, name: 'n'.repeat(501), prompt: 'p'.repeat(100_001) }).isRefusedFor(
      '/name too_big',
      '/prompt too_big',
    );
  });
  it('ignores unknown fields, and converts its institution to lower case', () => {
    const institutionId = uuidOf(0xabc);
    const sent = { ...command, id: 'mine', color: 'red', institutionId: institutionId.toUpperCase() };
    sending('CreateProtocol', sent).isParsedAs({ ...command, institutionId });
  });
});

describe('a protocol, when it is revised', () => {
  it.each([
    { name: 'Chest pain in adults' },
    { prompt: null },
    { name: ' Dor \u006f\u0303 👩🏽\u200d⚕️\u00a0', prompt: '' },
  ])('changes only the fields that are sent, code point for code point: %o', (data) =>
    given(created)
      .when({ type: 'ReviseProtocol', data })
      .then({ type: 'ProtocolRevised', data: { name: 'Chest pain', prompt: 'Ask calmly.', ...data } }),
  );
  it('records nothing if nothing changes', () => {
    given(created).when({ type: 'ReviseProtocol', data: {} }).then();
    given(created)
      .when({ type: 'ReviseProtocol', data: { name: 'Chest pain', prompt: 'Ask calmly.' } })
      .then();
  });
  it('keeps its createdAt and changes its updatedAt', () =>
    given(created)
      .when({ type: 'ReviseProtocol', data: { name: 'Angina' } })
      .thenState((state) =>
        expect(fieldsIn(state)).toMatchObject({ name: 'Angina', createdAt: EARLIER, updatedAt: NOW }),
      ));
  it('refuses a name that is null or blank', () => {
    sending('ReviseProtocol', { name: null }).isRefusedFor('/name invalid_type');
    sending('ReviseProtocol', { name: '\u2060' }).isRefusedFor('/name control-character');
  });
  it('cannot be moved to another institution', () =>
    sending('ReviseProtocol', { institutionId: UNKNOWN_ID }).isParsedAs({}));
});

describe('form versions', () => {
  const copy: ProtocolCommand = { type: 'CreateFormVersion', data: {} };

  it('begin with an empty version 1 and are numbered consecutively, each a copy of the latest', () =>
    given(created)
      .when(copy, copy, copy)
      .then(
        formWith([], { formId: uuidOf(1), version: 1 }),
        formWith([], { formId: uuidOf(2), version: 2, copiedFrom: uuidOf(1) }),
        formWith([], { formId: uuidOf(3), version: 3, copiedFrom: uuidOf(2) }),
      ));

  const first = formWith(
    [
      select(1, [option(1), option(4, { score: -2.5 })]),
      question(7, { responseType: 'NUMBER', responseTypeInferred: true, metadata: { minValue: 0 }, weight: 2.5 }),
    ],
    { scoreRanges: [range(1, 0, 5), range(2, 6, 9.5)] },
  );

  it('copy questions, options and score ranges under new ids and name the originals', () =>
    given(created, first)
      .when(copy)
      .then(
        formWith(
          [
            {
              ...select(1, [
                option(1, { id: uuidOf(2), copiedFrom: optionId(1) }),
                option(4, { id: uuidOf(3), copiedFrom: optionId(4), score: -2.5 }),
              ]),
              id: uuidOf(1),
              copiedFrom: questionId(1),
            },
            {
              ...question(7, { responseType: 'NUMBER', metadata: { minValue: 0 }, weight: 2.5 }),
              responseTypeInferred: true,
              id: uuidOf(4),
              copiedFrom: questionId(7),
            },
          ],
          {
            formId: uuidOf(7),
            version: 2,
            copiedFrom: FORM_ID,
            scoreRanges: [
              { ...range(1, 0, 5), id: uuidOf(5), copiedFrom: rangeId(1) },
              { ...range(2, 6, 9.5), id: uuidOf(6), copiedFrom: rangeId(2) },
            ],
          },
        ),
      ));
  it('are found by their number, whichever version they were copied from', () => {
    const versions = [2, 3, 4].map((version) =>
      formWith([], { formId: uuidOf(version), version, copiedFrom: FORM_ID }),
    );
    const state = given(created, first, ...versions).state();
    expect(formOfVersion(state, 1)).toBe(formIn(state));
    for (const version of [2, 3, 4]) expect(formOfVersion(state, version)).toBe(formIn(state, uuidOf(version)));
    expect(latestFormOf(state)).toBe(formIn(state, uuidOf(4)));
    for (const version of [0, 5]) {
      const refusal = expect.objectContaining({ code: 'form-not-found', details: { version } });
      expect(() => formOfVersion(state, version)).toThrow(refusal);
    }
  });
  it('leave the previous version unchanged', () =>
    given(created, first)
      .when(copy, { type: 'ReviseQuestion', data: { questionId: uuidOf(1), questionText: 'New' } })
      .thenState((state) => {
        expect(formIn(state).questions[0]).toMatchObject({ questionText: 'Question 1', updatedAt: EARLIER });
        expect(formIn(state)).toMatchObject({ version: 1, updatedAt: EARLIER });
        expect(formIn(state, uuidOf(7)).questions[0]).toMatchObject({ questionText: 'New', copiedFrom: questionId(1) });
      }));
  it('give their copies new dates', () =>
    given(created, first)
      .when(copy)
      .thenState((state) => {
        const { questions, scoreRanges, ...form } = formIn(state, uuidOf(7));
        const items = [form, ...questions, ...questions.flatMap(({ options }) => options), ...scoreRanges];
        expect(items).toHaveLength(7);
        for (const item of items) expect(item).toMatchObject({ createdAt: NOW, updatedAt: NOW });
      }));
  it('keep whether the type of a question was inferred', () =>
    given(created, formWith([question(1, { responseTypeInferred: true })]))
      .when(copy, { type: 'AddOption', data: { questionId: uuidOf(1), optionText: 'Yes', score: 1 } })
      .thenState((state) => expect(formIn(state, uuidOf(2)).questions[0]).toMatchObject({ responseType: 'SELECT' })));
  it('can still be changed when they are not the latest', () =>
    given(created, formWith([question(1)]), formWith([], { formId: uuidOf(0xc02), version: 2, copiedFrom: FORM_ID }))
      .when({ type: 'ReviseQuestion', data: { questionId: questionId(1), weight: 3 } })
      .thenState((state) => expect(formIn(state).questions[0]).toMatchObject({ weight: 3 })));
  it('do not change the updatedAt of the protocol', () =>
    given(created)
      .when(copy)
      .thenState((state) => expect(fieldsIn(state)).toMatchObject({ updatedAt: EARLIER })));
});

describe('a protocol that was never created', () => {
  const later: readonly ProtocolCommand[] = [
    { type: 'ReviseProtocol', data: { name: 'Angina' } },
    { type: 'ReplaceQuestionnaire', data: { formId: FORM_ID, questions: [{ questionText: 'Q' }], scoreRanges: [] } },
    { type: 'CreateFormVersion', data: {} },
    { type: 'AddQuestion', data: { formId: FORM_ID, questionText: 'Q' } },
    { type: 'ReviseQuestion', data: { questionId: questionId(1) } },
    { type: 'AddOption', data: { questionId: questionId(1), optionText: 'O', score: 1 } },
    { type: 'ReviseOption', data: { optionId: optionId(1) } },
  ];
  it.each(later)('refuses $type', (command) => given().when(command).thenRefuses('protocol-not-found', {}));
  it('has no fields, whatever changes them', () => {
    const on = { id: AGGREGATE_ID, at: NOW };
    const changed = { name: 'Angina', prompt: null };
    expect(evolveProtocolFields.ProtocolRevised(undefined, changed, on)).toBeUndefined();
    const replaced = { formId: FORM_ID, ...changed, questions: [], scoreRanges: [] };
    expect(evolveProtocolFields.ProtocolQuestionnaireReplaced(undefined, replaced, on)).toBeUndefined();
    expect(evolveProtocolFields.ProtocolArchived(undefined, { reason: null }, on)).toBeUndefined();
    expect(evolveProtocolFields.ProtocolRestored(undefined, { reason: null }, on)).toBeUndefined();
  });
});

describe('an event of an unknown type', () => {
  it.each(['ProtocolForgotten', 'toString', '__proto__'])('changes nothing: %s', (type) =>
    given(created)
      .when({ type: 'CreateFormVersion', data: {} })
      .thenState((state) =>
        expect(fold(protocol, state, { type, data: {} }, { id: AGGREGATE_ID, at: NOW })).toBe(state),
      ),
  );
});
