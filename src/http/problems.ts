// Every way in which a request can fail, as problem details (RFC 9457); their kinds are in problem-kinds.ts.
import { TooManyPasswords } from '../auth/passwords.js';
import { Refused } from '../auth/refused.js';
import { PreconditionFailed, TooContended } from '../commands/context.js';
import { DomainError } from '../domain/errors.js';
import { AppendTooLarge, PersonalKeyMissing, StoreUnavailable } from '../infrastructure/errors.js';
import { type ProblemCode, problemKinds } from './problem-kinds.js';

/** One thing that is wrong with a request: in the body (a JSON pointer, RFC 6901) or in a path, query or header parameter. */
export type RequestError = { readonly code: string; readonly message: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
);

type ProblemHeaders = Readonly<Record<string, string | string[]>>;

/** A failure that is answered as it is. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly RequestError[];
  readonly headers: ProblemHeaders;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    more: {
      readonly errors?: readonly RequestError[];
      readonly headers?: ProblemHeaders;
      readonly extensions?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(code);
    this.name = 'Problem';
    this.code = code;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
    this.extensions = more.extensions ?? {};
  }

  get status(): number {
    return problemKinds[this.code].status;
  }
}

/** A path of keys as a JSON pointer (RFC 6901). */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The errors of the layers below by their codes, with the seconds after which to try again where that may help. */
const ERRORS: readonly (readonly [
  type: abstract new (...given: never) => Error,
  code: ProblemCode,
  retryAfter?: number,
])[] = [
  [PreconditionFailed, 'revision-mismatch'],
  [AppendTooLarge, 'too-large'],
  [PersonalKeyMissing, 'personal-key-missing', 30],
  [TooContended, 'too-contended', 1],
  [TooManyPasswords, 'too-many-passwords', 2],
  [StoreUnavailable, 'store-unavailable', 5],
];

/** What a failure is to a client. Everything unforeseen is an internal error, of which nothing is told. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
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

const ofDomain = ({ code, details }: DomainError): Problem =>
  'errors' in details
    ? new Problem(code, {
        errors: details.errors.map(({ path, ...rest }) => ({ pointer: pointerTo(path), ...rest })),
      })
    : new Problem(code);

/** What the files of the pages are refused by, and paths that cannot be decoded. */
const EXPRESS: Readonly<Record<number, ProblemCode>> = {
  400: 'malformed-request',
  412: 'revision-mismatch',
  416: 'range-not-satisfiable',
};

// What Express and its body parser refuse carries a status; `type` says what it was (body-parser's documentation).
const ofExpress = (error: unknown): Problem => {
  const { status, type } = (error ?? {}) as { status?: unknown; type?: unknown };
  if (type === 'entity.too.large') return new Problem('too-large');
  if (type === 'encoding.unsupported') {
    return new Problem('unsupported-media-type', { headers: { 'Accept-Encoding': 'gzip, deflate, br' } });
  }
  return new Problem(EXPRESS[Number(status)] ?? 'internal-error');
};

/** The problem document of a failure; `requestId` names this occurrence of it. */
export const problemDocument = ({ code, errors, extensions }: Problem, requestId: string): string => {
  const { status, title, detail } = problemKinds[code];
  const type = `urn:clinical-protocols:problem:${code}`;
  const document = { type, title, status, detail, instance: `urn:uuid:${requestId}`, code, ...extensions };
  return JSON.stringify(errors.length === 0 ? document : { ...document, errors });
};
