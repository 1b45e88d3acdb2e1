// Tests that the documents match the code: their links, the files and symbols that they name, and their tables.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventsDocument } from '../../scripts/events-doc.js';
import { phrasesIn } from '../../scripts/plain-english.js';
import { allRoutes, nameOf, routesDocument } from '../../scripts/routes-doc.js';
import { variables } from '../../src/config.js';
import { allDeciders } from '../../src/domain/all.js';
import { FormStatus } from '../../src/domain/protocol/schemas.js';
import { findingCodes } from '../../src/domain/scoring/schemas.js';
import { problemKinds } from '../../src/http/problems/problem-kinds.js';
import { has } from '../../src/http/route/route.js';
import { missingFrom, stepsIn } from '../support/shell-document.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'verifier/README.md', 'examples/README.md'],
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

describe.each(pages)('%s', (page) => {
  const NAMED = /`((?:src|test|scripts|docs|deploy|bench|verifier|examples)\/[\w./-]+\.\w+)`/g;
  // The tables of docs/security.md name tests without their folder `test`.
  const TESTS = /`(?:test\/)?((?!test\/)[\w-][\w./-]*\.(?:test|suite)\.ts)`/g;

  it('links to files and headings that exist', () => {
    const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const own = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(own.map((link) => faultOf(page, link)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('names files that exist', () => {
    // The changelog also names what is gone.
    const text = page === 'CHANGELOG.md' ? '' : textOf(page);
    const tests = [...text.matchAll(TESTS)].map(([, path = '']) => join('test', path));
    const named = [...text.matchAll(NAMED)].map(([, path = '']) => path).concat(tests);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

it('docs/architecture.md names symbols with the files that export them', () => {
  const text = textOf('docs/architecture.md').replaceAll(/\s+/g, ' ');
  // "`name` (`src/…`)", "`name` of `src/…`" or "`src/…`: `name`".
  const after = [...text.matchAll(/`(\w+)`,? (?:\(|of )`(src\/[\w./-]+\.ts)`/g)];
  const before = [...text.matchAll(/`(src\/[\w./-]+\.ts)`: `(\w+)`/g)].map(([all, file, name]) => [all, name, file]);
  const named = [...after, ...before].map(([, name = '', file = '']) => ({ name, file }));
  expect(named.length).toBeGreaterThan(20);
  const isExported = ({ name, file }: { readonly name: string; readonly file: string }) =>
    new RegExp(`^export (?:const|class|interface|(?:async )?function\\*) ${name}\\b`, 'm').test(textOf(file));
  expect(named.filter((each) => !isExported(each))).toEqual([]);
});

it('docs/events.md matches the event schemas (npm run golden updates it)', () =>
  expect(textOf('docs/events.md')).toBe(eventsDocument()));

it('docs/routes.md matches the declarations of the routes (npm run docs:routes updates it)', () =>
  expect(textOf('docs/routes.md')).toBe(routesDocument()));

it('every route counts as a write, except GETs that record nothing, scores and analyses', () => {
  const isRecorded = /history|^\/audit\/(events|decisions|log\/tile\/entries)/;
  const isCalculated = /\/(score|analysis)$/;
  const writes = allRoutes.filter(({ method, path }) =>
    method === 'get' ? isRecorded.test(path) : !isCalculated.test(path),
  );
  expect(allRoutes.filter((route) => has(route, 'counted')).map(nameOf)).toEqual(writes.map(nameOf));
});

it('docs/operations.md has one row for each variable, and none for another', () => {
  const rows = textOf('docs/operations.md')
    .split('\n')
    .filter((line) => /^\| `[A-Z_]+`(, `[A-Z_]+`)* \|/.test(line))
    .map((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
  expect(new Set(rows.flat())).toEqual(new Set(variables));
  // Rows with several names point to a separate table.
  const own = rows.filter((names) => names.length === 1).flat();
  expect(new Set(own).size).toBe(own.length);
});

it('docs/audit-log.md lists exactly the categories of the log', () => {
  const [, table = ''] = /^\| category \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(textOf('docs/audit-log.md')) ?? [];
  const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, category]) => category);
  expect(listed.toSorted()).toEqual(allDeciders.map(({ aggregate }) => aggregate).toSorted());
});

it('docs/web-client.md names only codes that exist, each with its status', () => {
  const [, errors = ''] = textOf('docs/web-client.md').split('\n## Errors\n');
  const advised = [...errors.matchAll(/^- (\d{3}) ([^:]+):/gm)].flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => [code, Number(status)] as const),
  );
  const known = new Map<string, number>(Object.entries(problemKinds).map(([code, { status }]) => [code, status]));
  expect(advised.length).toBeGreaterThan(5);
  expect(advised.filter(([code, status]) => known.get(code) !== status)).toEqual([]);
});

it('docs/protocols.md names only codes that exist, each with its status, all statuses of a form and all findings', () => {
  const text = textOf('docs/protocols.md');
  const named = [...text.matchAll(/\b(\d{3}) `([a-z-]+)`/g)].map(([, status, code = '']) => [code, Number(status)]);
  const known = new Map<string, number>(Object.entries(problemKinds).map(([code, { status }]) => [code, status]));
  expect(new Set(named.map(([code]) => code)).size).toBe(8);
  expect(named.filter(([code, status]) => known.get(`${code}`) !== status)).toEqual([]);
  const rowsOf = (cell: RegExp) => [...text.matchAll(cell)].map(([, name]) => name);
  expect(rowsOf(/^\| `([A-Z]+)` \|/gm)).toEqual(FormStatus.options);
  expect(rowsOf(/^\| `([a-z-]+)` \|/gm)).toEqual(findingCodes);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(1_200);
});

describe('the linter of phrases', () => {
  it('reports each phrase with its file, its line and a suggestion', () => {
    expect(phrasesIn('src/a.ts', '// Returns the user.\n// Whoever calls this waits.')).toEqual([
      'src/a.ts:2: "Whoever": name the actor: the caller, everybody who …',
    ]);
    expect(phrasesIn('docs/a.md', 'The worker is told, and reads the stream once more.')).toHaveLength(2);
  });

  it.each([
    'Returns the stream of a user; undefined if the user does not exist.',
    'Does the queue hold any more jobs than that?',
    'It retold the story, and that one event stays.',
  ])('reports nothing in "%s"', (text) => expect(phrasesIn('docs/a.md', text)).toEqual([]));
});

describe('a documented output', () => {
  const output = [
    'HTTP/1.1 200 OK\r',
    'Set-Cookie: TOKEN=eyJhbGciOi; Path=/; Max-Age=604771\r',
    '\r',
    '{"id":"01a1ff29-c2dd-7067-a089-49af938c8fea","at":"2026-11-21T17:31:29.474Z","roles":["NURSE"],"count":2}',
  ].join('\n');
  const ID = '00000000-0000-7000-8000-000000000000';
  const whole = { id: ID, at: '2020-01-01T00:00:00.000Z', roles: ['NURSE'], count: 2 };
  const part = (members: object) => JSON.stringify({ ...members, '...': '...' });

  it.each([
    ['lines and objects, without the others', `HTTP/1.1 200 OK\n${JSON.stringify(whole, null, 2)}`],
    ['varying values', 'Set-Cookie: TOKEN=eyJ…; Path=/; Max-Age=123456'],
    ['some members of an object with the member `...`', part({ roles: ['NURSE'] })],
  ])('matches: %s', (_, shown) => expect(missingFrom(output, shown)).toBeUndefined());

  it.each([
    ['another status', 'HTTP/1.1 201 Created'],
    ['a part of a line', 'HTTP/1.1 200'],
    ['another attribute', 'Set-Cookie: TOKEN=eyJ…; Path=/; Max-Age=123456; HttpOnly'],
    ['another order', `${JSON.stringify(whole)}\nHTTP/1.1 200 OK`],
    ['a missing member', JSON.stringify({ ...whole, other: 1 })],
    ['not all members', JSON.stringify({ id: ID })],
    ['another value', part({ count: 3 })],
    ['another type', part({ count: '2' })],
    ['a longer list', part({ roles: ['NURSE', 'AUDITOR'] })],
    ['a shorter list', part({ roles: [] })],
    ['a time where the document shows an id', part({ at: ID })],
  ])('does not match: %s', (_, shown) => expect(missingFrom(output, shown)).toBeDefined());

  it('is the output block below a sh block', () => {
    const markdown = '## One\n```sh\na\n```\ntext\n```sh\nb\n```\n```http\nHTTP/1.1 200 OK\n```\n';
    expect(stepsIn(markdown)).toEqual([
      { section: 'One', commands: 'a\n', shown: undefined },
      { section: 'One', commands: 'b\n', shown: 'HTTP/1.1 200 OK\n' },
    ]);
    expect(() => stepsIn('```http\nHTTP/1.1 200 OK\n```\n')).toThrow();
  });
});
