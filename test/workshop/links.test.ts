// Tests the links between the documents, the files that the documents name, and the symbols of the tour.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'verifier/README.md', 'examples/README.md'],
  ...readdirSync(join(ROOT, 'docs')).map((name) => join('docs', name)),
].filter((path) => path.endsWith('.md'));

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const withoutCode = (text: string): string => text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsOf = (path: string): readonly string[] =>
  [...withoutCode(textOf(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Returns what is wrong with a link, or undefined if the link works. */
const faultOf = (page: string, link: string): string | undefined => {
  const [file = '', anchor] = link.split('#', 2);
  const target = file === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), file));
  if (!existsSync(join(ROOT, target))) return `${link}: no such file`;
  const exists = anchor === undefined || !target.endsWith('.md') || anchorsOf(target).includes(anchor);
  return exists ? undefined : `${link}: no such heading`;
};

describe('the links of', () => {
  it.each(pages)('%s lead to files and headings that exist', (page) => {
    const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const own = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(own.map((link) => faultOf(page, link)).filter((fault) => fault !== undefined)).toEqual([]);
  });
});

describe('the files that are named in', () => {
  const NAMED = /`((?:src|test|scripts|docs|deploy|bench|verifier|examples)\/[\w./-]+\.\w+)`/g;

  it.each(pages.filter((page) => page !== 'CHANGELOG.md'))('%s exist', (page) => {
    const named = [...textOf(page).matchAll(NAMED)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('docs/tour.md', () => {
  /** Symbols, each followed by its file: "`name` (`src/…`)", "`name` of `src/…`" or "`src/…`: `name`". */
  const NAMED_AFTER = /`(\w+)`,? (?:\(|of )`(src\/[\w./-]+\.ts)`/g;
  const NAMED_BEFORE = /`(src\/[\w./-]+\.ts)`: `(\w+)`/g;
  const text = textOf('docs/tour.md').replaceAll(/\s+/g, ' ');
  const named = [
    ...[...text.matchAll(NAMED_AFTER)].map(([, name = '', file = '']) => ({ name, file })),
    ...[...text.matchAll(NAMED_BEFORE)].map(([, file = '', name = '']) => ({ name, file })),
  ];

  it('names symbols', () => expect(named.length).toBeGreaterThan(20));

  it.each(named)('names $name, which $file exports', ({ name, file }) =>
    expect(textOf(file)).toMatch(new RegExp(`^export (?:const|class|interface) ${name}\\b`, 'm')),
  );
});
