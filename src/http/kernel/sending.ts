// Writes responses whose complete body is known.
import type { Request, Response } from 'express';
import { compressFromNowOn, MIN_BYTES } from '../edge/compression.js';
import { type Fields, fieldsOf } from './head.js';
import type { StoredResponse } from './idempotency.js';
import { headersOf, type Problem, problemDocument } from './problems.js';
import { contextOf } from './request-context.js';
import type { Route } from './route.js';
import { isUnchanged } from './validators.js';

/** A body that is not JSON. */
export interface OtherBody {
  readonly type: Route['type'];
  readonly bytes: Uint8Array;
}

/** Writes the response to a successful request. `other` replaces the JSON body. */
export const sendResponse = (response: Response, stored: StoredResponse, other?: OtherBody): void => {
  const { headers, cookies } = stored;
  const fields = fieldsOf(headers);
  if (cookies !== undefined) fields.push('Set-Cookie', cookies);
  if (isRead(response.req)) {
    if (headers['Cache-Control'] === undefined) fields.push('Cache-Control', 'no-cache');
    if (isUnchanged(response.req.headers['if-none-match'], headers['ETag'])) {
      contextOf(response).head.write(304, fields).end();
      return;
    }
  }
  if (other === undefined) sendJson(response, stored, fields);
  else sendBytes(response, stored.status, fields, other);
};

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const sendJson = (response: Response, { status, body }: StoredResponse, fields: Fields): void => {
  if (body !== '') {
    sendText(response, status, [...fields, 'Content-Type', 'application/json; charset=utf-8'], body);
    return;
  }
  const { head } = contextOf(response);
  head.write(status, status === 204 ? fields : [...fields, 'Content-Length', '0']).end();
};

/** Writes a response with this text as its body. `fields` include the Content-Type. */
export const sendText = (response: Response, status: number, fields: Fields, text: string): void => {
  const length = Buffer.byteLength(text);
  if (length >= MIN_BYTES) compressFromNowOn(response);
  contextOf(response).head.write(status, [...fields, 'Content-Length', String(length)]);
  // Node.js writes text in one part with the headers, but bytes as a second part. ASCII needs no encoding.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
};

/** Writes the response to a failed request. */
export const sendProblem = (response: Response, problem: Problem): void => {
  const own = fieldsOf(headersOf(problem));
  const fields = [...own, 'Content-Type', 'application/problem+json; charset=utf-8', 'Cache-Control', 'no-store'];
  sendText(response, problem.status, fields, problemDocument(problem, contextOf(response).requestId));
};

const sendBytes = (response: Response, status: number, fields: Fields, { type, bytes }: OtherBody): void => {
  if (bytes.length >= MIN_BYTES) compressFromNowOn(response);
  const contentType = type === 'text/plain' ? `${type}; charset=utf-8` : (type ?? 'application/octet-stream');
  const own = ['Content-Type', contentType, 'Content-Length', String(bytes.length)];
  contextOf(response)
    .head.write(status, [...fields, ...own])
    .end(bytes);
};
