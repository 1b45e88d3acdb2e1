import { describe, expect, it } from 'vitest';
import { Addresses } from '../../../src/http/kernel/addresses.js';

const addresses = new Addresses<string>();
addresses.add('/a', 'a');
addresses.add('/a/b', 'a b');
addresses.add('/a/{id}', 'one of a');
addresses.add('/a/{id}/b/{other}', 'b of a');
addresses.add('/files/all/{path}', 'all', true);
addresses.add('/files/{kind}/{path}', 'kind', true);
addresses.add('/x/{id}', 'first');
addresses.add('/x/y', 'second');

describe('a path', () => {
  it.each([
    ['/a', 'a', {}],
    ['/a/', 'a', {}],
    ['/a/b', 'a b', {}],
    ['/a/c', 'one of a', { id: 'c' }],
    ['/a/c/', 'one of a', { id: 'c' }],
    ['/a/%41%2F', 'one of a', { id: 'A/' }],
    ['/a/c/b/d', 'b of a', { id: 'c', other: 'd' }],
    ['/a/b/b/b', 'b of a', { id: 'b', other: 'b' }],
    ['/x/y', 'first', { id: 'y' }],
    ['/files/all/1', 'all', { path: '1' }],
    ['/files/all/1/2%20/', 'all', { path: '1/2 /' }],
    ['/files/all//2', 'all', { path: '/2' }],
    ['/files/some/1/2', 'kind', { kind: 'some', path: '1/2' }],
  ])('%s leads to what is there', (path, value, params) => {
    expect(addresses.find(path)).toStrictEqual({ value, params });
  });

  it.each([
    '/',
    '*',
    '//a',
    '/A',
    '/a//',
    '/a/c/b',
    '/a/c/b/',
    '/a//b/d',
    '/b',
    '/%61',
    '/files/all/',
    '/files/all',
    '/files//1',
  ])('%s leads nowhere', (path) => {
    expect(addresses.find(path)).toBeUndefined();
  });

  it.each(['/a/%', '/a/%E0%A4%A'])('%s cannot be decoded', (path) => {
    expect(() => addresses.find(path)).toThrow(expect.objectContaining({ code: 'malformed-request' }));
  });
});
