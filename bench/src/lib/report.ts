// Formats the results as a table, and reads and writes the files of results.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Row } from '../measure.js';
import { type Target, targets } from '../targets.js';
import type { Machine } from './machine.js';
import { type Recorded, ratiosOf } from './recorded.js';

/** The results of a run. */
export interface Report {
  readonly date: string;
  readonly commit: string | undefined;
  readonly quick: boolean;
  readonly machine: Machine;
  readonly rows: readonly Row[];
}

const HEAD = ['measure', 'ours', 'baseline', 'ratio min', 'median', 'max', 'target'];

const figure = (value: number, unit: string): string => {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
};

const ratioText = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2));

/** Returns whether a row reaches its target. */
const isMet = (target: Target, { ours, ratio }: Row): boolean => {
  const reached = target.of === 'ratio' ? (ratio?.median ?? Number.NaN) : ours;
  return 'atLeast' in target ? reached >= target.atLeast : reached <= target.atMost;
};

const targetText = (row: Row): string => {
  if (row.target === undefined) return '';
  const target: Target = targets[row.target];
  const bound = 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  return `${bound}${target.of === 'figure' ? ` ${row.unit}` : ''}, ${isMet(target, row) ? 'met' : 'not met'}`;
};

const cellsOf = (row: Row): readonly string[] => [
  row.what,
  figure(row.ours, row.unit),
  row.baseline === undefined ? '' : `${figure(row.baseline.value, row.unit)} (${row.baseline.name})`,
  ratioText(row.ratio?.min),
  ratioText(row.ratio?.median),
  ratioText(row.ratio?.max),
  targetText(row),
];

/** Returns the rows as a Markdown table, padded so that it also reads well as text. */
export const tableOf = (rows: readonly Row[]): string => {
  const lines = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head, ...body] = lines.map(text);
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n');
};

const notesOf = ({ what, baseline, notes = [] }: Row): readonly string[] =>
  notes.length === 0
    ? []
    : [`- ${what}${baseline === undefined ? '' : ` / ${baseline.name}`}`, ...notes.map((note) => `  - ${note}`)];

const markdownOf = ({ date, commit, quick, machine, rows }: Report): string => `# Figures

${quick ? 'A short run (`--quick`). Its figures are rough.' : 'A full run.'} ${date}${commit === undefined ? '' : `, commit ${commit}`}.

- ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB
- ${machine.system}, Node.js ${machine.node}, wrk ${machine.wrk}
- write and fsync of 4 KiB on the disk that was used: median ${machine.fsyncMs.median.toFixed(2)} ms (${machine.fsyncMs.min.toFixed(2)} to ${machine.fsyncMs.max.toFixed(2)})

A ratio is ours divided by the baseline, round by round.

${tableOf(rows)}

## Notes

${rows.flatMap(notesOf).join('\n')}
`;

const RESULTS = new URL('../../results/', import.meta.url);

/** Writes `results/NAME.md`. */
export const writeReport = (name: string, report: Report): void => {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL(`${name}.md`, RESULTS), markdownOf(report));
};

const RECORDED = new URL('recorded.json', RESULTS);

/** Reads the ratios that short runs are compared with; none if nothing was recorded. */
export const readRecorded = (): Recorded =>
  existsSync(RECORDED) ? (JSON.parse(readFileSync(RECORDED, 'utf8')) as { readonly ratios: Recorded }).ratios : {};

/** Records the ratios of a short run, and its versions. Keeps the ratios of measures that the run left out. */
export const writeRecorded = (rows: readonly Row[], { node, wrk }: Machine): void => {
  const rounded = Object.entries(ratiosOf(rows)).map(([name, ratio]) => [name, Number(ratio.toFixed(2))]);
  const ratios = { ...readRecorded(), ...Object.fromEntries(rounded) };
  writeFileSync(RECORDED, `${JSON.stringify({ node, wrk, ratios }, null, 2)}\n`);
};
