// Converts every failure of a request to problem details (RFC 9457). `problem-kinds.ts` defines the kinds.
import { LogBehind } from '../../audit/evidence.js';
import { TooManyPasswords } from '../../auth/passwords/passwords.js';
import { Refused } from '../../auth/refused.js';
import { AnalysisBusy } from '../../commands/analyses.js';
import { ActorRefused, AdministratorsLocked, PreconditionFailed, TooContended } from '../../commands/context.js';
import { WalksBusy } from '../../commands/walks.js';
import { DomainError } from '../../domain/errors.js';
import { AppendTooLarge, PersonalKeyMissing, StoreUnavailable } from '../../infrastructure/errors.js';
import { Overloaded } from '../../infrastructure/pace.js';
import { ErasureUnfinished } from '../../operations/erase-user.js';
import { detailOf, type ProblemCode, problemKinds } from './problem-kinds.js';
import { type RequestError, RequestErrors } from './request-errors.js';

type ProblemHeaders = Readonly<Record<string, string | string[]>>;

/** Signals that a request failed with the problem `code`. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly RequestError[];
  /** Whether the request has more errors than `errors` lists. */
  readonly isCut: boolean;
  readonly headers: ProblemHeaders;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    more: {
      readonly errors?: readonly RequestError[];
      readonly isCut?: boolean;
      readonly headers?: ProblemHeaders;
      readonly extensions?: Readonly<Record<string, unknown>> | undefined;
    } = {},
  ) {
    super(code);
    this.name = 'Problem';
    this.code = code;
    this.errors = more.errors ?? [];
    this.isCut = more.isCut ?? false;
    this.headers = more.headers ?? {};
    this.extensions = more.extensions ?? {};
  }

  get status(): number {
    return problemKinds[this.code].status;
  }
}

/** The errors of the lower layers with their problem codes, and the seconds for Retry-After if a retry may succeed. */
const ERRORS: readonly (readonly [
  type: abstract new (...given: never) => Error,
  code: ProblemCode,
  retryAfter?: number,
])[] = [
  [PreconditionFailed, 'revision-mismatch'],
  [AppendTooLarge, 'too-large'],
  [PersonalKeyMissing, 'personal-key-missing', 30],
  [ErasureUnfinished, 'erasure-unfinished', 5],
  [AdministratorsLocked, 'too-contended', 5],
  [TooContended, 'too-contended', 1],
  [TooManyPasswords, 'too-many-passwords', 2],
  [WalksBusy, 'busy', 5],
  [Overloaded, 'overloaded', 1],
  [AnalysisBusy, 'analysis-busy', 2],
  [LogBehind, 'log-behind', 5],
  [StoreUnavailable, 'store-unavailable', 5],
];

/** Returns the problem of a failure. An unexpected error becomes an internal error and reveals no details. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (error instanceof ActorRefused) return problemOf(error.cause);
  if (error instanceof DomainError) return ofDomain(error);
  if (error instanceof Refused) return ofRefused(error);
  const kind = ERRORS.find(([type]) => error instanceof type);
  if (kind === undefined) return ofExpress(error);
  const [, code, retryAfter] = kind;
  return new Problem(code, retryAfter === undefined ? {} : { headers: { 'Retry-After': `${retryAfter}` } });
};

const ofRefused = ({ code, retryAfterS, extensions }: Refused): Problem =>
  new Problem(code, {
    extensions,
    ...(retryAfterS !== undefined && { headers: { 'Retry-After': `${retryAfterS}` } }),
  });

const ofDomain = ({ code, details }: DomainError): Problem => {
  if (!('errors' in details)) return new Problem(code, { extensions: details });
  const refused = new RequestErrors();
  for (const each of details.errors) refused.inBody(each.path, each.code, each.message);
  return new Problem(code, refused);
};

/**
 * The problems of the errors that Express reports with a status, for static files and for paths that cannot be decoded.
 */
const EXPRESS: Readonly<Record<number, ProblemCode>> = {
  400: 'malformed-request',
  412: 'revision-mismatch',
  416: 'range-not-satisfiable',
};

const ofExpress = (error: unknown): Problem => {
  const { status } = (error ?? {}) as { status?: unknown };
  return new Problem(EXPRESS[Number(status)] ?? 'internal-error');
};

/** Returns the headers of the response to a failure. A 401 names a way to sign in (RFC 9110, 15.5.2). */
export const headersOf = ({ status, headers }: Problem): ProblemHeaders => ({
  ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
  ...headers,
});

/**
 * Returns the problem document of a failure as JSON. `requestId` identifies this occurrence of the problem. `isRead`:
 * whether the request only reads.
 */
export const problemDocument = (
  { code, errors, isCut, extensions }: Problem,
  requestId: string,
  isRead: boolean,
): string => {
  const { status, title } = problemKinds[code];
  const detail = detailOf(code, isRead);
  const type = `urn:clinical-protocols:problem:${code}`;
  const document = { type, title, status, detail, instance: `urn:uuid:${requestId}`, code, ...extensions };
  return JSON.stringify({
    ...document,
    ...(errors.length > 0 && { errors }),
    ...(isCut && { errorsTruncated: true }),
  });
};
