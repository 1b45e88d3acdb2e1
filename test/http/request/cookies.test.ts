import { describe, expect, it } from 'vitest';
import { networkOf, tokenIn } from '../../../src/http/request/client.js';
import { readCookies, removeCookies, setCookie } from '../../../src/http/request/cookies.js';
import { siteIn } from '../../../src/http/request/origins.js';

describe('a Cookie header', () => {
  it.each([
    ['a=1; b=2', { a: '1', b: '2' }],
    ['a=1;b="2"; a=3', { a: '1', b: '2' }],
    ['a=x=y; b=', { a: 'x=y', b: '' }],
    ['a=%41; b=%', { a: '%41', b: '%' }],
    ['; =1; a; b c=2; d(=3', {}],
    ['__proto__=1', { ['__proto__']: '1' }],
    [undefined, {}],
  ])('%s is read', (header, expected) => expect([...readCookies(header)]).toEqual(Object.entries(expected)));
});

describe('a cookie of the service', () => {
  it('is SameSite and HttpOnly, and Secure behind https', () => {
    const options = { seconds: 60, isSecure: false };
    expect(setCookie('A', 'b', options)).toBe('A=b; Max-Age=60; Path=/; HttpOnly; SameSite=Lax');
    expect(setCookie('A', 'b', { ...options, isSecure: true })).toMatch(/; Secure(;|$)/);
    for (const cookie of removeCookies(true)) expect(cookie).toMatch(/^\w+=; Max-Age=0; Path=\/; .*; Secure(;|$)/);
  });

  it('is removed with a bounded number of others, no matter how many the request has', () => {
    const sent = new Map(Array.from({ length: 1_000 }, (_, n) => [`token${n}`, 'x']));
    expect(removeCookies(false, sent)).toHaveLength(103);
  });
});

describe('the address of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));
});

describe('the site of a request', () => {
  const known = {
    own: ['http://localhost:3000', 'https://api.example.org'],
    listed: ['https://app.example.org'],
    isConfigured: false,
  };
  const [own] = known.own;
  const [listed] = known.listed;
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, 'own'],
    [{ 'sec-fetch-site': 'none' }, 'own'],
    [{ 'sec-fetch-site': 'same-site' }, 'other'],
    [{ 'sec-fetch-site': 'cross-site', origin: own }, 'other'],
    [{ 'sec-fetch-site': 'same-site', origin: listed }, 'listed'],
    [{ 'sec-fetch-site': 'cross-site', origin: listed }, 'listed'],
    [{ origin: own }, 'own'],
    [{ origin: 'https://api.example.org' }, 'own'],
    [{ origin: listed }, 'listed'],
    [{ origin: 'http://app.example.org' }, 'other'],
    [{ origin: 'https://app.example.org.evil.example' }, 'other'],
    [{ origin: 'http://localhost:3001' }, 'other'],
    [{ origin: 'null' }, 'other'],
    [{}, 'unknown'],
  ])('%o is %s', (headers, site) => expect(siteIn(headers, known)).toBe(site));

  it.each([
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://other-name.example' }, false, 'own'],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://other-name.example' }, true, 'other'],
    [{ 'sec-fetch-site': 'same-origin', origin: own }, true, 'own'],
    [{ 'sec-fetch-site': 'same-origin' }, true, 'own'],
    [{ 'sec-fetch-site': 'same-site', origin: listed }, true, 'listed'],
  ])('%o is, with configured origins %s, %s', (headers, isConfigured, site) =>
    expect(siteIn(headers, { ...known, isConfigured })).toBe(site),
  );
});

describe('an Authorization header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer   abc ', 'abc'],
    ['abc', 'abc'],
    ['Basic abc', 'Basic abc'],
    [undefined, undefined],
  ])('%s carries %s', (header, token) => expect(tokenIn(header)).toBe(token));
});
