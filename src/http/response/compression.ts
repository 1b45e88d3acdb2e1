// Compresses whole bodies, in threads. An ETag names a revision and is the same in every coding.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import pLimit from 'p-limit';

/** A content coding, as Content-Encoding names it. */
export type Coding = (typeof CODINGS)[number];

const CODINGS = ['br', 'gzip'] as const;
/** The minimum size of compressed content. */
export const MIN_BYTES = 1_024;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
// On JSON, quality 3 compresses as well as quality 4 in half the time.
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

const compressors: { readonly [C in Coding]: (text: string) => Promise<Buffer> } = {
  br: (text) => toBrotli(text, FAST),
  gzip: (text) => toGzip(text),
};

// The encoders share the threads with the hashing of passwords, and each takes megabytes.
const inTurn = pLimit(2);
const MAX_WAITING = 8;

/**
 * Returns the coding that a client prefers (RFC 9110, 12.5.3); the first of `CODINGS` if the client prefers several
 * equally. Returns undefined if the client accepts none, or prefers a plain body.
 */
export const acceptedCoding = ({ headers }: Request): Coding | undefined => {
  const accepted = headers['accept-encoding'];
  if (accepted === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const item of accepted.toLowerCase().replaceAll('x-gzip', 'gzip').split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter)) ?? 'q=1';
    qualities.set(name, Number(quality.slice(quality.indexOf('=') + 1)) || 0);
  }
  const others = qualities.get('*') ?? 0;
  const qualityOf = (coding: string) => qualities.get(coding) ?? others;
  const best = CODINGS.reduce((a, b) => (qualityOf(b) > qualityOf(a) ? b : a));
  return qualityOf(best) > 0 && qualityOf(best) >= (qualities.get('identity') ?? 0) ? best : undefined;
};

/** Returns a text in a coding. */
export const compressed = (text: string, coding: Coding): Promise<Buffer> => inTurn(compressors[coding], text);

/** Returns whether so many texts wait to be compressed that the next one should be sent as it is. */
export const isCompressionBusy = (): boolean => inTurn.pendingCount >= MAX_WAITING;
