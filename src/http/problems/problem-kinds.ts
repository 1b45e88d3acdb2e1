// All problems (RFC 9457) by code, with their status, title and advice. OpenAPI and every response take them from here.
import type { RefusedCode } from '../../auth/refused.js';
import { kind, type ProblemKind, refusalKinds } from './refusal-kinds.js';

/** All problems by code. */
export const problemKinds = {
  ...refusalKinds,
  // Sign-in and tokens.
  'sign-in-refused': kind(
    401,
    'Wrong e-mail or password',
    'Check both. The response does not reveal which of them is wrong.',
  ),
  'user-disabled': kind(403, 'This user is disabled', 'An administrator can enable the user again.'),
  'too-many-failures': kind(
    429,
    'Too many failed sign-ins',
    'Try again after Retry-After seconds. The password was not checked.',
  ),
  'refresh-refused': kind(
    401,
    'The refresh token is not valid',
    'It was already used, or its session has ended. Sign in again.',
  ),
  'session-not-found': kind(
    404,
    'You have no such session',
    'The session may have ended. GET /auth-service/sessions lists your active sessions.',
  ),
  'password-change-required': kind(
    403,
    'The initial password was already used',
    'Set a new password: request a code with POST /auth-service/password/reset-code and redeem it with POST /auth-service/password/reset.',
  ),
  'activation-required': kind(
    403,
    'This user is not activated yet',
    'Request a code at /auth-service/activation-code with the `ownerRef` of this response, and redeem it at /auth-service/activate.',
  ),
  'code-refused': kind(
    400,
    'The code is not valid',
    'The code is wrong, was already used, has expired, or was attempted too often. The code of a new e-mail address also requires the `password`. Otherwise, request another code.',
  ),
  'too-many-codes': kind(429, 'Too many codes were requested', 'Retry after Retry-After seconds.'),
  'current-password-refused': kind(
    403,
    'The current password is wrong',
    'Check the password. If the user has forgotten it, request a code with POST /auth-service/password/reset-code.',
  ),
  'other-user': kind(403, 'You can do this only for your own user', 'Omit the id of the user, or send your own id.'),
  'token-refused': kind(
    401,
    'The access token is not valid',
    'The token has expired, its session has ended, or this service did not issue it. Refresh the token, or sign in again.',
  ),
  'sign-in-required': kind(401, 'Sign-in required', 'Send the token of a sign-in: Authorization: Bearer <token>.'),
  insufficient_user_authentication: kind(
    401,
    'The sign-in is too old for this request',
    'Sign in again with POST /auth-service/auth and send the request with the new token. Refreshing a token does not change the time of its sign-in. `max_age` in WWW-Authenticate is the maximum age of a sign-in in seconds.',
  ),
  'not-allowed': kind(
    403,
    'You may not do this',
    '`allowed` lists the allowed callers. A role that you received recently is in your token after the next sign-in or refresh.',
  ),
  'tokens-refused': kind(
    401,
    'The tokens cannot be stored or renewed',
    'The tokens are missing, invalid, or belong to different sessions. If the response removes the cookies, sign in again.',
  ),
  // HTTP, load and stores.
  'malformed-json': kind(400, 'The body is not JSON', 'Nothing was stored. Send one JSON object in UTF-8.'),
  'malformed-request': kind(
    400,
    'The request is malformed',
    'Check the request line, the headers and the framing of the body.',
  ),
  'cross-site-request': kind(
    403,
    'Other sites may not send this request',
    'Use the page of this service. Clients other than browsers must send Sec-Fetch-Site: same-origin. If the page belongs to the service, a proxy hides its address: the operator should set PUBLIC_URL to the address in the browser.',
  ),
  'route-not-found': kind(404, 'No such path', 'GET /openapi.json lists all paths, and GET /docs shows them.'),
  'log-not-signed': kind(
    404,
    'The audit log is not signed yet',
    'A running worker signs the log within seconds after the first event is recorded. Try again then.',
  ),
  'tile-not-found': kind(
    404,
    'The signed tree has no such tile',
    'Read the checkpoint for the size of the tree. The path must follow C2SP tlog-tiles, for example `000.p/8` for the first 8 hashes.',
  ),
  'method-not-allowed': kind(
    405,
    'The path does not support this method',
    'The Allow header lists the supported methods.',
  ),
  'request-timeout': kind(408, 'The request took too long to arrive', 'Send the request again, faster.'),
  'request-in-progress': kind(
    409,
    'The same request is still in progress',
    'Retry after Retry-After seconds with the same Idempotency-Key.',
  ),
  'revision-mismatch': kind(
    412,
    'The resource has changed',
    'Read the resource again and send the change with the new ETag in If-Match.',
  ),
  'too-large': kind(
    413,
    'The request is too large',
    'Send a smaller request. `limit` is the maximum size of the body in bytes after decompression. Without `limit`, the events of the request would exceed 1 MiB.',
  ),
  'body-too-scattered': kind(
    413,
    'The body arrives in too many chunks',
    'Send the body in larger chunks, or with a Content-Length.',
  ),
  'unsupported-media-type': kind(
    415,
    'The media type of the body is not supported',
    'Send application/json in UTF-8, plain or as gzip, deflate or br.',
  ),
  'range-not-satisfiable': kind(
    416,
    'The file does not have this range',
    'Content-Range shows the length of the file. Omit the Range header to get the whole file.',
  ),
  'misdirected-request': kind(
    421,
    'This server does not serve this host name',
    'In open mode, it serves only loopback names: use http://localhost or http://127.0.0.1.',
  ),
  'idempotency-key-reused': kind(
    422,
    'The Idempotency-Key was used for another request',
    'Use a new key for each new request. The same key repeats the same request.',
  ),
  'too-many-requests': kind(
    429,
    'Too many requests',
    'Retry after Retry-After seconds. RateLimit-Policy contains the quotas, and RateLimit the remaining requests.',
  ),
  'analysis-busy': kind(
    429,
    'Too many analyses are waiting',
    'At most four analyses of a caller can wait. Retry after Retry-After seconds.',
  ),
  'too-many-bodies-of-address': kind(
    429,
    'Too many request bodies are arriving from this address',
    'Wait until other requests from this address have arrived, and retry after Retry-After seconds.',
  ),
  'headers-too-large': kind(431, 'The headers are too large', 'All headers together must not exceed 16 KiB.'),
  'internal-error': kind(
    500,
    'Internal error',
    'The error was logged with the id in `instance`. You may retry the request with the same Idempotency-Key.',
  ),
  overloaded: kind(503, 'The server is overloaded', 'Nothing was stored. Retry after Retry-After seconds.'),
  busy: kind(
    503,
    'Too many long reads are waiting',
    'The audit trail, the list of all forms and the past are read for a few callers at a time. Retry after Retry-After seconds.',
  ),
  'store-unavailable': kind(
    503,
    'A store is unavailable',
    'Retry after Retry-After seconds. A write may have been stored: repeat it with the same Idempotency-Key.',
  ),
  'personal-key-missing': kind(
    503,
    "The key of this person's data is not in the vault",
    'Nothing was stored. Either the person is being erased, or the key was lost. In the latter case, an operator should run the command `verify`.',
  ),
  'too-contended': kind(
    503,
    'Too many concurrent changes',
    'Nothing was stored, because other requests changed the same resource at every attempt, or another request is taking the role of an administrator. Retry after Retry-After seconds.',
  ),
  'too-many-passwords': kind(
    503,
    'Too many passwords at once',
    'Nothing was stored. Hashing a password is slow by design. Retry after Retry-After seconds.',
  ),
  'erasure-unfinished': kind(
    503,
    'The read models, or files of the stores, still have the person',
    'The key is deleted and the erasure is recorded. Send the request again to complete it.',
  ),
  'too-many-bodies': kind(
    503,
    'Too many request bodies are arriving',
    'Nothing was stored. Retry after Retry-After seconds.',
  ),
  'log-behind': kind(
    503,
    'The signed log has not caught up',
    'A worker normally signs new events within seconds. Retry after Retry-After seconds.',
  ),
  'view-behind': kind(
    503,
    'The read model has not caught up',
    'Your write is stored. Retry after Retry-After seconds, or omit the Consistency-Token to read the current state of the read model. `lag` is the delay of the read model in seconds.',
  ),
} satisfies Record<RefusedCode, ProblemKind> & Record<string, ProblemKind>;

const NOTHING_STORED = 'Nothing was stored. ';

/** Returns what a client should do next. A request that only reads need not know that nothing was stored. */
export const detailOf = (code: ProblemCode, isRead: boolean): string => {
  const { detail } = problemKinds[code];
  return isRead && detail.startsWith(NOTHING_STORED) ? detail.slice(NOTHING_STORED.length) : detail;
};

/** The codes of all problems, which are stable for clients. */
export type ProblemCode = keyof typeof problemKinds;
export type ProblemStatus = (typeof problemKinds)[ProblemCode]['status'];
