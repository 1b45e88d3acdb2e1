// Lints OpenAPI documents by the recommended rules of Redocly and of Spectral. Prints what they find, a line each.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const IGNORED = [
  // The licence is its owner's to choose, and whom to contact is for who runs the service to say.
  'redocly info-license #/info',
  'spectral info-contact #/info',
  // Signing out redirects, as the contract says: 301 is its only success.
  'redocly operation-2xx-response #/paths/~1api~1sign-out/post/responses',
];
// OpenAPI 3.1 has roles beside a scheme without scopes (Security Requirement Object). The rule knows scopes only.
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
  // What no rule finds any more is not to be ignored.
  for (const each of IGNORED) {
    if (!found.some(({ rule, at }) => `${rule} ${at}` === each)) process.stdout.write(`ignored in vain: ${each}\n`);
  }
};

for (const file of process.argv.slice(2)) await lint(readFileSync(file, 'utf8'));
