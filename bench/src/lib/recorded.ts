// The rule for failing a short run: a ratio is far below the recorded ratio in each of three tries.
import type { Row } from '../measure.js';
import { type Target, type TargetName, targets } from '../targets.js';

/** The median ratios of an earlier run. */
export type Recorded = Readonly<Partial<Record<TargetName, number>>>;

/** The share of a recorded ratio that at least one of `TRIES` runs must reach. */
export const ENOUGH = 0.4;
export const TRIES = 3;

/**
 * The result of a measure: the rows of its last try, and the targets whose ratio was too low in each of `TRIES` tries.
 */
export interface Held {
  readonly rows: readonly Row[];
  readonly fallen: readonly TargetName[];
}

const isHigherBetter = (target: Target): boolean => target.of === 'ratio' && 'atLeast' in target;

/** Returns the median ratios of rows, for targets whose ratio should be high. */
export const ratiosOf = (rows: readonly Row[]): Recorded =>
  Object.fromEntries(
    rows.flatMap(({ target, ratio }) =>
      target !== undefined && ratio !== undefined && isHigherBetter(targets[target]) ? [[target, ratio.median]] : [],
    ),
  );

/**
 * Returns the targets whose ratio is below `ENOUGH` of the recorded ratio. Does not compare ratios that were never
 * recorded.
 */
export const tooLow = (rows: readonly Row[], recorded: Recorded): readonly TargetName[] => {
  const ratios = Object.entries(ratiosOf(rows)) as [TargetName, number][];
  // A ratio that is not a number also counts as too low.
  return ratios.flatMap(([name, ratio]) => {
    const before = recorded[name];
    return before === undefined || ratio >= ENOUGH * before ? [] : [name];
  });
};

/**
 * Runs a measure up to `TRIES` times, until no ratio has been too low in every try. A try that rejects counts as too
 * low. If the last try rejects, so does the measure.
 */
export const heldTo = async (recorded: Recorded, run: () => Promise<readonly Row[]>): Promise<Held> => {
  let suspects: readonly TargetName[] | undefined;
  const stillLow = (rows: readonly Row[]) =>
    tooLow(rows, recorded).filter((name) => suspects === undefined || suspects.includes(name));
  for (let tries = 1; tries < TRIES; tries += 1) {
    const rows = await run().catch((error: unknown) => console.error(error));
    if (rows === undefined) continue;
    suspects = stillLow(rows);
    if (suspects.length === 0) return { rows, fallen: [] };
  }
  const rows = await run();
  return { rows, fallen: stillLow(rows) };
};
