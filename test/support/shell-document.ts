// Reads the commands and outputs of documents with shell blocks, and compares real outputs with those that the document
// shows.

/** Commands of a document and their documented output. */
export interface Step {
  /** The last heading before the commands. */
  readonly section: string;
  readonly commands: string;
  /** The documented output, or undefined if there is none. */
  readonly shown: string | undefined;
}

const DIAGRAM = 'mermaid';
const FENCE = /^```(?<kind>\w+)\n(?<text>[\s\S]*?)^```$/gm;

/** Returns the `sh` blocks of a document in order. A block of another kind after an `sh` block is its output. */
export const stepsIn = (markdown: string): readonly Step[] =>
  markdown.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n', 1);
    const blocks = [...section.matchAll(FENCE)]
      .map(({ groups: { kind = '', text = '' } = {} }) => ({ kind, text }))
      .filter(({ kind }) => kind !== DIAGRAM);
    return blocks.flatMap(({ kind, text }, index) => {
      if (kind === 'sh') return { section: heading, commands: text, shown: shownIn(blocks[index + 1]) };
      if (blocks[index - 1]?.kind !== 'sh') throw new Error(`no sh block comes before this output: ${text}`);
      return [];
    });
  });

const shownIn = (block: { readonly kind: string; readonly text: string } | undefined): string | undefined =>
  block?.kind === 'sh' ? undefined : block?.text;

/** A line of text, or a JSON object on one or more lines. */
type Part = { readonly line: string } | { readonly json: unknown };

/**
 * Returns the first part of `shown` that `output` lacks, or undefined if `output` has all parts in the same order.
 * `shown` may omit lines, and members of an object with a member `...`. Ids, instants, six-digit numbers and the text
 * for `…` may differ.
 */
export const missingFrom = (output: string, shown: string): unknown => {
  const parts = partsOf(output);
  for (const wanted of partsOf(shown)) {
    const at = parts.findIndex((part) => isAsShown(part, wanted));
    if (at < 0) return wanted;
    parts.splice(0, at + 1);
  }
  return undefined;
};

const PART = /^\{.*\}$|^\{\n[\s\S]*?^\}$|^.+$/gm;

const partsOf = (text: string): Part[] =>
  [...text.replaceAll('\r', '').matchAll(PART)].map(([part]) =>
    part.startsWith('{') ? { json: JSON.parse(part) } : { line: part },
  );

/** Returns whether a value matches the documented one. */
const isAsShown = (value: unknown, shown: unknown): boolean => {
  if (typeof shown === 'string') return typeof value === 'string' && patternOf(shown).test(value);
  if (Array.isArray(shown)) return Array.isArray(value) && sameLength(value, shown) && shown.every(itemOf(value));
  if (!isObject(shown)) return value === shown;
  const names = Object.keys(shown).filter((name) => name !== '...');
  const isWhole = names.length === Object.keys(shown).length;
  if (!isObject(value) || (isWhole && !sameLength(Object.keys(value), names))) return false;
  return names.every((name) => Object.hasOwn(value, name) && isAsShown(value[name], shown[name]));
};

const itemOf = (values: readonly unknown[]) => (shown: unknown, index: number) => isAsShown(values[index], shown);
const sameLength = (one: readonly unknown[], other: readonly unknown[]) => one.length === other.length;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const VARYING = [
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
  /\b\d{6}\b/,
].map(({ source }) => source);
const PLACES = new RegExp(`(${VARYING.join('|')}|…)`);

const patternOf = (shown: string): RegExp => {
  const pieces = shown.split(PLACES).map((piece, index) => (index % 2 === 0 ? escaped(piece) : anyLike(piece)));
  return new RegExp(`^${pieces.join('')}$`);
};
const anyLike = (piece: string): string =>
  VARYING.find((source) => new RegExp(`^${source}$`).test(piece)) ?? (piece === '…' ? '[\\s\\S]+' : escaped(piece));
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
