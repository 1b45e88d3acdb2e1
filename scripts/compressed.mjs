// Compresses files that the service sends to browsers, so that no request compresses them.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Writes `.br` and `.gz` beside a file. Returns the size of the latter in bytes. */
export const compress = (file) => {
  const content = readFileSync(file);
  const gzipped = gzipSync(content, { level: 9 });
  writeFileSync(`${file}.br`, brotliCompressSync(content, BROTLI));
  writeFileSync(`${file}.gz`, gzipped);
  return gzipped.length;
};
