// Defines a measure and its result.
import type { Spread } from './lib/stats.js';
import type { TargetName } from './targets.js';

/** What a run passes to its measures. */
export interface Bench {
  /** Whether the run is short. Its figures are rough. */
  readonly quick: boolean;
  /** A directory only for this measure, on a real disk. The run removes it afterwards. */
  readonly directory: string;
  /** Prints progress. */
  readonly say: (text: string) => void;
}

/** A line of the table. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** Absent if there is no baseline. */
  readonly baseline?: { readonly name: string; readonly value: number };
  /** Ours divided by the baseline, round by round. */
  readonly ratio?: Spread;
  /** The target of the row. Absent if the row has none. */
  readonly target?: TargetName;
  readonly notes?: readonly string[];
}

/** A measure. `npm run bench -- NAME` runs only this measure. */
export interface Measure {
  readonly name: string;
  readonly title: string;
  readonly run: (bench: Bench) => Promise<readonly Row[]>;
}
