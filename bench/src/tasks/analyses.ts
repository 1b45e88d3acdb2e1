// Times scores and analyses of large forms, and the turns of the event loop and the memory beside analyses.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Analyses } from '../../../dist/commands/analyses.js';
import { type ScoredForm, scorable } from '../../../dist/domain/scoring/answers.js';
import { scoreOf } from '../../../dist/domain/scoring/score.js';
import { median } from '../lib/stats.js';
import { taskOptions, writeResult } from '../lib/task.js';

const { repeats } = taskOptions<{ readonly repeats: number }>();

const below = (limit: number) => Math.floor(Math.random() * limit);
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const idOf = (n: number) => `00000000-0000-7000-8000-${`${n}`.padStart(12, '0')}`;

/** Returns a form whose questions have the same number of options each. */
const formWith = (
  questions: number,
  score: (place: number) => number,
  { options = 10, weights = [] as readonly number[] } = {},
): ScoredForm => ({
  questions: many(questions, (n) => ({
    id: idOf(n),
    questionText: `Question ${n}`,
    responseType: 'SELECT',
    metadata: {},
    required: true,
    weight: weights[n % weights.length] ?? 1 + below(5),
    options: many(options, (place) => ({
      id: idOf(1_000 * (n + 1) + place),
      optionText: `${place}`,
      score: score(place),
    })),
  })),
  scoreRanges: many(10, (n) => ({ minScore: 5_000 * n, maxScore: 5_000 * n + 4_999, classification: `${n}` })),
});
const whole = () => formWith(100, () => below(101));
const decimals = () => formWith(100, () => below(1e9) / 1e9);

/** Returns a form with one more question, whose scores do not fit the steps of the others. */
const withPair = ({ questions, ...form }: ScoredForm): ScoredForm => {
  const [pair] = formWith(1, (place) => 3 * place, { options: 2, weights: [1] }).questions;
  return { ...form, questions: [...questions, ...(pair ? [{ ...pair, id: idOf(0) }] : [])] };
};

const inSteps = (place: number) => place;
/** Forms with totals that are close together, in steps, or far apart. The analysis decides on all of them. */
const kinds: Readonly<Record<string, ScoredForm>> = {
  'PHQ-9': formWith(9, inSteps, { options: 4, weights: [1] }),
  '60 questions, 5 steps': formWith(60, inSteps, { options: 5, weights: [1] }),
  '500 questions, 10 steps': formWith(500, inSteps, { weights: [1] }),
  '60 questions, weights 0.333, 2 and 1.25': formWith(60, inSteps, { options: 5, weights: [0.333, 2, 1.25] }),
  '100 questions, 5 scores up to 1,000': formWith(100, () => below(1_001), { options: 5, weights: [1] }),
  '60 questions, 4 scores up to 16,000': formWith(60, () => below(16_001), { options: 4, weights: [1] }),
  '300 questions, 10 steps of ten, one of 0 and 3': withPair(formWith(300, (place) => 10 * place, { weights: [1] })),
};

const large = scorable(formWith(500, () => below(101)));
const answers = large.questions.map(({ id, options }) => ({ questionId: id, optionIds: [options[3]?.id ?? ''] }));
const faulty = answers.map(({ questionId }) => ({ questionId, optionIds: [idOf(0)] }));
const refused = () => {
  try {
    scoreOf(large, faulty);
  } catch {
    return;
  }
  throw new Error('scored answers with faults');
};

const timed = async (work: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < repeats; n += 1) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return median(times);
};

let analysed = 0;
const analyses = new Analyses();
const analyse = (form: ScoredForm) => {
  analysed += 1;
  return analyses.of(form, `${analysed}`);
};

/** Returns the longest turn of the event loop, in ms, and the most memory beyond the beginning, in MiB. */
const beside = async (work: Promise<unknown>) => {
  let isDone = false;
  const ends = work.finally(() => {
    isDone = true;
  });
  const before = process.memoryUsage.rss();
  let [turn, memory] = [0, 0];
  for (let last = performance.now(); !isDone; ) {
    await nextTurn();
    turn = Math.max(turn, performance.now() - last);
    memory = Math.max(memory, process.memoryUsage.rss() - before);
    last = performance.now();
  }
  await ends;
  return { turn, memory: memory / 1_048_576 };
};

const score = await timed(() => scoreOf(large, answers));
const refuse = await timed(refused);
// Before the heap has grown. The totals of one form are far apart, and those of the other one close together.
const { memory } = await beside(Promise.all([analyse(decimals()), analyse(formWith(160, () => below(1_000)))]));
const decided = await timed(() => analyse(whole()));
const undecided = await timed(() => analyse(decimals()));
const { turn } = await beside(Promise.all(many(20, (n) => analyse(n % 2 === 0 ? whole() : decimals()))));
const of: Record<string, number> = {};
for (const [kind, form] of Object.entries(kinds)) {
  if ((await analyse(form)).undecided) throw new Error(`the totals of ${kind} are undecided`);
  of[kind] = await timed(() => analyse(form));
}
writeResult({ score, refuse, decided, undecided, turn, memory, of });
