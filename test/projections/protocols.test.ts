import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/decider.js';
import { protocol } from '../../src/domain/protocol/decide.js';
import { formOfVersion, type Protocol } from '../../src/domain/protocol/fold.js';
import type { Form } from '../../src/domain/protocol/schemas.js';
import { protocols } from '../../src/projections/protocols.js';
import { eventsOf } from '../domain/support/arbitraries.js';
import { formsOf, protocolMachine } from '../domain/support/machines.js';
import { played } from '../domain/support/play.js';
import {
  archived,
  created,
  FORM_ID,
  formWith,
  INSTITUTION_ID,
  option,
  published,
  question,
  range,
  retired,
  select,
} from '../domain/support/protocol-samples.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';
import { documentsOf } from './support/documents.js';
import { instant, log, recorded } from './support/recorded.js';
import { folded } from './support/replay.js';

const documentsAfter = documentsOf(protocols);
const formId = `${AGGREGATE_ID}/${FORM_ID}`;
const added = { type: 'ProtocolQuestionAdded', data: { formId: FORM_ID, question: question(1), moved: [] } };

describe('the read model of protocols', () => {
  it('holds a protocol as responses show it, indexed by institution and by comparable name', () => {
    const content = { name: 'DOR Torácica', prompt: null };
    const revised = { type: 'ProtocolRevised', data: content };
    const dates = { createdAt: instant(1), updatedAt: instant(2) };
    expect(documentsAfter(created, revised)('protocols', AGGREGATE_ID)).toEqual({
      document: { id: AGGREGATE_ID, institutionId: INSTITUTION_ID, ...content, ...dates },
      index: { institutionId: INSTITUTION_ID, name: 'dor toracica', archived: 'false' },
      ...{ revision: 1, position: at(2), created: at(1) },
    });
  });

  it('follows the revision of the stream through events of forms, which do not change the protocol', () => {
    const document = documentsAfter(created, formWith([]), added)('protocols', AGGREGATE_ID);
    expect(document).toMatchObject({ revision: 2, document: { updatedAt: instant(1) } });
  });

  it('holds a form with all its content, indexed by protocol and version', () => {
    const version = formWith([select(1, [option(1)]), question(2)], { scoreRanges: [range(1, 0, 9)] });
    expect(documentsAfter(created, version)('forms', formId)).toMatchObject({
      document: {
        id: FORM_ID,
        protocolId: AGGREGATE_ID,
        version: 1,
        questions: [{ position: 1, options: [{ optionText: 'Option 1' }] }, { position: 2 }],
        scoreRanges: [{ classification: 'Class 1' }],
      },
      created: at(2),
      index: { protocolId: AGGREGATE_ID, version: '1', status: 'DRAFT' },
    });
  });

  it('holds the status of a form, by which the form and its version are found', () => {
    for (const [status, ...events] of [
      ['PUBLISHED', published],
      ['RETIRED', published, retired],
    ] as const) {
      const find = documentsAfter(created, formWith([]), ...events);
      expect(find('forms', formId)).toMatchObject({
        document: { status },
        index: { status },
      });
      expect(find('formVersions', FORM_ID)?.document).toMatchObject({ status });
    }
  });

  it('holds whether a protocol is archived, also beside its name for lists of forms', () => {
    const find = documentsAfter(created, archived);
    const named = find('protocolNames', AGGREGATE_ID)?.document as object;
    expect(Object.keys(named).sort()).toEqual(['archived', 'id', 'institutionId', 'name']);
    expect(find('protocols', AGGREGATE_ID)).toMatchObject({
      document: { ...named, archived: true },
      index: { archived: 'true', institutionId: `${INSTITUTION_ID}/archived` },
    });
    const restored = documentsAfter(created, archived, { type: 'ProtocolRestored', data: { reason: null } });
    expect(restored('protocols', AGGREGATE_ID)).toMatchObject({ index: { archived: 'false' } });
    expect(restored('protocolNames', AGGREGATE_ID)?.document).not.toHaveProperty('archived');
  });

  it('holds, after every event, each version of the form as a past read of that moment shows it', () =>
    fc.assert(
      fc.property(protocolMachine.beginning, fc.array(protocolMachine.later, { maxLength: 20 }), (first, others) => {
        const events = log('protocol', ...played(protocolMachine, [first, ...others]).flatMap((step) => step.events));
        let state: Protocol = protocol.initialState;
        for (const [index, event] of events.entries()) {
          state = fold(protocol, state, event, { id: AGGREGATE_ID, at: event.metadata.at });
          const forms = folded(protocols, events.slice(0, index + 1)).get('forms');
          for (const { document } of forms?.values() ?? []) {
            expect(formOfVersion(state, (document as Form).version)).toEqual(document);
          }
          expect(forms?.size ?? 0).toBe(formsOf(state).length);
        }
      }),
      { numRuns: 30 },
    ));

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

  it('lists the versions of a form as the form is, but without its content, after any events', () =>
    fc.assert(
      fc.property(fc.array(eventsOf(protocol), { maxLength: 20 }), (events) => {
        const documents = folded(protocols, log('protocol', created, ...events));
        const headOf = ({ document, ...rest }: { document: unknown }) => {
          const { questions, scoreRanges, ...head } = document as Record<string, unknown>;
          return { ...rest, document: head };
        };
        const forms = [...(documents.get('forms')?.values() ?? [])].map((form) => [
          (form.document as { id: string }).id,
          headOf(form),
        ]);
        expect([...(documents.get('formVersions') ?? [])]).toEqual(forms);
      }),
    ));
});
