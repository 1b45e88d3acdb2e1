// Files for browsers that the build has made and compressed (scripts/compressed.mjs), so that no request compresses them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Asset } from '../response/sending.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Returns a file of `dist`, in every coding. */
export const builtFile = (path: string, cacheControl: string): Asset => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url));
  const codings = { identity: read(path), br: read(`${path}.br`), gzip: read(`${path}.gz`) };
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  return { type, tag: contentTagOf(codings.identity), cacheControl, codings };
};

/** Returns the ETag of a content, which follows from its bytes. */
export const contentTagOf = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url')}"`;
