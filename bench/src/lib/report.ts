// The table, on the screen and in files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Row } from '../measure.js';
import type { Machine } from './machine.js';

/** All that a run found. */
export interface Report {
  readonly date: string;
  readonly commit: string | undefined;
  readonly quick: boolean;
  readonly machine: Machine;
  readonly rows: readonly Row[];
}

const HEAD = ['measure', 'ours', 'baseline', 'ratio min', 'median', 'max', 'aim'];

const figure = (value: number, unit: string): string => {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
};

const ratioText = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2));

const cellsOf = ({ what, unit, ours, baseline, ratio, aim }: Row): readonly string[] => [
  what,
  figure(ours, unit),
  baseline === undefined ? '' : `${figure(baseline.value, unit)} (${baseline.name})`,
  ratioText(ratio?.min),
  ratioText(ratio?.median),
  ratioText(ratio?.max),
  aim === undefined ? '' : `${aim.text}, ${aim.met ? 'met' : 'not met'}`,
];

/** The rows as a Markdown table, padded so that it also reads well as text. */
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

${quick ? 'A short run (`--quick`): its figures mean little.' : 'A full run.'} ${date}${commit === undefined ? '' : `, commit ${commit}`}.

- ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB
- ${machine.system}, Node.js ${machine.node}
- write and fsync of 4 KiB on the disk that was used: median ${machine.fsyncMs.median.toFixed(2)} ms (${machine.fsyncMs.min.toFixed(2)} to ${machine.fsyncMs.max.toFixed(2)})

Ratios are ours to the baseline, taken round by round.

${tableOf(rows)}

## Notes

${rows.flatMap(notesOf).join('\n')}
`;

/** Writes `results/NAME.md` and `results/NAME.json`. */
export const writeReport = (name: string, report: Report): void => {
  const directory = fileURLToPath(new URL('../../results/', import.meta.url));
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}${name}.md`, markdownOf(report));
  writeFileSync(`${directory}${name}.json`, `${JSON.stringify(report, null, 2)}\n`);
};
