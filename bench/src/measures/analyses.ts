// Measures scores and analyses of large forms. Their limits are counts, which tests hold; this shows the times.
import { runTask } from '../lib/task.js';
import type { Measure, Row } from '../measure.js';

type Figure = 'score' | 'refuse' | 'decided' | 'undecided' | 'turn' | 'memory';

type Figures = Record<Figure, number> & { readonly of: Readonly<Record<string, number>> };

const ROWS: { readonly [F in Figure]: Omit<Row, 'ours'> } = {
  score: { what: 'score of 500 answers', unit: 'ms', target: 'score-500' },
  refuse: { what: 'refusal of 500 answers', unit: 'ms', target: 'refuse-500' },
  decided: { what: 'analysis of 100 questions, whole scores', unit: 'ms', target: 'analysis-decided' },
  undecided: { what: 'analysis of 100 questions, nine decimals', unit: 'ms', target: 'analysis-undecided' },
  turn: { what: 'longest turn beside 20 analyses', unit: 'ms', target: 'analysis-turn' },
  memory: { what: 'memory of two analyses', unit: 'MiB', target: 'analysis-memory' },
};

export const analyses: Measure = {
  name: 'analyses',
  title: 'scores and analyses of large forms',
  run: async ({ quick }) => {
    const { of, ...figures } = await runTask<Figures>('analyses', { repeats: quick ? 5 : 25 });
    const rows = Object.entries(ROWS).map(([figure, row]) => ({ ...row, ours: figures[figure as Figure] }));
    return [...rows, ...Object.entries(of).map(([kind, ours]) => ({ what: `analysis of ${kind}`, unit: 'ms', ours }))];
  },
};
