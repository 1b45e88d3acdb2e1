// What a measure is, and what it gives.
import type { Spread } from './lib/stats.js';

/** The circumstances of a run. */
export interface Bench {
  /** A short run, to see that everything works; its figures mean little. */
  readonly quick: boolean;
  /** A directory for this measure alone, on a real disk; it is removed afterwards. */
  readonly directory: string;
  /** Tells the person who waits what is going on. */
  readonly say: (text: string) => void;
}

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** Against what, and its figure; absent where there is nothing to compare with. */
  readonly baseline?: { readonly name: string; readonly value: number };
  /** Ours to the baseline, round by round. */
  readonly ratio?: Spread;
  /** The aim as text, and whether the median of the ratio is there. */
  readonly aim?: { readonly text: string; readonly met: boolean };
  readonly notes?: readonly string[];
}

/** One file of `measures/`. */
export interface Measure {
  readonly name: string;
  readonly title: string;
  readonly run: (bench: Bench) => Promise<readonly Row[]>;
}
