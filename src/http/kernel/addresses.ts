// Finds what is served at a path. Express tries one pattern after the other; here the first segment of a path leads to the few
// patterns that begin with it.
import { Problem } from './problems.js';

/** What is at a path, and the values of the parameters in it. */
export interface Found<T> {
  readonly value: T;
  readonly params: Record<string, string>;
}

interface Address<T> {
  readonly segments: readonly Segment[];
  /** Whether the last segment takes the rest of a path with its slashes. */
  readonly takesRest: boolean;
  readonly value: T;
}

/** A word, or the name of a parameter. */
type Segment = { readonly word: string } | { readonly parameter: string };

/** Finds values by paths. */
export class Addresses<T> {
  readonly #byFirst = new Map<string, Address<T>[]>();

  /**
   * Puts a value at a path such as `/protocols/{id}`. Of two paths that match, the one that was added first counts. If
   * `takesRest`, the parameter at the end takes the rest of a path.
   */
  add(path: string, value: T, takesRest = false): void {
    const [, first = '', ...rest] = path.split('/');
    const segments = [first, ...rest].map(segmentOf);
    this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), { segments, takesRest, value }]);
  }

  /**
   * Returns what is at a path; undefined if nothing is. A path may end with a slash. Throws a `Problem` if the path cannot
   * be decoded.
   */
  find(path: string): Found<T> | undefined {
    const sent = path.split('/').slice(1);
    for (const { segments, takesRest, value } of this.#byFirst.get(sent[0] ?? '') ?? []) {
      const words = takesRest ? restAsOne(sent, segments.length) : withoutSlash(sent);
      if (matches(segments, words)) return { value, params: paramsOf(segments, words) };
    }
    return undefined;
  }
}

const withoutSlash = (sent: readonly string[]): readonly string[] =>
  sent.length > 1 && sent.at(-1) === '' ? sent.slice(0, -1) : sent;

const segmentOf = (text: string): Segment => {
  const parameter = /^\{(\w+)\}$/.exec(text)?.[1];
  return parameter === undefined ? { word: text } : { parameter };
};

const restAsOne = (sent: readonly string[], length: number): readonly string[] =>
  sent.length < length ? sent : [...sent.slice(0, length - 1), sent.slice(length - 1).join('/')];

const matches = (segments: readonly Segment[], words: readonly string[]): boolean =>
  segments.length === words.length &&
  segments.every((segment, at) => ('word' in segment ? segment.word === words[at] : words[at] !== ''));

const paramsOf = (segments: readonly Segment[], words: readonly string[]): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    if ('parameter' in segment) params[segment.parameter] = decoded(words[at] ?? '');
  }
  return params;
};

const decoded = (word: string): string => {
  if (!word.includes('%')) return word;
  try {
    return decodeURIComponent(word);
  } catch {
    throw new Problem('malformed-request');
  }
};
