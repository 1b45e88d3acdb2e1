// Computes medians and spreads.

/** The minimum, the median and the maximum of some figures. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Returns the middle figure. For an even number of figures, returns the mean of the two in the middle. */
export const median = (figures: readonly number[]): number => {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
};

export const spreadOf = (figures: readonly number[]): Spread => ({
  min: Math.min(...figures),
  median: median(figures),
  max: Math.max(...figures),
});

/** Returns the spread of our figures divided by theirs, round by round. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Spread =>
  spreadOf(ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN)));
