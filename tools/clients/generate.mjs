// Generates clients from an OpenAPI document: types by openapi-typescript, a client by @hey-api/openapi-ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { typesOf } from './types.mjs';

const [, , file = '', directory = ''] = process.argv;

mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'openapi-typescript.ts'), await typesOf(file));
await createClient({
  input: file,
  output: { path: join(directory, 'hey-api'), module: { extension: '.js' } },
  logs: { level: 'silent' },
});
