// Behind proxies, the service trusts only the forwarding headers of trusted proxies.
import { describe, expect, it } from 'vitest';
import type { Client, ClientResponse } from '../support/client.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { cookiesOf, newUser, trySignIn } from './support/signing-in.js';

const from = (address: string) => ({ 'X-Forwarded-For': address });
const leftOf = ({ headers }: ClientResponse): number => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
const ask = (client: Client, headers: Record<string, string>) => client.get('/auth-service/nothing', headers);

const HSTS = 'max-age=31536000; includeSubDomains';
/**
 * Resolves to whether the service considers a request to be https: then cookies are Secure, and HSTS is set (RFC 6797).
 */
const isSecure = async (client: Client, headers: Record<string, string> = {}) => {
  const response = await client.post('/api/sign-out', undefined, headers);
  const cookie = cookiesOf(response).get('TOKEN');
  expect(cookie).toContain('HttpOnly');
  const hasSecure = cookie?.includes('Secure');
  expect(response.headers.get('strict-transport-security')).toBe(hasSecure ? HSTS : null);
  return hasSecure;
};

/** Resolves to whether the service considers a request with a cookie to come from one of its own pages. */
const isOwn = async (client: Client, headers: Record<string, string>) => {
  const response = await client.post('/api/sign-out', undefined, { cookie: 'REFRESH_TOKEN=x', ...headers });
  if (response.status !== 301) {
    const { detail } = expectProblem(response, 403, 'cross-site-request');
    // What an operator can do about it.
    expect(detail).toContain('PUBLIC_URL');
  }
  return response.status === 301;
};

describe('a trusted proxy', () => {
  const server = embeddedServiceOfThisFile({ TRUSTED_PROXIES: 'loopback,10.0.0.0/8' });

  it('names the address of the client, and each address has its own count', async () => {
    const first = leftOf(await ask(server, from('203.0.113.1')));
    expect(leftOf(await ask(server, from('203.0.113.2')))).toBe(first);
    expect(leftOf(await ask(server, from('203.0.113.1')))).toBe(first - 1);
  });

  it('may also name the port of the client', async () => {
    const first = leftOf(await ask(server, from('203.0.113.3')));
    expect(leftOf(await ask(server, from('203.0.113.3:40123')))).toBe(first - 1);
    const firstOfIpv6 = leftOf(await ask(server, from('2001:db8:7::1')));
    expect(leftOf(await ask(server, from('[2001:db8:7::2]:443')))).toBe(firstOfIpv6 - 1);
  });

  it.each([
    [
      'addresses before the last one that is not a proxy',
      '203.0.113.4',
      ['198.51.100.1, 203.0.113.4', '198.51.100.2, 203.0.113.4, 10.1.2.3'],
    ],
    ['another address of the same /64 network', '2001:db8:1:2::1', ['2001:db8:1:2::2', '2001:db8:1:2:3:4:5:6']],
  ])('gives no new count for %s', async (_, address, others) => {
    let left = leftOf(await ask(server, from(address)));
    for (const other of others) {
      left -= 1;
      expect(leftOf(await ask(server, from(other)))).toBe(left);
    }
  });

  it('counts under its own address if it names no valid address', async () => {
    const left = leftOf(await ask(server, {}));
    expect(leftOf(await ask(server, from('nonsense')))).toBe(left - 1);
    expect(leftOf(await ask(server, from('203.0.113.5, unknown')))).toBe(left - 2);
  });

  it('says whether clients use https, and which host they address', async () => {
    expect(await isSecure(server)).toBe(false);
    expect(await isSecure(server, { 'X-Forwarded-Proto': 'https' })).toBe(true);
    expect(await isSecure(server, { 'X-Forwarded-Proto': 'http' })).toBe(false);
    const forwarded = { 'X-Forwarded-Host': 'protocols.example.org', 'X-Forwarded-Proto': 'https' };
    expect(await isOwn(server, { origin: 'https://protocols.example.org', ...forwarded })).toBe(true);
    expect(await isOwn(server, { origin: 'https://evil.example', ...forwarded })).toBe(false);
    expect(await isOwn(server, { origin: 'http://protocols.example.org', ...forwarded })).toBe(false);
    expect(await isOwn(server, { origin: 'https://protocols.example.org' })).toBe(false);
  });

  it.each(['HTTPS', 'Https', 'hTTPS, http'])('may write the scheme in any case: %s', async (scheme) => {
    expect(await isSecure(server, { 'X-Forwarded-Proto': scheme })).toBe(true);
    const forwarded = { 'X-Forwarded-Host': 'p.example', 'X-Forwarded-Proto': scheme };
    expect(await isOwn(server, { origin: 'https://p.example', ...forwarded })).toBe(true);
    expect(await isOwn(server, { origin: 'http://p.example', ...forwarded })).toBe(false);
  });

  it.each([
    ['https', 'p.example:443', 'https://p.example', true],
    ['https', 'P.Example', 'https://p.example', true],
    ['https', 'p.example:443, q.example', 'https://p.example', true],
    ['http', 'p.example:80', 'http://p.example', true],
    ['http', 'p.example:443', 'https://p.example', true],
    ['http', '[0:0:0:0:0:0:0:A]:80', 'http://[::a]', true],
    ['https', 'xn--bcher-kva.example:443', 'https://xn--bcher-kva.example', true],
    ['https', 'p.example:80', 'https://p.example', false],
    ['https', 'p.example:8443', 'https://p.example', false],
    ['http', 'p.example:443', 'http://p.example', false],
    ['https', ':443', 'https://p.example', false],
  ])('that names %s and %s has the origin %s: %s', async (scheme, host, origin, expected) => {
    const forwarded = { 'X-Forwarded-Host': host, 'X-Forwarded-Proto': scheme };
    expect(await isOwn(server, { origin, ...forwarded })).toBe(expected);
  });

  it('lets a user sign in while guesses from another address are slowed down', async () => {
    const { email } = await newUser(server);
    const guess = () => trySignIn(server, email, 'wrong', from('203.0.113.6'));
    while ((await guess()).status !== 429);
    expect((await trySignIn(server, email, undefined, from('203.0.113.7'))).status).toBe(200);
  });
});

