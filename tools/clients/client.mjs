// Writes the sources of a client by @hey-api/openapi-ts, which needs no package at run time.
import { createClient } from '@hey-api/openapi-ts';

const [, , input = '', path = ''] = process.argv;

await createClient({ input, output: { path, module: { extension: '.js' } }, logs: { level: 'silent' } });
