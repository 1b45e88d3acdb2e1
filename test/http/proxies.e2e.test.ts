// Behind proxies: what they say of a request is believed where they are trusted, and nowhere else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';
import { expectProblem } from './refusals.js';
import { cookiesOf, newUser, trySignIn } from './signing-in.js';

const serverWith = (environment: Record<string, string>) => {
  const server = new Server(temporaryDirectory(), environment);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};

const from = (address: string) => ({ 'X-Forwarded-For': address });
const leftOf = ({ headers }: ClientResponse): number => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
const ask = (client: Client, headers: Record<string, string>) => client.get('/auth-service/nothing', headers);

const HSTS = 'max-age=31536000; includeSubDomains';
/** Whether clients use https: cookies are then for https alone, and so is the host from then on (RFC 6797). */
const isSecure = async (client: Client, headers: Record<string, string> = {}) => {
  const answer = await client.post('/api/sign-out', undefined, headers);
  const cookie = cookiesOf(answer).get('TOKEN');
  expect(cookie).toContain('HttpOnly');
  const isForHttps = cookie?.includes('Secure');
  expect(answer.headers.get('strict-transport-security')).toBe(isForHttps ? HSTS : null);
  return isForHttps;
};

/** Whether a request of this origin, which brings a cookie of a sign-in, is taken for one of the service's own page. */
const isOwn = async (client: Client, headers: Record<string, string>) => {
  const answer = await client.post('/api/sign-out', undefined, { cookie: 'REFRESH_TOKEN=x', ...headers });
  if (answer.status !== 301) expectProblem(answer, 403, 'cross-site-request');
  return answer.status === 301;
};

describe('a proxy that is trusted', () => {
  const server = serverWith({ TRUSTED_PROXIES: 'loopback,10.0.0.0/8' });

  it('says which address a request comes from: each has a count of its own', async () => {
    const first = leftOf(await ask(server, from('203.0.113.1')));
    expect(leftOf(await ask(server, from('203.0.113.2')))).toBe(first);
    expect(leftOf(await ask(server, from('203.0.113.1')))).toBe(first - 1);
  });

  it('may name the port, too', async () => {
    const first = leftOf(await ask(server, from('203.0.113.3')));
    expect(leftOf(await ask(server, from('203.0.113.3:40123')))).toBe(first - 1);
    const sixth = leftOf(await ask(server, from('2001:db8:7::1')));
    expect(leftOf(await ask(server, from('[2001:db8:7::2]:443')))).toBe(sixth - 1);
  });

  it.each([
    [
      'what stands before the last address that is no proxy',
      '203.0.113.4',
      ['198.51.100.1, 203.0.113.4', '198.51.100.2, 203.0.113.4, 10.1.2.3'],
    ],
    ['another address of the same /64 network', '2001:db8:1:2::1', ['2001:db8:1:2::2', '2001:db8:1:2:3:4:5:6']],
  ])('is not fooled by %s', async (_, address, others) => {
    let left = leftOf(await ask(server, from(address)));
    for (const other of others) {
      left -= 1;
      expect(leftOf(await ask(server, from(other)))).toBe(left);
    }
  });

  it('counts for itself where it names nothing that is an address', async () => {
    const left = leftOf(await ask(server, {}));
    expect(leftOf(await ask(server, from('nonsense')))).toBe(left - 1);
    expect(leftOf(await ask(server, from('203.0.113.5, unknown')))).toBe(left - 2);
  });

  it('says whether clients use https, and the host by which they know the service', async () => {
    expect(await isSecure(server)).toBe(false);
    expect(await isSecure(server, { 'X-Forwarded-Proto': 'https' })).toBe(true);
    expect(await isSecure(server, { 'X-Forwarded-Proto': 'http' })).toBe(false);
    const forwarded = { 'X-Forwarded-Host': 'protocols.example.org', 'X-Forwarded-Proto': 'https' };
    expect(await isOwn(server, { origin: 'https://protocols.example.org', ...forwarded })).toBe(true);
    expect(await isOwn(server, { origin: 'https://evil.example', ...forwarded })).toBe(false);
    expect(await isOwn(server, { origin: 'http://protocols.example.org', ...forwarded })).toBe(false);
    expect(await isOwn(server, { origin: 'https://protocols.example.org' })).toBe(false);
  });

  it('lets those who guess at one address be, and slows down those at another', async () => {
    const { email } = await newUser(server);
    const guess = () => trySignIn(server, email, 'wrong', from('203.0.113.6'));
    while ((await guess()).status !== 429);
    expect((await trySignIn(server, email, undefined, from('203.0.113.7'))).status).toBe(200);
  });
});

describe('a proxy that is not trusted', () => {
  const server = serverWith({ TRUSTED_PROXIES: '10.0.0.0/8' });

  it('says nothing that is believed', async () => {
    const left = leftOf(await ask(server, from('203.0.113.1')));
    expect(leftOf(await ask(server, from('203.0.113.2')))).toBe(left - 1);
    expect(await isSecure(server, { 'X-Forwarded-Proto': 'https' })).toBe(false);
    const forwarded = { 'X-Forwarded-Host': 'evil.example' };
    expect(await isOwn(server, { origin: 'https://evil.example', ...forwarded })).toBe(false);
    expect(await isOwn(server, { origin: server.url, ...forwarded })).toBe(true);
  });
});

describe('PUBLIC_URL', () => {
  const server = serverWith({ PUBLIC_URL: 'https://Protocols.example.org:443', TRUSTED_PROXIES: 'loopback' });

  it('says that clients use https, whatever a proxy says', async () => {
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

  it('leaves no other origin of its own: neither Host nor X-Forwarded-Host makes one', async () => {
    expect(await isOwn(server, { origin: server.url })).toBe(false);
    const forwarded = { 'X-Forwarded-Host': 'evil.example', origin: 'https://evil.example' };
    expect(await isOwn(server, forwarded)).toBe(false);
    expect(await isOwn(server, { ...forwarded, 'Sec-Fetch-Site': 'same-origin' })).toBe(false);
  });
});
