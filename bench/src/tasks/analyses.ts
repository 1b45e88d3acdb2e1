// Times scores and analyses of large forms, and the turns of the event loop and the memory beside analyses.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Analyses } from '../../../dist/commands/analyses.js';
import type { ScoredForm } from '../../../dist/domain/scoring/answers.js';
import { scoreOf } from '../../../dist/domain/scoring/score.js';
import { median } from '../lib/stats.js';
import { taskOptions, writeResult } from '../lib/task.js';

const { repeats } = taskOptions<{ readonly repeats: number }>();

const below = (limit: number) => Math.floor(Math.random() * limit);
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const idOf = (n: number) => `00000000-0000-7000-8000-${`${n}`.padStart(12, '0')}`;

/** Returns a form whose questions have 10 options each. */
const formWith = (questions: number, score: () => number): ScoredForm => ({
  questions: many(questions, (n) => ({
    id: idOf(n),
    questionText: `Question ${n}`,
    responseType: 'SELECT',
    metadata: {},
    required: true,
    weight: 1 + below(5),
    options: many(10, (place) => ({ id: idOf(1_000 * (n + 1) + place), optionText: `${place}`, score: score() })),
  })),
  scoreRanges: many(10, (n) => ({ minScore: 5_000 * n, maxScore: 5_000 * n + 4_999, classification: `${n}` })),
});
const whole = () => formWith(100, () => below(101));
const decimals = () => formWith(100, () => below(1e9) / 1e9);

const large = formWith(500, () => below(101));
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
// Before the heap has grown. The sets of one form are lists, and those of the other one as many bits as are allowed.
const { memory } = await beside(Promise.all([analyse(decimals()), analyse(formWith(160, () => below(1_000)))]));
const decided = await timed(() => analyse(whole()));
const undecided = await timed(() => analyse(decimals()));
const { turn } = await beside(Promise.all(many(20, (n) => analyse(n % 2 === 0 ? whole() : decimals()))));
writeResult({ score, refuse, decided, undecided, turn, memory });
