// Makes verifier/index.html from verifier/verify.mjs and a template: npm run verifier:page.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathTo = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const read = (file: string) => readFileSync(pathTo(file), 'utf8');

/** Returns the page: the template with the part of the verifier that verifies evidence, which needs no files. */
export const verifierPage = (): string => {
  const [evidence = ''] = read('../verifier/verify.mjs').split('// --- Bundles');
  return read('verifier-page.html').replace('// PROGRAM', () => evidence.trimEnd().replaceAll(/^export /gm, ''));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pathTo('../verifier/index.html'), verifierPage());
