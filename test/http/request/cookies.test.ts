import type { Request } from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sessionLimits } from '../../../src/auth/sessions/sessions.js';
import type { Tokens } from '../../../src/auth/sign-ins.js';
import { addressOf, networkOf, tokenIn } from '../../../src/http/request/client.js';
import { keepTokens, readCookies, removeCookies, setCookie } from '../../../src/http/request/cookies.js';
import { siteIn } from '../../../src/http/request/origins.js';

describe('a Cookie header', () => {
  it.each([
    ['a=1; b=2', { a: '1', b: '2' }],
    ['a=1;b="2"; a=3', { a: '1', b: '2' }],
    ['a="1"2; b=1"2"; c=""', { a: '"1"2', b: '1"2"', c: '' }],
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

  it('is removed with the others that may hold a sign-in, each once', () => {
    const sent = readCookies('USER_ID=1; theme=dark; TOKEN=2; auth0=3; __Host-session=4; x__secure-token=5');
    const removed = removeCookies(false, sent);
    const names = ['TOKEN', 'REFRESH_TOKEN', 'USER_ID', 'auth0', '__Host-session', 'x__secure-token'];
    expect(removed.map((cookie) => cookie.split('=')[0])).toEqual(names);
    expect(removed.filter((cookie) => cookie.includes('Secure'))).toEqual([
      '__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  it('lasts as long as its session may stay unused, and its Max-Age is never negative', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const at = (expiresAt: number) => ({
      token: 't',
      refreshToken: 'r',
      session: { expiresAt, createdAt: Date.now() - sessionLimits.absoluteMs + 60_000 } as Tokens['session'],
    });
    const [token, refresh, ...others] = keepTokens(at(Date.now() + 30_500), { isSecure: true });
    expect(token).toMatch(/^TOKEN=t; Max-Age=30; .*Secure/);
    expect(refresh).toMatch(/^REFRESH_TOKEN=r; Max-Age=30; .*Secure/);
    expect(others).toEqual([]);
    const [expired, , user] = keepTokens(at(Date.now() - 5_000), { userId: 'u', isSecure: false });
    expect(expired).toBe('TOKEN=t; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
    expect(user).toMatch(/^USER_ID=u; Max-Age=60; /);
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
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::FFFF:10.20.30.40', '10.20.30.40'],
    ['64:ff9b::ffff:10.20.30.40', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));
});

describe('the address of a request', () => {
  const SOCKET = '192.0.2.200';
  it.each([
    ['10.20.30.40', '10.20.30.40'],
    ['10.20.30.40:52100', '10.20.30.40'],
    ['2001:db8:1:2::3', '2001:db8:1:2::/64'],
    ['[2001:DB8:1:2::3]', '2001:DB8:1:2::/64'],
    ['[2001:db8:1:2::3]:52100', '2001:db8:1:2::/64'],
    ['[::ffff:10.20.30.40]:52100', '10.20.30.40'],
    ['x10.20.30.40:80', SOCKET],
    ['10.20.30.40:80x', SOCKET],
    ['10.20.30.40:', SOCKET],
    ['x[2001:db8::1]', SOCKET],
    ['[2001:db8::1]x', SOCKET],
    ['[2001:db8::1]:', SOCKET],
    ['[]', SOCKET],
    ['unknown', SOCKET],
    ['', SOCKET],
    [undefined, SOCKET],
  ])('that a proxy names %s counts as %s', (ip, network) =>
    expect(addressOf({ ip, socket: { remoteAddress: SOCKET } } as Request)).toBe(network),
  );

  it('is empty if its connection is gone', () => expect(addressOf({ socket: {} } as Request)).toBe(''));
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
    ['Bearer', undefined],
    ['Bearer undefined', undefined],
    ['NULL', undefined],
    ['bearerabc', 'bearerabc'],
    ['x bearer abc', 'x bearer abc'],
    ['nulls', 'nulls'],
    ['abc', 'abc'],
    ['Basic abc', 'Basic abc'],
    [undefined, undefined],
  ])('%s carries %s', (header, token) => expect(tokenIn(header)).toBe(token));
});
