// Writes responses. A body is compressed as a whole before its first byte is sent, because an encoder for each response
// would take megabytes until its client has read it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { headersOf, type Problem } from '../problems/problems.js';
import { acceptedCoding, type Coding, compressed, isCompressionBusy, MIN_BYTES } from './compression.js';
import { type Fields, fieldsOf } from './head.js';
import { isSafe } from './methods.js';
import { contextOf } from './request-context.js';

/** A response in the form in which it is stored and replayed. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isAlwaysSent?: boolean;
  /** The values of Set-Cookie headers. A response with cookies is never stored. */
  readonly cookies?: readonly string[];
}

/** A body: text or bytes, or texts that are made while they are sent. */
export type Body = string | Uint8Array | AsyncIterable<string>;

type Success = Omit<StoredResponse, 'body'> & { readonly body: Body };

/** A body that never changes, in every coding. */
export interface Asset {
  readonly type: string;
  readonly tag: string;
  readonly cacheControl: string;
  readonly codings: { readonly [C in Coding | 'identity']: Buffer };
}

/** Resolves when the body is written; undefined if it is written already. */
type Sent = Promise<void> | undefined;

/** The media type of a response, unless its route has others. */
export const JSON_TYPE = 'application/json';
// A longer body is written part by part, which shows whether its client reads.
const PART_BYTES = 65_536;
// How often a long response asks whether its client may still have it.
const RECHECK_MS = 5_000;
// A stream holds about two pages of events.
const STREAM_BYTES = 1_048_576;

/** Writes the response to a successful request. `type`: the media type of its body. */
export const sendResponse = (response: Response, success: Success, type = JSON_TYPE): Sent => {
  const { headers, cookies, body } = success;
  const fields = fieldsOf(headers);
  if (cookies !== undefined) fields.push('Set-Cookie', cookies);
  if (isSafe(response.req.method)) {
    if (headers['Cache-Control'] === undefined) fields.push('Cache-Control', 'no-cache');
    if (hasSentUnchanged(response, validatorOf(success), fields)) return undefined;
  }
  if (body !== '' && headers['Content-Type'] === undefined) fields.push('Content-Type', contentTypeOf(type));
  return sendWhole(response, success, fields);
};

const sendWhole = (response: Response, { status, body }: Success, fields: Fields): Sent => {
  if (body === '') return sendNothing(response, status, fields);
  if (typeof body === 'string') return sendText(response, status, fields, body);
  return body instanceof Uint8Array ? sendBody(response, { status, fields }, body) : sendTexts(response, fields, body);
};

const contentTypeOf = (type: string): string => (type === 'application/octet-stream' ? type : `${type}; charset=utf-8`);

const validatorOf = ({ headers, isAlwaysSent }: Success) => (isAlwaysSent ? undefined : headers['ETag']);

