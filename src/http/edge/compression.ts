// Compresses responses. An ETag names a revision and is the same in every coding.
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';

const CODINGS = ['br', 'gzip', 'deflate'];
/** Content of fewer bytes is sent as it is. */
const LEAST_BYTES = 1_024;

/** Returns a handler that compresses JSON and pages, but nothing at the paths under `prefixes`. */
export const compressedExcept = (prefixes: readonly string[]): RequestHandler => {
  const compress = compression({ threshold: LEAST_BYTES, filter: isCompressible });
  return (request, response, next) => {
    if (prefixes.some((prefix) => request.path.startsWith(`${prefix}/`))) return next();
    // Also a 304 says so, and a response to a client that accepts no coding (RFC 9110, 12.5.5 and 15.4.5).
    response.vary('Accept-Encoding');
    if (request.acceptsEncodings(CODINGS) === false) return next();
    compress(request, response, next);
  };
};

const isCompressible = (request: Request, response: Response): boolean => {
  if (!isWhole(response) || !compression.filter(request, response)) return false;
  // A response to HEAD may not name a length that the content of a GET does not have (RFC 9110, 8.6).
  const isLong = Number(response.getHeader('Content-Length')) >= LEAST_BYTES;
  if (isLong && request.method === 'HEAD') response.removeHeader('Content-Length');
  return true;
};

// A stream has no length: its reader waits for each line, which a compressor would hold back. A range is counted in the
// bytes of the file as it is stored.
const isWhole = (response: Response): boolean =>
  response.statusCode !== 206 && response.getHeader('Content-Length') !== undefined;
