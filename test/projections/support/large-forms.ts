// Forms that are older than the limit of a form (design: a form has at most 900 KiB, larger forms stay readable).

import type { Views } from '../../../src/infrastructure/views/views.js';
import { formDocumentId, protocols } from '../../../src/projections/protocols.js';
import { created, FORM_ID, formWith, question } from '../../domain/support/protocol-samples.js';
import { newEvent, written } from '../../infrastructure/facts/support/harness.js';
import { AGGREGATE_ID } from '../../support/specification.js';
import { ProjectionStores } from './stores.js';

export const STREAM = `protocol-${AGGREGATE_ID}`;

/** Folds a log with a form of this many questions of 0.9 MB each. Returns the positions of their events, too. */
export const foldLargeForm = async (questions: number, views?: Views) => {
  const stores = await ProjectionStores.of([protocols], views);
  const events = [created, formWith([])].map(({ type, data }) => ({ ...newEvent(data), type }));
  await stores.facts.append(STREAM, 'no-stream', events);
  const positions: string[] = [];
  for (let n = 1; n <= questions; n += 1) {
    const item = question(n, { metadata: { note: 'x'.repeat(900_000) } });
    const event = { ...newEvent({ formId: FORM_ID, question: item, moved: [] }), type: 'ProtocolQuestionAdded' };
    positions.push(written(await stores.facts.append(STREAM, n, [event])).position);
  }
  stores.startWorker([protocols]);
  return { stores, positions };
};

/** Returns how many questions the form has that a reader gets. */
export const questionsIn = async (views: Views): Promise<number> => {
  const document = await views.get('forms', formDocumentId(AGGREGATE_ID, FORM_ID));
  return (JSON.parse(document?.body ?? '{"questions":[]}') as { questions: readonly unknown[] }).questions.length;
};
