// The definition of a kind of problem (RFC 9457).
import type { z } from 'zod';
import type { RequestError } from './request-errors.js';

/** A kind of problem as clients see it. */
export interface Kind {
  readonly status: number;
  readonly title: string;
  /** What to do next. */
  readonly detail: string;
  /** The members of the problem document, in addition to the members of every problem. */
  readonly members?: Readonly<Record<string, z.ZodType>>;
  /** The values of these members in the example that OpenAPI shows. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** The errors in that example, for a kind that lists errors. */
  readonly errors?: readonly RequestError[];
}

/** The properties that a kind must define if its problems carry the details of an error. */
export type Saying<Details> = keyof Details extends never
  ? unknown
  : 'errors' extends keyof Details
    ? { readonly errors: readonly RequestError[] }
    : {
        readonly members: { readonly [K in keyof Details]-?: z.ZodType };
        readonly example: Details;
      };
