// How problems are written. A group of paths may have a format of its own.
import { problemDocument } from './problems.js';

/** The media type of problems, and how the document of a problem is written. */
export interface ProblemFormat {
  readonly type: string;
  readonly write: typeof problemDocument;
}

/** The format of problems outside the groups that have their own. */
export const problemJson: ProblemFormat = { type: 'application/problem+json', write: problemDocument };

/** Paths below some prefixes, and the format of their problems. */
interface Formatted {
  readonly prefixes: readonly string[];
  readonly problems?: ProblemFormat;
}

/** Returns the format of problems at a path. The path need not have a route. */
export type ProblemFormatAt = (path: string) => ProblemFormat;

/** Returns a function that returns the format of the first group that has one and a prefix above a path. */
export const problemFormatsOf =
  (groups: readonly Formatted[]): ProblemFormatAt =>
  (path) => {
    const isAt = ({ problems, prefixes }: Formatted) =>
      problems !== undefined && prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
    return groups.find(isAt)?.problems ?? problemJson;
  };
