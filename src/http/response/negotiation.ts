// Content negotiation by Accept (RFC 9110, 12.5.1).
import type { Response } from 'express';
import { contextOf } from './request-context.js';

// A parameter of a media type except `q`; its value may be a quoted string.
const PARAMETER = /;(?!\s*q\s*=)[^;,="]*(=\s*("(?:[^"\\]|\\.)*"|[^;,"]*))?/gi;

/**
 * Returns the media type that the client prefers; the first one if it accepts none. Ignores the parameters of media
 * types other than `q`: clients add a charset, but every response has only one.
 */
export const negotiated = (response: Response, types: readonly [string, ...string[]]): string => {
  const { req: request } = response;
  contextOf(response).head.varyBy('Accept');
  const { accept } = request.headers;
  if (accept !== undefined) request.headers.accept = accept.replaceAll(PARAMETER, '');
  return request.accepts([...types]) || types[0];
};
