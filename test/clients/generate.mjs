// Generates clients from an OpenAPI document: types by openapi-typescript, a client by @hey-api/openapi-ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [, , file = '', directory = ''] = process.argv;

mkdirSync(directory, { recursive: true });
const types = await openapiTypescript(JSON.parse(readFileSync(file, 'utf8')), {
  // A member of a request that has a default may be left out.
  defaultNonNullable: false,
});
writeFileSync(join(directory, 'openapi-typescript.ts'), astToString(types));
await createClient({
  input: file,
  output: { path: join(directory, 'hey-api'), module: { extension: '.js' } },
  logs: { level: 'silent' },
});
