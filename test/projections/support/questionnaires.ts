// A projection for tests with a document for each form of a protocol. An event of the protocol changes all of them.
import { expect } from 'vitest';
import { z } from 'zod';
import type { RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import { startingWith, type Views } from '../../../src/infrastructure/views/views.js';
import { collection, derivation, projection, type Working } from '../../../src/projections/projection.js';
import type { Batch } from './deliveries.js';
import { log } from './recorded.js';
import { expectedOf, snapshotOf } from './replay.js';

const events = {
  Titled: z.object({ title: z.string() }),
  FormAdded: z.object({ formId: z.string() }),
  FormPublished: z.object({ formId: z.string() }),
};

interface Form {
  readonly formId: string;
  readonly isPublished: boolean;
}

interface Protocol {
  readonly title: string;
  readonly forms: readonly Form[];
}

/** Returns the documents of all forms if the protocol has changed, otherwise of the form that has changed. */
const questionnairesOf = (
  before: Working<Protocol> | undefined,
  { document: { title, forms } }: Working<Protocol>,
  { position }: RecordedEvent,
) => {
  const known = before?.document.title === title ? before.document.forms : [];
  const changed = forms.filter((form) => !known.includes(form));
  return new Map(changed.map((form) => [form.formId, { document: { ...form, title }, created: position }]));
};

const questionnairesDerived = derivation({
  name: 'questionnaires',
  documents: questionnairesOf,
  indexes: (index) => [index('prefix', 'title', ({ title }) => title)],
});

export const questionnaires = projection({
  name: 'questionnaires',
  version: 1,
  aggregates: ['protocol'],
  root: collection<Protocol, typeof events, typeof questionnairesDerived>({
    name: 'protocolsWithForms',
    idOf: (_, protocolId) => protocolId,
    when: {
      Titled: (protocol, { title }) => ({ forms: [], ...protocol, title }),
      FormAdded: (protocol, { formId }) =>
        protocol && { ...protocol, forms: [...protocol.forms, { formId, isPublished: false }] },
      FormPublished: (protocol, { formId }) =>
        protocol && {
          ...protocol,
          forms: protocol.forms.map((form) => (form.formId === formId ? { ...form, isPublished: true } : form)),
        },
    },
    indexes: () => [],
    derived: [questionnairesDerived],
  }),
});

const titled = (title: string) => ({ type: 'Titled', data: { title } });
const added = (formId: string) => ({ type: 'FormAdded', data: { formId } });
const published = (formId: string) => ({ type: 'FormPublished', data: { formId } });

/** The history of a protocol: every title changes the documents of the forms that were added before. */
export const history = log(
  'protocol',
  titled('first'),
  added('one'),
  added('two'),
  published('two'),
  titled('second'),
  added('three'),
  published('one'),
  titled('third'),
);

/** Expects the documents of all forms to have the last title, in the order in which the forms were added. */
export const expectAllForms = async (views: Views, events: Batch = history): Promise<void> => {
  const query = {
    collection: 'questionnaires',
    where: {},
    bounds: startingWith('title', 'third'),
    after: undefined,
  } as const;
  const { json } = await views.list({ ...query, order: 'oldest-first', limit: 9 });
  expect(JSON.parse(json)).toEqual([
    { formId: 'one', isPublished: true, title: 'third' },
    { formId: 'two', isPublished: true, title: 'third' },
    { formId: 'three', isPublished: false, title: 'third' },
  ]);
  expect(await snapshotOf(views, questionnaires)).toStrictEqual(expectedOf(questionnaires, events));
};
