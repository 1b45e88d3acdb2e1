import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { evolveForm } from '../../../src/domain/protocol/fold.js';
import { Form } from '../../../src/domain/protocol/schemas.js';
import { AGGREGATE_ID, deepFreeze, EARLIER, NOW } from '../../support/specification.js';
import { eventsOf } from '../support/arbitraries.js';
import {
  emptyForm,
  FORM_ID,
  formWith,
  option,
  type ProtocolEvent,
  question,
  range,
  select,
} from '../support/protocol-samples.js';

const earlier = { id: AGGREGATE_ID, at: EARLIER };
const now = { id: AGGREGATE_ID, at: NOW };
const dates = { createdAt: EARLIER, updatedAt: EARLIER };

const { data } = formWith([select(2, [option(2), option(1)]), question(1)], {
  version: 2,
  scoreRanges: [range(2, 6, 9), range(1, 0, 5)],
});
const form = deepFreeze(evolveForm.ProtocolFormVersionCreated(undefined, data, earlier));

const { ProtocolFormVersionCreated: _, ...laterFolds } = evolveForm;
const laterEvents = eventsOf(protocol).filter(({ type }) => Object.hasOwn(laterFolds, type));
const evolve = (form: Form | undefined, { type, data }: ProtocolEvent) =>
  laterFolds[type as keyof typeof laterFolds](form, data as never, now);

describe('a new form', () => {
  it('belongs to the protocol of its stream', () =>
    expect(evolveForm.ProtocolFormVersionCreated(undefined, formWith([]).data, earlier)).toStrictEqual(emptyForm));

  it('has its items as recorded, with parent and dates, by position and by minScore', () => {
    const ofForm = { protocolFormId: FORM_ID, ...dates };
    const [{ responseTypeInferred: _, ...text }, { responseTypeInferred, ...choice }] = [question(1), select(2, [])];
    const ofChoice = { protocolQuestionId: choice.id, ...dates };
    expect(form).toStrictEqual({
      ...emptyForm,
      version: 2,
      questions: [
        { ...text, ...ofForm },
        { ...choice, ...ofForm, options: [option(1), option(2)].map((each) => ({ ...each, ...ofChoice })) },
      ],
      scoreRanges: [range(1, 0, 5), range(2, 6, 9)].map((each) => ({ ...each, ...ofForm })),
    });
  });
});

it('a form has all the fields that responses show, and no others', () => expect(Form.parse(form)).toStrictEqual(form));

describe('any later event', () => {
  it('leaves an unknown form unknown', () =>
    fc.assert(
      fc.property(laterEvents, (event) => {
        expect(evolve(undefined, event)).toBeUndefined();
      }),
    ));

  it('updates a form, which keeps its identity', () => {
    const identity = { id: FORM_ID, protocolId: AGGREGATE_ID, version: 2, copiedFrom: null, createdAt: EARLIER };
    fc.assert(
      fc.property(laterEvents, (event) => {
        expect(evolve(form, event)).toMatchObject({ ...identity, updatedAt: NOW });
      }),
    );
  });

  it('changes no item that the form does not have', () => {
    const { options: _, ...revised } = question(9);
    const data = { formId: FORM_ID, question: revised, moved: [] };
    expect(evolve(form, { type: 'ProtocolQuestionRevised', data })?.questions).toStrictEqual(form?.questions);
  });
});
