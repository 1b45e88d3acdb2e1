// The bounds on long work. They are counts, so that every machine comes to the same result.
import type { Steps } from './sums.js';

/** The bounds on the work of one analysis. */
export interface AnalysisLimits {
  /** The most totals of a form, and the most memory of all sets at once. */
  readonly totals: number;
  readonly additions: number;
}

/** Takes the steps of work that needs no limit, because it depends only on the size of the form. */
export function* additionsOf<R>(steps: Steps<R>): Generator<number, R, void> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield step.value.added;
  }
}

/** Takes the steps of long work. Returns undefined if they exceed the limits. */
export function* withLimits<R>(limits: AnalysisLimits, steps: Steps<R>): Generator<number, R | undefined, void> {
  let [added, held] = [0, 0];
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    added += step.value.added;
    held += step.value.held;
    if (added > limits.additions || held > limits.totals) return undefined;
    yield step.value.added;
  }
}
