// Writes console/src/api/schema.ts, the types of the API for the web client: npm run console:types. A test fails if the file
// is out of date.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from './openapi-document.js';

const HEAD = '// Generated from the OpenAPI document by `npm run console:types`. Do not edit.\n\n';
const pathTo = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** Returns the text of the file. `npm run clients:install` installs the generator. */
export const consoleTypes = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'console-types-'));
  try {
    const document = join(directory, 'openapi.json');
    writeFileSync(document, openApiDocument());
    const generator = [pathTo('tools/clients/types.mjs'), document];
    return HEAD + execFileSync(process.execPath, generator, { encoding: 'utf8', maxBuffer: 67_108_864 });
  } finally {
    rmSync(directory, { recursive: true });
  }
};

export const CONSOLE_TYPES = pathTo('console/src/api/schema.ts');
if (process.argv[1] === import.meta.filename) writeFileSync(CONSOLE_TYPES, consoleTypes());
