// The oldest browsers of the console: where they are named, and that its sources call nothing newer.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allNewerNames, allowedNames, newerNamesIn } from './newer-names.js';

const root = new URL('../../', import.meta.url).pathname;
const textOf = (path: string): string => readFileSync(root + path, 'utf8');

describe('a newer name', () => {
  it.each([
    ['if (URL.canParse(next)) return;', 'URL.canParse'],
    ['window.URL.canParse(next)', 'URL.canParse'],
    ['items?.toSorted()', 'Array.prototype.toSorted'],
    ['const all = one\n  .union(other)', 'Set.prototype.union'],
    ['new URLSearchParams({ a }).size', 'URLSearchParams.prototype.size'],
    ['fetch(path, { signal: AbortSignal.any([a, b]) })', 'AbortSignal.any'],
    ['typeof URLPattern', 'URLPattern'],
    ['Intl.Segmenter', 'Intl.Segmenter'],
  ])('is found in %s', (text, name) => expect(newerNamesIn(text)).toEqual([name]));

  it.each([
    ['CSS.escape(id)'],
    ['items.findLast(isDone)'],
    ['MyURL.canParse(next)'],
    ['of.URL.canParse(next)'],
    ['sizes'],
    ['URL.parsed'],
  ])('is not found in %s', (text) => expect(newerNamesIn(text)).toEqual([]));

  it('is listed once', () => expect(new Set(allNewerNames).size).toBe(allNewerNames.length));
});

const COMMENT = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm;
const sources = readdirSync(`${root}console/src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && file !== 'api/schema.ts')
  .map((file) => `console/src/${file}`);

it('the sources of the console have no newer name but where it is allowed', () => {
  expect(sources.length).toBeGreaterThan(50);
  const found = sources.flatMap((file) =>
    newerNamesIn(textOf(file).replaceAll(COMMENT, '')).map((name) => ({ name, where: file })),
  );
  const allowed = allowedNames.map(({ name, where }) => ({ name, where })).filter(({ where }) => where !== 'libraries');
  expect(found).toEqual(allowed);
});

it('the build, the page without its script and CONTRIBUTING.md name the same browsers', () => {
  const [safari, chrome, firefox] = ['Safari', 'Chrome', 'Firefox'].map(
    (name) => new RegExp(`${name} (\\d[\\d.]*\\d)`).exec(textOf('CONTRIBUTING.md'))?.[1],
  );
  expect([safari, chrome, firefox]).not.toContain(undefined);
  expect(textOf('console/vite.config.ts')).toContain(`['safari${safari}', 'chrome${chrome}', 'firefox${firefox}']`);
  expect(textOf('console/index.html').replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(
      `Safari ${safari}, Chrome or Edge ${chrome}, Firefox ${firefox}.*Safari ${safari}, Chrome ou Edge ${chrome}`,
    ),
  );
});