/** Writes 304 if If-None-Match names this tag, so that the client has the response. Returns whether it has. */
const hasSentUnchanged = (response: Response, tag: string | undefined, fields: Fields): boolean => {
  const sent = response.req.headers['if-none-match'];
  if (sent === undefined || tag === undefined) return false;
  // The comparison is weak (RFC 9110, 13.1.2).
  const isNamed = sent.trim() === '*' || sent.split(',').some((other) => other.trim().replace(/^W\//, '') === tag);
  if (isNamed) contextOf(response).head.write(304, fields).end();
  return isNamed;
};

const sendNothing = (response: Response, status: number, fields: Fields): undefined => {
  const { head } = contextOf(response);
  head.write(status, status === 204 ? fields : [...fields, 'Content-Length', '0']).end();
};

/** Writes a response with this text as its body. `fields` include the Content-Type. */
export const sendText = (response: Response, status: number, fields: Fields, text: string): Sent => {
  const mayCompress = Buffer.byteLength(text) >= MIN_BYTES && contextOf(response).isCompressible;
  const coding = mayCompress && !isCompressionBusy() ? acceptedCoding(response.req) : undefined;
  if (coding === undefined) return sendBody(response, { status, fields }, text);
  const begin = { status, fields: [...fields, 'Content-Encoding', coding] };
  return compressed(text, coding).then((bytes) => sendBody(response, begin, bytes));
};

/** Writes the response to a failed request, in the format of its path. */
export const sendProblem = (response: Response, problem: Problem): Sent => {
  const { requestId, problems } = contextOf(response);
  const own = fieldsOf(headersOf(problem));
  const fields = [...own, 'Content-Type', contentTypeOf(problems.type), 'Cache-Control', 'no-store'];
  const text = problems.write(problem, requestId, isSafe(response.req.method));
  return sendText(response, problem.status, fields, text);
};

interface Begin {
  readonly status: number;
  readonly fields: Fields;
}

/** Writes a body of known length. `held`: the memory that the response takes until its client has read it. */
const sendBody = (response: Response, { status, fields }: Begin, body: string | Uint8Array, held?: number): Sent => {
  const { head, unread } = contextOf(response);
  const length = Buffer.byteLength(body);
  head.write(status, [...fields, 'Content-Length', String(length)]);
  if (length > PART_BYTES) return sendParts(response, partsOf(body), held ?? length);
  // Node.js writes text in one part with the headers, but bytes as a second part. ASCII needs no encoding.
  if (typeof body === 'string') response.end(body, length === body.length ? 'latin1' : 'utf8');
  else response.end(body);
  if (response.writableLength > 0) unread?.hold(response, held ?? length);
  return undefined;
};

/** Writes a body that all responses share, or 304 if the client has it. */
export const sendAsset = (response: Response, { type, tag, cacheControl, codings }: Asset): Sent => {
  const fields = ['ETag', tag, 'Cache-Control', cacheControl];
  if (hasSentUnchanged(response, tag, fields)) return undefined;
  const coding = acceptedCoding(response.req);
  fields.push('Content-Type', type, ...(coding === undefined ? [] : ['Content-Encoding', coding]));
  return sendBody(response, { status: 200, fields }, codings[coding ?? 'identity'], 0);
};

/** Writes a body of unknown length as its texts arrive. Cuts the connection once the client may not have the body. */
const sendTexts = (response: Response, fields: Fields, texts: AsyncIterable<string>): Promise<void> => {
  contextOf(response).head.write(200, fields);
  // The response to HEAD has no body, which may take as long to read as the whole log.
  if (response.req.method === 'HEAD') return sendParts(response, [], STREAM_BYTES);
  return sendParts(response, whileAllowed(response, texts), STREAM_BYTES);
};

/** Yields texts. Until the response is closed, asks every 5 s whether the client may still have it. */
async function* whileAllowed(response: Response, texts: AsyncIterable<string>): AsyncGenerator<string> {
  if (response.destroyed) return;
  const { admission } = contextOf(response);
  const refused = new AbortController();
  // The client may be waiting for its next text, or not be reading, so its connection does not wait for the next text.
  const ask = () =>
    admission?.checkLasting().catch((error: unknown) => {
      refused.abort(error);
      response.destroy();
    });
  const timer = setInterval(ask, RECHECK_MS).unref();
  response.on('close', () => clearInterval(timer));
  for await (const text of texts) {
    refused.signal.throwIfAborted();
    yield text;
  }
}

function* partsOf(body: string | Uint8Array): Generator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}

/**
 * Writes parts as the client reads them. `held`: the memory that the response takes while it waits for its client.
 * Reads no more parts once the client has closed its connection. The access log records that.
 */
const sendParts = async (
  response: Response,
  parts: Iterable<Uint8Array> | AsyncIterable<string>,
  held: number,
): Promise<void> => {
  const { unread } = contextOf(response);
  try {
    for await (const part of parts) {
      // The client is gone. Nobody needs the other parts.
      if (response.destroyed) return;
      // Node.js notes only in the next turn that the operating system has taken a part.
      if (part.length === 0 || response.write(part) || !(await isWaiting(response))) continue;
      unread?.hold(response, held);
      await drained(response);
    }
  } catch (error) {
    // The client must not take what it has for the whole body.
    response.destroy();
    throw error;
  }
  response.end();
  if (await isWaiting(response)) unread?.hold(response, held);
};

/** Returns whether written bytes wait for the client, in the next turn of the event loop. */
const isWaiting = async (response: Response): Promise<boolean> => {
  await nextTurn();
  return response.writableLength > 0 && !response.destroyed;
};

/** Resolves when the client has read what was written, or is gone. */
const drained = (response: Response): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
