// Measures the score of a large published form, compared with the score of the same form when it is sent with the answers.
import { below } from '../lib/below.js';
import { loadInTurn, loadRow, repeating } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { anInstitution, post } from '../lib/samples.js';
import type { Measure } from '../measure.js';

interface Created {
  readonly protocol: { readonly id: string };
  readonly form: {
    readonly id: string;
    readonly questions: readonly { readonly id: string; readonly options: readonly { readonly id: string }[] }[];
  };
}

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

const content = {
  questions: many(500, (n) => ({
    questionText: `Question ${n + 1}`,
    responseType: 'SELECT',
    metadata: {},
    required: true,
    weight: 1,
    options: many(10, (score) => ({ optionText: `Option ${score + 1}`, score })),
  })),
  scoreRanges: [{ minScore: 0, maxScore: 4_500, classification: 'all' }],
};
const pointers = content.questions.map((_, n) => ({
  questionId: `/questions/${n}`,
  optionIds: [`/questions/${n}/options/3`],
}));

/** So few that a request of the baseline does not wait for a second. */
const CONNECTIONS = 4;

export const scores: Measure = {
  name: 'scores',
  title: 'score of a published form with 500 questions',
  run: async (bench) => {
    const server = await startReady(below(bench, 'product'));
    const institutionId = await anInstitution(server.url);
    const made = { institutionId, name: 'Large', prompt: 'Answer all questions.', ...content };
    const { protocol, form } = await post<Created>(`${server.url}/protocols/questionnaires`, made);
    const path = `/protocols/${protocol.id}/forms/${form.id}`;
    await post(`${server.url}${path}/publish`, {});
    const answers = form.questions.map(({ id, options }) => ({ questionId: id, optionIds: [options[3]?.id] }));
    const sent = { path: '/protocols/questionnaires/score', body: { ...content, answers: pointers } };
    const { ours, theirs } = await loadInTurn(bench, {
      ours: repeating(server, { method: 'POST', path: `${path}/score`, body: { answers } }, CONNECTIONS),
      theirs: repeating(server, { method: 'POST', ...sent }, CONNECTIONS),
    });
    const what = 'score of a published form, 500 questions';
    return [loadRow({ what, target: 'scores', than: 'the same form, sent with the answers' }, ours, theirs)];
  },
};
