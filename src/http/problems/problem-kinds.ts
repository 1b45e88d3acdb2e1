// All problems (RFC 9457) by code, with their status, title and advice.
import { z } from 'zod';
import { domainProblems } from './domain-problems.js';
import type { Kind } from './problem-kind.js';
import { signInProblems } from './sign-in-problems.js';

/** All problems by code. */
export const problemKinds = {
  ...domainProblems,
  ...signInProblems,
  'malformed-json': {
    status: 400,
    title: 'The body is not JSON',
    detail: 'Nothing was stored. Send one JSON object in UTF-8.',
    errors: [
      {
        pointer: '',
        code: 'malformed-json',
        message: 'must be JSON: something is wrong at position 17 (line 2 column 3)',
      },
    ],
  },
  'malformed-request': {
    status: 400,
    title: 'The request is malformed',
    detail: 'Check the request line, the headers and the framing of the body.',
  },
  'cross-site-request': {
    status: 403,
    title: 'Other sites may not send this request',
    detail: 'Use the page of this service. Clients other than browsers must send Sec-Fetch-Site: same-origin.',
  },
  'route-not-found': {
    status: 404,
    title: 'No such path',
    detail: 'GET /openapi.json lists all paths, and GET /docs shows them.',
  },
  'log-not-signed': {
    status: 404,
    title: 'The audit log is not signed yet',
    detail: 'A running worker signs the log within seconds after the first event is recorded. Try again then.',
  },
  'tile-not-found': {
    status: 404,
    title: 'The signed tree has no such tile',
    detail:
      'Read the checkpoint for the size of the tree. The path must follow C2SP tlog-tiles, for example `000.p/8` for the first 8 hashes.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not support this method',
    detail: 'The Allow header lists the supported methods.',
  },
  'not-acceptable': {
    status: 406,
    title: 'None of the accepted media types is available',
    detail: 'Send an Accept header with one of the documented media types, or no Accept header.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    detail: 'Send the request again, faster.',
  },
  'request-in-progress': {
    status: 409,
    title: 'The same request is still in progress',
    detail: 'Retry after Retry-After seconds with the same Idempotency-Key.',
  },
  'revision-mismatch': {
    status: 412,
    title: 'The resource has changed',
    detail: 'Read the resource again and send the change with the new ETag in If-Match.',
  },
  'too-large': {
    status: 413,
    title: 'The request is too large',
    detail:
      'Send a smaller request. `limit` is the maximum size of the body in bytes after decompression. Without `limit`, the events of the request would exceed 1 MiB.',
    members: {
      limit: z.int().min(1).optional().describe('The maximum size of the body in bytes after decompression.'),
    },
    example: { limit: 1_048_576 },
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type of the body is not supported',
    detail: 'Send application/json in UTF-8, plain or as gzip, deflate or br.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'The file does not have this range',
    detail: 'Content-Range shows the length of the file. Omit the Range header to get the whole file.',
  },
  'misdirected-request': {
    status: 421,
    title: 'This server does not serve this host name',
    detail: 'In open mode, it serves only loopback names: use http://localhost or http://127.0.0.1.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    detail: 'Use a new key for each new request. The same key repeats the same request.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    detail:
      'Retry after Retry-After seconds. RateLimit-Policy contains the quotas, and RateLimit the remaining requests.',
    members: {
      'violated-policies': z.array(z.string()).describe('The names of the exhausted policies.'),
    },
    example: { 'violated-policies': ['unapproved'] },
  },
  'too-many-bodies-of-address': {
    status: 429,
    title: 'Too many request bodies are arriving from this address',
    detail: 'Wait until other requests from this address have arrived, and retry after Retry-After seconds.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    detail: 'All headers together must not exceed 16 KiB.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    detail: 'The error was logged with the id in `instance`. You may retry the request with the same Idempotency-Key.',
  },
  overloaded: {
    status: 503,
    title: 'The server is overloaded',
    detail: 'Nothing was stored. Retry after Retry-After seconds.',
  },
  'store-unavailable': {
    status: 503,
    title: 'A store is unavailable',
    detail:
      'The request may or may not have been stored. Retry after Retry-After seconds with the same Idempotency-Key.',
  },
  'personal-key-missing': {
    status: 503,
    title: "The key of this person's data is not in the vault",
    detail:
      'Nothing was stored. Either the person is being erased, or the key was lost. In the latter case, an operator should run `npm run cli -- verify`.',
  },
  'too-contended': {
    status: 503,
    title: 'Too many concurrent changes',
    detail:
      'Nothing was stored, because other requests changed the same resource at every attempt, or another request is taking the role of an administrator. Retry after Retry-After seconds.',
  },
  'too-many-passwords': {
    status: 503,
    title: 'Too many passwords at once',
    detail: 'Nothing was stored. Hashing a password is slow by design. Retry after Retry-After seconds.',
  },
  'erasure-unfinished': {
    status: 503,
    title: 'The read models still show the person',
    detail: 'The key is deleted and the erasure is recorded. Send the request again to complete it.',
  },
  'too-many-bodies': {
    status: 503,
    title: 'Too many request bodies are arriving',
    detail: 'Nothing was stored. Retry after Retry-After seconds.',
  },
  'log-behind': {
    status: 503,
    title: 'The signed log has not caught up',
    detail: 'A worker normally signs new events within seconds. Retry after Retry-After seconds.',
  },
  'view-behind': {
    status: 503,
    title: 'The read model has not caught up',
    detail:
      'Your write is stored. Retry after Retry-After seconds, or omit the Consistency-Token to read the current state of the read model. `lag` is the delay of the read model in seconds.',
    members: {
      projection: z.string().describe('The name of the read model.'),
      lag: z
        .object({ seconds: z.int().min(0) })
        .describe('The seconds for which the next event has waited for the read model.'),
    },
    example: { projection: 'protocols', lag: { seconds: 3 } },
  },
} as const satisfies Record<string, Kind>;

/** The codes of all problems, which are stable for clients. */
export type ProblemCode = keyof typeof problemKinds;