describe('an untrusted proxy', () => {
  const server = embeddedServiceOfThisFile({ TRUSTED_PROXIES: '10.0.0.0/8' });

  it('sends headers that have no effect', async () => {
    const left = leftOf(await ask(server, from('203.0.113.1')));
    expect(leftOf(await ask(server, from('203.0.113.2')))).toBe(left - 1);
    expect(await isSecure(server, { 'X-Forwarded-Proto': 'https' })).toBe(false);
    const forwarded = { 'X-Forwarded-Host': 'evil.example' };
    expect(await isOwn(server, { origin: 'https://evil.example', ...forwarded })).toBe(false);
    expect(await isOwn(server, { origin: server.url, ...forwarded })).toBe(true);
  });
});

describe('PUBLIC_URL', () => {
  const server = embeddedServiceOfThisFile({
    PUBLIC_URL: 'https://Protocols.example.org:443',
    TRUSTED_PROXIES: 'loopback',
  });

  it('makes every request https, no matter what a proxy says', async () => {
    expect(await isSecure(server)).toBe(true);
    expect(await isSecure(server, { 'X-Forwarded-Proto': 'http' })).toBe(true);
  });

  it("is the service's own origin", async () => {
    expect(await isOwn(server, { origin: 'https://protocols.example.org' })).toBe(true);
    expect(await isOwn(server, { origin: 'http://protocols.example.org' })).toBe(false);
    const forwarded = { 'X-Forwarded-Host': 'protocols.example.org' };
    expect(await isOwn(server, { origin: 'https://protocols.example.org', ...forwarded })).toBe(true);
    expect(await isOwn(server, { origin: 'http://protocols.example.org', ...forwarded })).toBe(false);
    expect(await isOwn(server, { origin: 'https://evil.example' })).toBe(false);
  });

  it('is the only own origin: Host and X-Forwarded-Host add none', async () => {
    expect(await isOwn(server, { origin: server.url })).toBe(false);
    const forwarded = { 'X-Forwarded-Host': 'evil.example', origin: 'https://evil.example' };
    expect(await isOwn(server, forwarded)).toBe(false);
    expect(await isOwn(server, { ...forwarded, 'Sec-Fetch-Site': 'same-origin' })).toBe(false);
  });
});
