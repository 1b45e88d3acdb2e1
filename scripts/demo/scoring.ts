// The part of the demo about scores: a hole in the score ranges is found before a patient falls into it.
import type { Form, ProtocolFields } from '../../src/domain/protocol/schemas.js';
import type { Analysis } from '../../src/domain/scoring/schemas.js';
import type { LastingStores } from '../../src/infrastructure/stores.js';
import { call, chapter, say } from './client.js';
import { showEvents } from './events.js';

const options = ['None', 'Some', 'Much', 'Unbearable'].map((optionText, score) => ({ optionText, score }));
const question = (questionText: string) => ({ questionText, responseType: 'SELECT', required: true, options });
const questions = [question('Pain at rest'), question('Pain when moving')];
const mild = { minScore: 0, maxScore: 2, classification: 'Mild' };
const severe = { minScore: 4, maxScore: 6, classification: 'Severe' };

/** Creates a questionnaire with a gap, reads the finding, is refused, corrects the form, publishes it and scores answers. */
export const playScoring = async (institutionId: string, stores: LastingStores | undefined): Promise<void> => {
  chapter('A hole in the score ranges, and a score');
  const body = { institutionId, name: 'Pain', questions, scoreRanges: [mild, severe] };
  const made = await call<{ protocol: ProtocolFields; form: Form }>('POST', '/protocols/questionnaires', { body });
  const root = `/protocols/${made.protocol.id}`;
  const form = `${root}/forms/${made.form.id}`;
  const { findings } = await call<Analysis>('GET', `${form}/analysis`);
  say(`  the analysis finds: ${findings[0]?.message}`);
  const answers = findings[0]?.answers;
  await call('POST', `${form}/score`, { body: { answers } });
  say('  these answers have no classification, so the form cannot be published:');
  await call('POST', `${form}/publish`, { allowedStatus: 409 });
  const corrected = {
    formId: made.form.id,
    questions: made.form.questions,
    scoreRanges: [{ ...mild, maxScore: 3 }, severe],
  };
  await call('PUT', `${root}/questionnaire?strict=true`, { body: corrected });
  await call('POST', `${form}/publish`);
  const { total, classification } = await call<{ total: number; classification: string }>('POST', `${form}/score`, {
    body: { answers },
  });
  say(`  the same answers now have the total ${total}: ${classification}`);
  await showEvents(stores, `protocol-${made.protocol.id}`);
};
