import { describe, expect, it } from 'vitest';
import { protocolEvents } from '../../src/domain/protocol/state.js';
import { protocols } from '../../src/projections/protocols.js';
import {
  created,
  FORM_ID,
  formWith,
  INSTITUTION_ID,
  option,
  question,
  range,
  select,
} from '../domain/protocol/samples.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';
import { instant, log, recorded } from './recorded.js';
import { folded } from './replay.js';

const documentsAfter = (...events: Parameters<typeof log>[1][]) => folded(protocols, log('protocol', ...events));
const formId = `${AGGREGATE_ID}/${FORM_ID}`;
const added = { type: 'ProtocolQuestionAdded', data: { formId: FORM_ID, question: question(1), moved: [] } };

describe('the read model of protocols', () => {
  it('handles every event of a protocol', () => {
    const handled = new Set(protocols.folded.flatMap(({ when }) => Object.keys(when)));
    expect(handled).toEqual(new Set(Object.keys(protocolEvents)));
    expect(protocols.aggregates).toEqual(['protocol']);
  });

  it('holds a protocol as responses show it, indexed by institution and by comparable name', () => {
    const revised = { type: 'ProtocolRevised', data: { name: 'DOR Torácica', prompt: null } };
    const document = documentsAfter(created, revised).get('protocols')?.get(AGGREGATE_ID);
    expect(document).toEqual({
      document: {
        id: AGGREGATE_ID,
        institutionId: INSTITUTION_ID,
        name: 'DOR Torácica',
        prompt: null,
        createdAt: instant(1),
        updatedAt: instant(2),
      },
      revision: 1,
      position: at(2),
      created: at(1),
    });
    const index = protocols.folded.find(({ name }) => name === 'protocols')?.index(document?.document as never);
    expect(index).toEqual({ institutionId: INSTITUTION_ID, name: 'dor toracica' });
  });

  it('follows the revision of the stream through events of forms, which do not change the protocol', () => {
    const document = documentsAfter(created, formWith([]), added).get('protocols')?.get(AGGREGATE_ID);
    expect(document).toMatchObject({ revision: 2, document: { updatedAt: instant(1) } });
  });

  it('renames a protocol after a replaced questionnaire, and dates it only if it changed', () => {
    const replaced = (name: string) => ({
      type: 'ProtocolQuestionnaireReplaced',
      data: { formId: FORM_ID, name, prompt: 'Ask calmly.', questions: [question(1)], scoreRanges: [] },
    });
    const after = documentsAfter(created, formWith([]), replaced('Chest pain'), replaced('Chest pain, adults'));
    const before = documentsAfter(created, formWith([]), replaced('Chest pain'));
    expect(before.get('protocols')?.get(AGGREGATE_ID)).toMatchObject({
      revision: 2,
      document: { updatedAt: instant(1) },
    });
    expect(after.get('protocols')?.get(AGGREGATE_ID)).toMatchObject({
      document: { name: 'Chest pain, adults', updatedAt: instant(4) },
    });
  });

  it('holds a form with all its content', () => {
    const content = [select(1, [option(1)]), question(2)];
    const scored = { ...formWith(content), data: { ...formWith(content).data, scoreRanges: [range(1, 0, 9)] } };
    const document = documentsAfter(created, scored).get('forms')?.get(formId);
    expect(document).toMatchObject({
      document: {
        id: FORM_ID,
        protocolId: AGGREGATE_ID,
        version: 1,
        questions: [{ position: 1, options: [{ optionText: 'Option 1' }] }, { position: 2 }],
        scoreRanges: [{ classification: 'Class 1' }],
      },
      created: at(2),
    });
    const index = protocols.folded.find(({ name }) => name === 'forms')?.index(document?.document as never);
    expect(index).toEqual({ protocolId: AGGREGATE_ID, version: '1' });
  });

  it('keeps the forms of two protocols apart, even if they have the same id', () => {
    const other = { aggregate: 'protocol', id: uuidOf(0xa98) };
    const events = [
      ...log('protocol', created, formWith([question(1)])),
      recorded(3, created, { ...other, revision: 0 }),
      recorded(4, formWith([question(2)]), { ...other, revision: 1 }),
    ];
    const forms = folded(protocols, events).get('forms');
    expect([...(forms?.keys() ?? [])]).toEqual([formId, `${other.id}/${FORM_ID}`]);
    expect(forms?.get(formId)?.document).toMatchObject({ questions: [{ questionText: 'Question 1' }] });
  });

  it('lists the versions of a form without their content, dated by their last change', () => {
    const versions = documentsAfter(created, formWith([select(1, [option(1)])]), added).get('formVersions');
    expect(versions?.get(formId)?.document).toEqual({
      id: FORM_ID,
      protocolId: AGGREGATE_ID,
      version: 1,
      copiedFrom: null,
      createdAt: instant(2),
      updatedAt: instant(3),
    });
  });

  it('dates a version like its form, after every event', () => {
    const optioned = { formId: FORM_ID, questionId: select(1, []).id, option: option(2), moved: [] };
    const { options: _, ...revisable } = select(1, []);
    const after = documentsAfter(
      created,
      formWith([select(1, [option(1)])]),
      { type: 'ProtocolOptionAdded', data: { ...optioned, responseType: 'SELECT' } },
      { type: 'ProtocolOptionRevised', data: optioned },
      { type: 'ProtocolQuestionRevised', data: { formId: FORM_ID, question: revisable, moved: [] } },
    );
    const [form, version] = ['forms', 'formVersions'].map((name) => after.get(name)?.get(formId));
    expect(version).toMatchObject({ position: at(5), document: { updatedAt: instant(5) } });
    expect(form).toMatchObject({ position: at(5), document: { updatedAt: instant(5) } });
  });

  it('puts questions and options into the order that was recorded', () => {
    const after = documentsAfter(
      created,
      formWith([question(1), select(2, [option(1), option(2)])]),
      {
        type: 'ProtocolQuestionsReordered',
        data: { formId: FORM_ID, questionIds: [question(2).id, question(1).id] },
      },
      {
        type: 'ProtocolOptionsReordered',
        data: { formId: FORM_ID, questionId: question(2).id, optionIds: [option(2).id, option(1).id] },
      },
    );
    expect(after.get('forms')?.get(formId)?.document).toMatchObject({
      updatedAt: instant(4),
      questions: [
        {
          id: question(2).id,
          position: 1,
          updatedAt: instant(4),
          options: [
            { id: option(2).id, position: 1 },
            { id: option(1).id, position: 2 },
          ],
        },
        { id: question(1).id, position: 2, updatedAt: instant(3) },
      ],
    });
    expect(after.get('formVersions')?.get(formId)).toMatchObject({ document: { updatedAt: instant(4) } });
  });

  it('has no form before an event that creates its version', () => {
    const after = documentsAfter(created, added);
    expect(after.get('forms')?.size).toBe(0);
    expect(after.get('formVersions')?.size).toBe(0);
  });
});
