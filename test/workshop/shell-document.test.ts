import { describe, expect, it } from 'vitest';
import { missingFrom, stepsIn } from '../support/shell-document.js';

const output = [
  'HTTP/1.1 200 OK\r',
  'Set-Cookie: TOKEN=eyJhbGciOi; Path=/; Max-Age=604771\r',
  '\r',
  '{"id":"01a1ff29-c2dd-7067-a089-49af938c8fea","at":"2026-11-21T17:31:29.474Z","roles":["NURSE"],"count":2}',
].join('\n');
const ID = '00000000-0000-7000-8000-000000000000';
const whole = { id: ID, at: '2020-01-01T00:00:00.000Z', roles: ['NURSE'], count: 2 };

describe('a documented output', () => {
  it.each([
    ['lines and objects, without the others', `HTTP/1.1 200 OK\n${JSON.stringify(whole, null, 2)}`],
    ['varying values', 'Set-Cookie: TOKEN=eyJ…; Path=/; Max-Age=123456'],
    ['some members of an object with the member `...`', JSON.stringify({ roles: ['NURSE'], '...': '...' })],
  ])('matches: %s', (_, shown) => {
    expect(missingFrom(output, shown)).toBeUndefined();
  });

  it.each([
    ['another status', 'HTTP/1.1 201 Created'],
    ['a part of a line', 'HTTP/1.1 200'],
    ['another attribute', 'Set-Cookie: TOKEN=eyJ…; Path=/; Max-Age=123456; HttpOnly'],
    ['another order', `${JSON.stringify(whole)}\nHTTP/1.1 200 OK`],
    ['a missing member', JSON.stringify({ ...whole, other: 1 })],
    ['not all members', JSON.stringify({ id: ID })],
    ['another value', JSON.stringify({ count: 3, '...': '...' })],
    ['another type', JSON.stringify({ count: '2', '...': '...' })],
    ['a longer list', JSON.stringify({ roles: ['NURSE', 'AUDITOR'], '...': '...' })],
    ['a shorter list', JSON.stringify({ roles: [], '...': '...' })],
    ['a time where the document shows an id', JSON.stringify({ at: ID, '...': '...' })],
  ])('does not match: %s', (_, shown) => {
    expect(missingFrom(output, shown)).toBeDefined();
  });
});

describe('the steps of a document', () => {
  it('are its sh blocks, each with the output block below', () => {
    const markdown = '## One\n```sh\na\n```\ntext\n```sh\nb\n```\n```http\nHTTP/1.1 200 OK\n```\n';
    expect(stepsIn(markdown)).toEqual([
      { section: 'One', commands: 'a\n', shown: undefined },
      { section: 'One', commands: 'b\n', shown: 'HTTP/1.1 200 OK\n' },
    ]);
    expect(() => stepsIn('```http\nHTTP/1.1 200 OK\n```\n')).toThrow();
  });
});
