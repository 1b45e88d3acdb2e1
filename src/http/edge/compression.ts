// Compresses responses. An ETag names a revision and is the same in every coding.
import compression from 'compression';
import type { Request, Response } from 'express';
import { contextOf } from '../kernel/request-context.js';

const CODINGS = ['br', 'gzip', 'deflate'];
/** The minimum size of compressed content. */
export const MIN_BYTES = 1_024;

/** Allows a response to be compressed. */
export const allowCompression = (response: Response): void => {
  const context = contextOf(response);
  context.isCompressible = true;
  // A 304 needs this Vary, too, as does a response to a client that accepts no coding (RFC 9110, 12.5.5 and 15.4.5).
  context.head.varyBy('Accept-Encoding');
};

/**
 * Compresses the JSON or the page that is written to the response after this call, if compression is allowed and the
 * client accepts a coding. The library replaces methods of the response, which costs the response its shape in V8. So a
 * writer that knows the length of its body calls this only from `MIN_BYTES` on.
 */
export const compressFromNowOn = (response: Response): void => {
  const { req: request } = response;
  const context = contextOf(response);
  const isAccepted = request.headers['accept-encoding'] !== undefined && request.acceptsEncodings(CODINGS) !== false;
  if (!context.isCompressible || !isAccepted) return;
  context.isCompressible = false;
  context.head.set();
  compress(request, response, () => undefined);
};

const isCompressible = (request: Request, response: Response): boolean => {
  if (!isWhole(response) || !compression.filter(request, response)) return false;
  // A response to HEAD may not name a length that the content of a GET does not have (RFC 9110, 8.6).
  const isLong = Number(response.getHeader('Content-Length')) >= MIN_BYTES;
  if (isLong && request.method === 'HEAD') response.removeHeader('Content-Length');
  return true;
};

// A stream has no length. Its reader waits for each line, which a compressor would hold back. A range is counted in the
// bytes of the stored file, so it must not be compressed.
const isWhole = (response: Response): boolean =>
  response.statusCode !== 206 && response.getHeader('Content-Length') !== undefined;

const compress = compression({ threshold: MIN_BYTES, filter: isCompressible });
