// The life of a form and of its protocol: what publishing, retiring, archiving, deleting and copying leave behind.
import { describe, expect, it } from 'vitest';
import { copyOfProtocol } from '../../../src/domain/protocol/copies.js';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { active, currentFormOf, formOfVersion, latestFormOf, originIn } from '../../../src/domain/protocol/fold.js';
import { formLimits } from '../../../src/domain/protocol/schemas.js';
import { AGGREGATE_ID, countingIds, EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import { folded } from '../support/play.js';
import {
  archived,
  created,
  FORM_ID,
  fieldsIn,
  formIn,
  formWith,
  option,
  optionId,
  type ProtocolEvent,
  published,
  question,
  questionId,
  range,
  rangeId,
  retired,
  select,
  UNKNOWN_ID,
  upTo,
} from '../support/protocol-samples.js';

const { given, sending } = specification(protocol);
const SECOND_ID = uuidOf(0xc02);
const draft = formWith([select(1, [option(1), option(2), option(3)]), question(2), question(3)], {
  scoreRanges: [range(1, 0, 5)],
});
const second = formWith([], { formId: SECOND_ID, version: 2, copiedFrom: FORM_ID });
const publishedSecond: ProtocolEvent = { type: 'ProtocolFormPublished', data: { formId: SECOND_ID, reason: null } };
const publish = { type: 'PublishForm', data: { formId: FORM_ID } } as const;
const retire = { type: 'RetireForm', data: { formId: FORM_ID } } as const;
const archive = { type: 'ArchiveProtocol', data: {} } as const;
const restore = { type: 'RestoreProtocol', data: {} } as const;

describe('the status of a form', () => {
  it('is DRAFT when the form is created, whatever the status of its original', () =>
    given(created, draft, published)
      .when({ type: 'CreateFormVersion', data: {} })
      .thenState((state) => expect(latestFormOf(state)).toMatchObject({ version: 2, status: 'DRAFT' })));

  it('is recorded with a reason, and changes only the status and the date of the form', () => {
    const data = { formId: FORM_ID, reason: 'The committee agreed.' };
    const before = formIn(given(created, draft).state());
    const after = given(created, draft).when({ type: 'PublishForm', data });
    after.then({ type: 'ProtocolFormPublished', data });
    const undecided = { ...data, undecided: true } as const;
    given(created, draft)
      .when({ type: 'PublishForm', data: undecided })
      .then({ type: 'ProtocolFormPublished', data: undecided });
    after.thenState((state) => {
      expect(formIn(state)).toStrictEqual({ ...before, status: 'PUBLISHED', updatedAt: NOW });
      expect(fieldsIn(state)).toMatchObject({ updatedAt: EARLIER });
    });
    given(created, draft, published).when({ type: 'RetireForm', data }).then({ type: 'ProtocolFormRetired', data });
  });

  it('leaves other versions as they are', () =>
    given(created, draft, second, published, publishedSecond)
      .when(retire)
      .thenState((state) => {
        expect([1, 2].map((version) => formOfVersion(state, version).status)).toEqual(['RETIRED', 'PUBLISHED']);
      }));

  it('refuses changes unless it is DRAFT, and names the form', () => {
    const change = { type: 'AddQuestion', data: { formId: FORM_ID, questionText: 'New' } } as const;
    given(created, draft, published).when(change).thenRefuses('form-published', { formId: FORM_ID });
    for (const command of [change, publish]) {
      given(created, draft, retired).when(command).thenRefuses('form-retired', { formId: FORM_ID });
    }
  });

  it.each([
    ['a blank reason', { reason: '\u200b' }, '/reason blank'],
    ['a reason above 2,000 characters', { reason: 'x'.repeat(2_001) }, '/reason too_big'],
  ])('is not changed with %s', (_, sent, fault) =>
    sending('PublishForm', { formId: FORM_ID, ...sent }).isRefusedFor(fault),
  );
});

describe('the current form', () => {
  const current = (...events: readonly ProtocolEvent[]) => {
    const state = folded(protocol, events);
    return () => currentFormOf(state).id;
  };

  it('is the published form with the highest version', () => {
    expect(current(created, draft, second, published)()).toBe(FORM_ID);
    expect(current(created, draft, second, publishedSecond, published)()).toBe(SECOND_ID);
  });

  it('is the older published form after the newer one is retired, and none after that', () => {
    const retiredSecond: ProtocolEvent = { type: 'ProtocolFormRetired', data: { formId: SECOND_ID, reason: null } };
    const events = [created, draft, second, published, publishedSecond, retiredSecond];
    expect(current(...events)()).toBe(FORM_ID);
    expect(current(...events, retired)).toThrow(expect.objectContaining({ code: 'no-published-form' }));
  });

  it('does not exist without a published form', () => {
    for (const events of [[created], [created, draft]]) {
      expect(current(...events)).toThrow(expect.objectContaining({ code: 'no-published-form' }));
    }
    expect(current()).toThrow(expect.objectContaining({ code: 'protocol-not-found' }));
  });
});

describe('a deletion', () => {
  it('of a question removes it and its options, and leaves the positions of others', () => {
    const after = given(created, draft).when({ type: 'RemoveQuestion', data: { questionId: questionId(1) } });
    after.then({ type: 'ProtocolQuestionRemoved', data: { formId: FORM_ID, questionId: questionId(1) } });
    after.thenState((state) => {
      expect(formIn(state)).toMatchObject({ updatedAt: NOW, questions: [{ position: 2 }, { position: 3 }] });
    });
    given(created, draft)
      .when(
        { type: 'RemoveQuestion', data: { questionId: questionId(1) } },
        { type: 'ReviseOption', data: { optionId: optionId(1), score: 9 } },
      )
      .thenRefuses('option-not-found', { optionId: optionId(1) });
  });

  it('of an option leaves its question, whose date changes', () => {
    const after = given(created, draft).when({ type: 'RemoveOption', data: { optionId: optionId(2) } });
    const data = { formId: FORM_ID, questionId: questionId(1), optionId: optionId(2) };
    after.then({ type: 'ProtocolOptionRemoved', data });
    after.thenState((state) => {
      const [changed, other] = formIn(state).questions;
      expect(changed).toMatchObject({ updatedAt: NOW, options: [{ position: 1 }, { position: 3 }] });
      expect(other).toMatchObject({ updatedAt: EARLIER });
    });
  });

  it('may take the last question and the last option', () => {
    given(created, formWith([select(1, [option(1)])]))
      .when(
        { type: 'RemoveOption', data: { optionId: optionId(1) } },
        { type: 'RemoveQuestion', data: { questionId: questionId(1) } },
      )
      .thenState((state) => expect(formIn(state).questions).toEqual([]));
  });

  it('is final: the id is not found again, and in a replacement it is the id of nothing', () => {
    const remove = { type: 'RemoveQuestion', data: { questionId: questionId(2) } } as const;
    given(created, draft)
      .when(remove, remove)
      .thenRefuses('question-not-found', { questionId: questionId(2) });
    const questions = [{ id: questionId(2), questionText: 'Question 2' }];
    given(created, draft)
      .when(remove, { type: 'ReplaceQuestionnaire', data: { formId: FORM_ID, questions, scoreRanges: [] } })
      .thenState((state) => expect(formIn(state).questions).toMatchObject([{ id: uuidOf(1), copiedFrom: null }]));
  });

  it('keeps the origin of what is deleted', () =>
    given(created, draft)
      .when(
        { type: 'CreateFormVersion', data: {} },
        { type: 'RemoveQuestion', data: { questionId: questionId(1) } },
        { type: 'CreateFormVersion', data: {} },
      )
      .thenState((state) => {
        const [first] = formOfVersion(state, 3).questions;
        expect(originIn(active(state), first?.id ?? '')).toBe(questionId(1));
      }));
});

describe('a version', () => {
  it('can be made from any form of the protocol', () =>
    given(created, draft, second)
      .when({ type: 'CreateFormVersion', data: { fromFormId: FORM_ID } })
      .thenState((state) => {
        const copy = formOfVersion(state, 3);
        expect(copy).toMatchObject({ version: 3, copiedFrom: FORM_ID, status: 'DRAFT' });
        expect(copy.questions.map(({ copiedFrom }) => copiedFrom)).toEqual([1, 2, 3].map(questionId));
      }));

  it('cannot be made from a form of another protocol, and says which field names it', () =>
    given(created, draft)
      .when({ type: 'CreateFormVersion', data: { fromFormId: UNKNOWN_ID } })
      .thenRefuses('fields-refused', {
        errors: [expect.objectContaining({ path: ['fromFormId'], code: 'not-found' })],
      }));

  it('is made from the newest form by default', () =>
    given(created, draft, second)
      .when({ type: 'CreateFormVersion', data: {} })
      .thenState((state) => expect(latestFormOf(state)).toMatchObject({ version: 3, copiedFrom: SECOND_ID })));
});

describe('an archived protocol', () => {
  it('is marked until it is restored', () => {
    const data = { reason: 'Nobody uses it.' };
    const after = given(created, draft).when({ type: 'ArchiveProtocol', data });
    after.then({ type: 'ProtocolArchived', data });
    after.thenState((state) => expect(fieldsIn(state)).toMatchObject({ archived: true, updatedAt: NOW }));
    given(created, draft, archived).when({ type: 'RestoreProtocol', data }).then({ type: 'ProtocolRestored', data });
    given(created, draft)
      .when(archive, archive, restore, restore)
      .thenState((state) => {
        expect(fieldsIn(state)).toStrictEqual({
          ...fieldsIn(folded(protocol, [created])),
          createdAt: EARLIER,
          updatedAt: NOW,
        });
      });
  });

  it('keeps the status of its forms, and its forms can be changed again after it is restored', () =>
    given(created, draft, second, published, archived)
      .when(restore, publish, { type: 'AddQuestion', data: { formId: SECOND_ID, questionText: 'New' } })
      .thenState((state) => {
        expect([formIn(state).status, formOfVersion(state, 2).questions.length]).toEqual(['PUBLISHED', 1]);
      }));
});

describe('a copy of a protocol', () => {
  const original = folded(protocol, [created, draft, second, published, archived]);
  const institutionId = uuidOf(0xb02);
  const copyOf = (sent: object) => copyOfProtocol(original, { institutionId, ...sent }, countingIds());

  it('has the name and the prompt of the original, and its newest form', () => {
    const { form, ...fields } = copyOf({});
    expect(fields).toEqual({ institutionId, name: 'Chest pain', prompt: 'Ask calmly.' });
    expect(form).toMatchObject({ version: 1, copiedFrom: SECOND_ID, questions: [] });
  });

  it('has the requested name and form, as a draft of version 1 whose items name their originals', () => {
    const data = copyOf({ name: 'Copy', formId: FORM_ID });
    given()
      .when({ type: 'CopyProtocol', data })
      .thenState((state) => {
        expect(fieldsIn(state)).toEqual({
          ...{ id: AGGREGATE_ID, institutionId, name: 'Copy', prompt: 'Ask calmly.', createdAt: NOW, updatedAt: NOW },
        });
        const form = formOfVersion(state, 1);
        expect(form).toMatchObject({ version: 1, status: 'DRAFT', copiedFrom: FORM_ID });
        expect(form.questions.map(({ copiedFrom }) => copiedFrom)).toEqual([1, 2, 3].map(questionId));
        expect(form.questions[0]?.options.map(({ copiedFrom }) => copiedFrom)).toEqual([1, 2, 3].map(optionId));
        expect(form.scoreRanges.map(({ copiedFrom }) => copiedFrom)).toEqual([rangeId(1)]);
        // Origins never leave the protocol.
        for (const { id } of form.questions) expect(originIn(active(state), id)).toBe(id);
      });
  });

  it('of a protocol without a form has an empty form', () => {
    const data = copyOfProtocol(folded(protocol, [created]), { institutionId }, countingIds());
    expect(data.form).toMatchObject({ version: 1, copiedFrom: null, questions: [], scoreRanges: [] });
  });

  it('is refused for a form of another protocol, and for an unknown protocol', () => {
    expect(() => copyOf({ formId: UNKNOWN_ID })).toThrow(
      expect.objectContaining({
        code: 'fields-refused',
        details: { errors: [expect.objectContaining({ path: ['formId'] })] },
      }),
    );
    expect(() => copyOfProtocol({ status: 'unknown' }, { institutionId }, countingIds())).toThrow(
      expect.objectContaining({ code: 'protocol-not-found' }),
    );
  });
});

describe('the limits of a form', () => {
  const full = formWith(upTo(formLimits.questions).map((n) => question(n)));
  const options = upTo(formLimits.options).map((n) => option(n));

  it('hold for a version and for a copy', () => {
    const addTo = (formId: string) => ({ type: 'AddQuestion', data: { formId, questionText: 'New' } }) as const;
    given(created, full)
      .when({ type: 'CreateFormVersion', data: {} }, addTo(uuidOf(formLimits.questions + 1)))
      .thenRefuses('too-many-questions', { limit: formLimits.questions });
    const copy = copyOfProtocol(folded(protocol, [created, full]), { institutionId: uuidOf(1) }, countingIds());
    given()
      .when({ type: 'CopyProtocol', data: copy }, addTo(copy.form.formId))
      .thenRefuses('too-many-questions', { limit: formLimits.questions });
  });

  it('hold for the options of a copy', () => {
    const wide = folded(protocol, [created, formWith([select(1, options)])]);
    const { form, ...data } = copyOfProtocol(wide, { institutionId: uuidOf(1) }, countingIds());
    const question = form.questions[0]?.id ?? '';
    given()
      .when(
        { type: 'CopyProtocol', data: { ...data, form } },
        { type: 'AddOption', data: { questionId: question, optionText: 'New', score: 0 } },
      )
      .thenRefuses('too-many-options', { limit: formLimits.options });
  });

  it('refuse a copy of a form that was recorded above the limit of bytes', () => {
    const large = formWith(upTo(100).map((n) => question(n, { questionText: 'x'.repeat(10_000) })));
    const copy = copyOfProtocol(folded(protocol, [created, large]), { institutionId: uuidOf(1) }, countingIds());
    given().when({ type: 'CopyProtocol', data: copy }).thenRefuses('form-too-large');
    given(created, large).when({ type: 'CreateFormVersion', data: {} }).thenRefuses('form-too-large');
    given(created, large)
      .when({ type: 'RemoveQuestion', data: { questionId: questionId(1) } })
      .thenState((state) => expect(formIn(state).questions).toHaveLength(99));
  });
});
