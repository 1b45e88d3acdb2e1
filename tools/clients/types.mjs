// Prints the TypeScript types of an OpenAPI document, as the clients and the web client in console/ have them.
import { readFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';

/** Returns the types of the document in a file. */
export const typesOf = async (file) => {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  // A request may omit a member that has a default.
  return astToString(await openapiTypescript(document, { defaultNonNullable: false }));
};

if (process.argv[1] === import.meta.filename) process.stdout.write(await typesOf(process.argv[2] ?? ''));
