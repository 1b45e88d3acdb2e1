// Every kind of problem (RFC 9457) by its code: the one place where codes get their status and their advice.
import { z } from 'zod';
import { domainProblems } from './domain-problems.js';
import type { Kind } from './problem-kind.js';
import { signInProblems } from './sign-in-problems.js';

/** Every problem by code. */
export const problemKinds = {
  ...domainProblems,
  ...signInProblems,
  'malformed-json': {
    status: 400,
    title: 'The body is not JSON',
    detail: 'Send one JSON object in UTF-8; nothing was stored.',
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
    title: 'The request cannot be read',
    detail: 'Check its first line, its headers and how it frames its body.',
  },
  'cross-site-request': {
    status: 403,
    title: 'This may not be asked for by another site',
    detail: 'Use the page itself. Other clients say where they come from: Sec-Fetch-Site: same-origin.',
  },
  'route-not-found': {
    status: 404,
    title: 'No such address',
    detail: 'GET /openapi.json lists every address; GET /docs shows them.',
  },
  'log-not-signed': {
    status: 404,
    title: 'The audit log is not signed yet',
    detail: 'A worker signs it within seconds once it runs and an event is recorded. Try again then.',
  },
  'tile-not-found': {
    status: 404,
    title: 'The signed tree has no such tile',
    detail:
      'Read the checkpoint for the size of the tree. The path must be as C2SP tlog-tiles says, for example `000.p/8` for the first 8 hashes.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'This address does not take this method',
    detail: 'The Allow header lists the methods that it takes.',
  },
  'not-acceptable': {
    status: 406,
    title: 'The answer has none of the forms that are accepted',
    detail: 'Send an Accept header with one of the media types that the documentation names, or none.',
  },
  'request-timeout': { status: 408, title: 'The request took too long to arrive', detail: 'Send it again, faster.' },
  'request-in-progress': {
    status: 409,
    title: 'The same request is being worked on',
    detail: 'Ask again after Retry-After seconds with the same Idempotency-Key.',
  },
  'revision-mismatch': {
    status: 412,
    title: 'The resource has changed',
    detail: 'Read it again and send the change with its new ETag in If-Match.',
  },
  'too-large': {
    status: 413,
    title: 'The request is too large',
    detail:
      'Send a smaller request. `limit` is how many bytes its body may have, unpacked; without `limit`, what would be recorded of it exceeds 1 MiB.',
    members: {
      limit: z.int().min(1).optional().describe('The most bytes that the body of this operation may have, unpacked.'),
    },
    example: { limit: 1_048_576 },
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is of a type that is not taken',
    detail: 'Send application/json in UTF-8, plain or as gzip, deflate or br.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'The file has no such part',
    detail: 'Content-Range says how long it is. Leave the Range header out to have all of it.',
  },
  'misdirected-request': {
    status: 421,
    title: 'This server does not answer to that host name',
    detail: 'It is open and answers to loopback names only: use http://localhost or http://127.0.0.1.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    detail: 'Make a new key for each new request; the same key repeats the same request.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    detail:
      'Send it again after Retry-After seconds. RateLimit-Policy says how many a window has, RateLimit what is left.',
    members: {
      'violated-policies': z.array(z.string()).describe('The names of the policies that have no request left.'),
    },
    example: { 'violated-policies': ['unapproved'] },
  },
  'too-many-bodies-of-address': {
    status: 429,
    title: 'Too many request bodies are arriving from this address',
    detail: 'Wait until others from this address have arrived, and send the request again after Retry-After seconds.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    detail: 'All headers together may have 16 KiB.',
  },
  'internal-error': {
    status: 500,
    title: 'Something went wrong here',
    detail: 'It was logged under the id in `instance`. The request may be sent again with the same Idempotency-Key.',
  },
  overloaded: {
    status: 503,
    title: 'Too many requests are waiting',
    detail: 'Nothing was stored. Send the request again after Retry-After seconds.',
  },
  'store-unavailable': {
    status: 503,
    title: 'A store cannot be reached or written',
    detail:
      'Nothing is known to be stored. Send the request again after Retry-After seconds, with the same Idempotency-Key.',
  },
  'personal-key-missing': {
    status: 503,
    title: "The key of this person's data is not in the vault",
    detail:
      'Nothing was stored. The person is being erased just now, or the key was lost: then an operator runs `npm run cli -- verify`.',
  },
  'too-contended': {
    status: 503,
    title: 'Too many changes at once',
    detail: 'Others changed the same resource at every attempt; nothing was stored. Send it again.',
  },
  'too-many-passwords': {
    status: 503,
    title: 'Too many passwords at once',
    detail: 'Each takes its time on purpose; nothing was stored. Send the request again after Retry-After seconds.',
  },
  'erasure-unfinished': {
    status: 503,
    title: 'The read models have not let go of the person yet',
    detail: 'The key is deleted and the erasure is recorded. Send the request again to complete it.',
  },
  'too-many-bodies': {
    status: 503,
    title: 'Too many request bodies are arriving',
    detail: 'Nothing was stored. Send the request again after Retry-After seconds.',
  },
  'log-behind': {
    status: 503,
    title: 'The signed log has not caught up',
    detail:
      'Nothing is known to be wrong: a worker signs new events within seconds. Send the request again after Retry-After seconds.',
  },
  'view-behind': {
    status: 503,
    title: 'The read model has not caught up',
    detail:
      'What you wrote is stored. Ask again after Retry-After seconds, or without the Consistency-Token for what is there now. `lag` says how many seconds the read model is behind.',
    members: {
      projection: z.string().describe('The name of the read model.'),
      lag: z
        .object({ seconds: z.int().min(0) })
        .describe('For how many seconds the next event of the read model has waited to be folded.'),
    },
    example: { projection: 'protocols', lag: { seconds: 3 } },
  },
} as const satisfies Record<string, Kind>;

/** The codes of all problems: a stable word that clients go by. */
export type ProblemCode = keyof typeof problemKinds;
