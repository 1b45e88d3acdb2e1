// The problems in the OpenAPI document: one schema, and one response for each status.
import { z } from 'zod';
import { type DomainErrorCode, FieldErrorCode, type Refusals } from '../../domain/errors.js';
import { ResponseType } from '../../domain/protocol/response-type.js';
import { Finding } from '../../domain/scoring/schemas.js';
import { approvalStatuses } from '../../domain/user/state.js';
import { conditions } from '../access/access.js';
import { type ProblemCode, type ProblemStatus, problemKinds } from '../problems/problem-kinds.js';
import { Problem, problemDocument } from '../problems/problems.js';
import { errorLimits } from '../problems/request-errors.js';
import type { Json } from '../request/json-schemas.js';
import { type Components, type HeaderName, headersNamed } from './components.js';

/** The details of a refusal, which become members of its problem. */
type Detail = { readonly [C in DomainErrorCode]: keyof Refusals[C] }[DomainErrorCode];

const RequestError = z
  .object({
    pointer: z
      .string()
      .max(errorLimits.pointer)
      .optional()
      .describe(
        'A JSON pointer into the body (RFC 6901). A pointer above the maximum length is truncated and ends with an ellipsis (…).',
      ),
    parameter: z.string().optional().describe('The name of a path, query or header parameter.'),
    code: FieldErrorCode,
    message: z.string().describe('The fault in English. It completes a sentence that begins with the field.'),
  })
  .describe('A fault of the request. Either `pointer` or `parameter` is its place.')
  .meta({ id: 'RequestError' });

const id = z.uuid();

const members = {
  errors: z.array(RequestError).max(errorLimits.errors).describe('All faults of the request, one item for each place.'),
  errorsTruncated: z
    .literal(true)
    .describe(
      `The request has more faults than \`errors\` lists. The list ends at ${errorLimits.errors} items or 64 KiB.`,
    ),
  knownParameters: z
    .array(z.string())
    .describe('The query parameters of this path. Present if the request has unknown parameters.'),
  formId: id,
  version: z.int().describe('The requested version of the form.'),
  questionId: id,
  optionId: id,
  unityId: id,
  userId: id,
  attached: z.array(id).describe('The users whom the request attached before a user was erased.'),
  profileId: id,
  approvalStatus: z.enum(approvalStatuses).describe('The status of the profile.'),
  responseType: ResponseType.describe('The type of the question, which takes no options.'),
  limit: z.int().min(1).describe('The maximum of what was exceeded; of a body, its bytes after decompression.'),
  bytes: z.int().min(1).describe('The size that the form would have, in bytes.'),
  findings: z.array(Finding).describe('The errors of the form, and `totals-undecided`.'),
  ownerRef: id.describe('The id of the user, for requesting a code.'),
  allowed: z.array(z.enum(Object.keys(conditions))).describe('The callers that the operation allows.'),
  'violated-policies': z.array(z.string()).describe('The names of the exhausted policies of RateLimit-Policy.'),
  projection: z.string().describe('The name of the read model that has not caught up.'),
  lag: z
    .object({ seconds: z.int().min(0) })
    .describe('The seconds for which the next event has waited for the read model.'),
} satisfies Record<Detail, z.ZodType> & Record<string, z.ZodType>;

const ProblemDetails = z
  .object({
    type: z.url(),
    title: z.string().describe('What is wrong.'),
    status: z.int(),
    detail: z.string().describe('What to do next.'),
    instance: z.string().describe('The id of the request, which is also in X-Request-Id and in the log.'),
    code: z
      .string()
      .describe('The stable code of the problem. Clients should use this member to distinguish problems.'),
    ...z.object(members).partial().shape,
  })
  .describe('Problem details (RFC 9457). Future versions may add members to a problem.')
  .meta({ id: 'Problem' });

/** Returns the responses of an operation with these problems, by status. Operations share one response for a status. */
export const problemsOf = (codes: readonly ProblemCode[], components: Components): Json =>
  Object.fromEntries(statusesOf(codes).map((status) => [status, responseWith(status, components)]));

/** Returns the codes of these problems for the description of an operation, by status. */
export const problemsInWords = (codes: readonly ProblemCode[]): string =>
  statusesOf(codes)
    .map((status) => `- ${status}: \`${codesWith(status, codes).join('`, `')}\``)
    .join('\n');

const statusesOf = (codes: readonly ProblemCode[]) => [...new Set(codes.map((code) => problemKinds[code].status))];
const codesWith = (status: ProblemStatus, codes: readonly ProblemCode[]) =>
  codes.filter((code) => problemKinds[code].status === status);

const responseWith = (status: ProblemStatus, components: Components): Json => {
  const codes = codesWith(status, Object.keys(problemKinds) as ProblemCode[]);
  return components.add('responses', NAMES[status], {
    description: codes.map((code) => `\`${code}\`: ${problemKinds[code].title}.`).join('\n'),
    ...headersNamed(HEADERS[status] ?? []),
    content: {
      'application/problem+json': {
        schema: {
          type: 'object',
          allOf: [components.schemaOf(ProblemDetails, 'output')],
          properties: { status: { const: status }, code: { enum: codes } },
        },
        example: exampleOf(codes),
      },
    },
  });
};

/** The names of the responses, for generated clients. */
const NAMES: { readonly [S in ProblemStatus]: string } = {
  ...{ 400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 405: 'MethodNotAllowed' },
  ...{ 408: 'RequestTimeout', 409: 'Conflict', 410: 'Gone', 412: 'PreconditionFailed' },
  ...{ 413: 'PayloadTooLarge', 415: 'UnsupportedMediaType', 416: 'RangeNotSatisfiable', 421: 'MisdirectedRequest' },
  ...{ 422: 'UnprocessableContent', 429: 'TooManyRequests', 431: 'HeadersTooLarge', 500: 'InternalServerError' },
  503: 'ServiceUnavailable',
};

const HEADERS: { readonly [S in ProblemStatus]?: readonly HeaderName[] } = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Policy', 'RateLimit'],
};

const REQUEST_ID = '018f4c3e-7a12-7d03-9100-2b3c4d5e6f70';
const ERRORS = [{ pointer: '/name', code: 'required', message: 'is required' }] as const;

/** Returns the document of the first of these problems, without details except errors of fields. */
const exampleOf = ([code = 'internal-error']: readonly ProblemCode[]): unknown =>
  JSON.parse(
    problemDocument(new Problem(code, code === 'fields-refused' ? { errors: ERRORS } : {}), REQUEST_ID, false),
  );
