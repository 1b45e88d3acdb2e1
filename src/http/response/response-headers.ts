// The response headers of the API, for its document and for pages of other origins.

/** The response headers. */
export const responseHeaders = {
  ETag: { description: 'The revision of the aggregate, or a digest of a page of a list.', schema: { type: 'string' } },
  'Consistency-Token': {
    description:
      'Send this token with a GET request to get a response that is at least as recent as this one. Every write has one. A read has one if its state comes from the log because the read model is behind.',
    schema: { type: 'string' },
  },
  Location: {
    description:
      'The URL of the created resource, or of the next page to open. Questions, options and unities have no URL of their own, so this is the URL of their form or institution.',
    schema: { type: 'string' },
  },
  Link: {
    description: 'The URL of the next page, with rel="next". Absent on the last page.',
    schema: { type: 'string' },
  },
  'Set-Cookie': {
    description: 'The cookies of a sign-in, which no script can read, or the same cookies without a value.',
    schema: { type: 'string' },
  },
  'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string' },
  },
  'Message-Withheld': {
    description: '`quota` if a quota prevented the message of this request from being sent.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'For each policy by name: the quota of requests (q) in a window of seconds (w).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'For each policy by name: the remaining requests (r), and the seconds until the window ends (t).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'The number of seconds to wait before a retry.', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'The authentication scheme, and the reason why the token was rejected.',
    schema: { type: 'string' },
  },
} as const;
