// Lints OpenAPI documents with the recommended rules of Redocly and Spectral. Prints one line for each finding.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const IGNORED = [
  // No licence is granted, so there is no page and no SPDX identifier of one. The operator of the service knows whom to contact.
  'redocly info-license-strict #/info/license',
  'spectral info-contact #/info',
  // By contract, signing out redirects. 301 is its only success.
  'redocly operation-2xx-response #/paths/~1api~1sign-out/post/responses',
];
// OpenAPI 3.1 allows roles for a scheme without scopes (Security Requirement Object). The rule knows only scopes.
const IGNORED_RULES = ['spectral oas3-operation-security-defined'];

const redocly = async (source) => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config });
  return problems.map(({ ruleId, message, location: [at] }) => ({
    rule: `redocly ${ruleId}`,
    at: at.pointer,
    message,
  }));
};

const spectralOas = async (source) => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
  const results = await linter.run(JSON.parse(source));
  return results.map(({ code, message, path }) => ({ rule: `spectral ${code}`, at: pointerTo(path), message }));
};

const pointerTo = (path) => ['#', ...path.map((key) => `${key}`.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

const lint = async (source) => {
  const all = [...(await redocly(source)), ...(await spectralOas(source))];
  const found = all.filter(({ rule }) => !IGNORED_RULES.includes(rule));
  for (const { rule, at, message } of found) {
    if (!IGNORED.includes(`${rule} ${at}`)) process.stdout.write(`${rule} ${at}: ${message}\n`);
  }
  // An entry that no rule reports must be removed.
  for (const each of IGNORED) {
    if (!found.some(({ rule, at }) => `${rule} ${at}` === each))
      process.stdout.write(`unused entry of IGNORED: ${each}\n`);
  }
};

for (const file of process.argv.slice(2)) await lint(readFileSync(file, 'utf8'));
