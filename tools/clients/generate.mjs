// Generates clients from an OpenAPI document: types by openapi-typescript, a client by @hey-api/openapi-ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [, , file = '', directory = ''] = process.argv;

mkdirSync(directory, { recursive: true });
const types = await openapiTypescript(JSON.parse(readFileSync(file, 'utf8')), {
  // A request may omit a member that has a default.
  defaultNonNullable: false,
});
writeFileSync(join(directory, 'openapi-typescript.ts'), astToString(types));
await createClient({
  input: file,
  output: { path: join(directory, 'hey-api'), module: { extension: '.js' } },
  logs: { level: 'silent' },
});
