// Formats the samples of a soak and decides whether their figures are steady.
import { median } from './stats.js';

/** The figures at one time. `at` is in minutes since the start. */
export interface Sample {
  readonly at: number;
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
  /** Events folded so far, and the bytes of the stores. */
  readonly events: number;
  readonly bytes: number;
  readonly lagS: number;
  readonly delayMs: number;
}

const MAX_MIB_PER_MINUTE = 1;
// The number of open connections varies a little.
const MAX_DESCRIPTORS = 50;
const MAX_BYTES_RATIO = 1.15;
const MAX_LAG_S = 5;

/** Returns the line of a sample in the report. */
export const summaryOf = (sample: Sample): string => {
  const { at, residentMiB, heapMiB, descriptors, events, bytes, lagS, delayMs } = sample;
  const perEvent = events === 0 ? 0 : bytes / events;
  return [
    `minute ${at.toFixed(1)}:`,
    `${residentMiB.toFixed(0)} MiB resident (heap ${heapMiB.toFixed(0)}),`,
    `${descriptors} descriptors,`,
    `${events} events, ${perEvent.toFixed(0)} bytes each,`,
    `lag ${lagS.toFixed(2)} s, event loop delay p99 ${delayMs.toFixed(0)} ms`,
  ].join(' ');
};

/** Returns the growth of a figure per minute: the slope of the line through the samples (least squares). */
export const slopeOf = (samples: readonly Sample[], figure: (sample: Sample) => number): number => {
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const [at, value] = [mean(samples.map((sample) => sample.at)), mean(samples.map(figure))];
  const together = samples.reduce((sum, sample) => sum + (sample.at - at) * (figure(sample) - value), 0);
  return together / samples.reduce((sum, sample) => sum + (sample.at - at) ** 2, 0);
};

/** Returns the bytes that the stores gained per event of some samples. */
const bytesPerEvent = (samples: readonly Sample[]): number => {
  const [first, last] = [samples[0], samples.at(-1)];
  return first === undefined || last === undefined
    ? Number.NaN
    : (last.bytes - first.bytes) / (last.events - first.events);
};

/** Returns a message for each figure that was not steady. */
export const faultsOf = (samples: readonly Sample[]): readonly string[] => {
  const third = Math.ceil(samples.length / 3);
  const [begin, end] = [samples.slice(0, third), samples.slice(-third)];
  const medianOf = (part: readonly Sample[], figure: (sample: Sample) => number) => median(part.map(figure));
  const growth = slopeOf(samples, ({ residentMiB }) => residentMiB);
  const descriptors = medianOf(end, (sample) => sample.descriptors) - medianOf(begin, (sample) => sample.descriptors);
  const bytes = bytesPerEvent(end) / bytesPerEvent(begin);
  const lag = medianOf(samples, ({ lagS }) => lagS);
  const checks: readonly [isSteady: boolean, words: string][] = [
    [growth <= MAX_MIB_PER_MINUTE, `resident memory grew by ${growth.toFixed(2)} MiB a minute`],
    [descriptors <= MAX_DESCRIPTORS, `descriptors grew by ${descriptors}`],
    [bytes <= MAX_BYTES_RATIO, `bytes per event grew by a factor of ${bytes.toFixed(2)}`],
    [lag <= MAX_LAG_S, `the read models were ${lag.toFixed(1)} s behind`],
  ];
  return checks.filter(([isSteady]) => !isSteady).map(([, words]) => words);
};
