// The web client: its addresses, what browsers may load, its files, and that nothing else is a page.
import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../../scripts/routes-doc.js';
import type { RouteContext } from '../../../src/http/route/context.js';
import { groupsOf } from '../../../src/http/routes.js';
import { fetchOpenApi, type OpenApiDocument } from '../../support/contract.js';
import { sendRaw } from '../../support/raw-http.js';
import { embeddedServiceOfThisFile, sharedService } from '../../support/service-of-file.js';
import { expectProblem } from '../support/refusals.js';
import { callOf, type Ids, newResources } from '../support/routes.js';
import { UNKNOWN_ID } from '../support/samples.js';
import { PASSWORD } from '../support/signing-in.js';

const server = sharedService();
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const PAGES = ['/', '/console/', '/console/sign-in?next=/admin/queues', '/console/forms/a/b', '/console/assets'];
const open = (path: string, headers: Readonly<Record<string, string>> = BROWSER) => server.get<string>(path, headers);
const filesOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);

describe('the page', () => {
  it.each(PAGES)('is the same at %s, and no cache stores it', async (path) => {
    const [first, other] = [await open('/console/'), await open(path)];
    expect([other.status, other.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(other.headers.get('cache-control')).toBe('no-store');
    const withoutNonce = ({ body }: typeof other) => body.replaceAll(/nonce="[^"]*"/g, '');
    expect(withoutNonce(other)).toBe(withoutNonce(first));
  });

  it('says without a script what the service is, and links to the documentation', async () => {
    const { body } = await open('/');
    expect(/<div id="root">.*<\/div>/s.exec(body)?.[0]).toMatch(/administers clinical protocols.*href="\/docs"/s);
  });

  it('may load only what the service serves, and styles with a nonce that no other response has', async () => {
    const nonces = new Set<string>();
    for (const path of [...PAGES, ...PAGES]) {
      const { body, headers } = await open(path);
      const [policy = '', nonce = ''] =
        /'nonce-([\w+/=]{22,})'/.exec(`${headers.get('content-security-policy')}`) ?? [];
      expect(headers.get('content-security-policy')?.replace(policy, 'NONCE')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self' NONCE; img-src 'self' data:; font-src 'self'; " +
          "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(new Set([...body.matchAll(/nonce="([^"]*)"/g)].map(([, sent]) => sent))).toEqual(new Set([nonce]));
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2 * PAGES.length);
  });

  it('has no script of its own in the HTML', async () => {
    const { body } = await open('/');
    const scripts = [...body.matchAll(/<script\b[^>]*>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [script, text] of scripts) expect([script, text]).toEqual([expect.stringMatching(/\bsrc="\//), '']);
    expect(body).not.toMatch(/\son\w+=|style="|__CSP/);
  });

  it('at / is JSON for a client that prefers JSON', async () => {
    const json = await server.get<{ service: string }>('/', { Accept: 'application/json' });
    expect([json.status, json.body.service]).toEqual([200, 'clinical-protocols']);
    for (const Accept of ['*/*', 'image/png']) {
      const { headers } = await open('/', { Accept });
      expect([headers.get('content-type'), headers.get('vary')]).toEqual([
        'text/html; charset=utf-8',
        expect.stringMatching(/accept(,|$)/i),
      ]);
    }
    // Below /console/ there is nothing else.
    expect((await open('/console/', { Accept: 'application/json' })).headers.get('content-type')).toMatch(
      /^text\/html/,
    );
  });

  it('is at /console/, to which /console redirects', async () => {
    const { status, headers } = await open('/console');
    expect([status, headers.get('location')]).toEqual([302, '/console/']);
  });

  it('supports only GET and HEAD', async () => {
    for (const path of [...PAGES, '/console']) {
      const head = await server.send('HEAD', path, { headers: BROWSER });
      expect([head.status, head.body]).toEqual([path === '/console' ? 302 : 200, '']);
      const post = await server.send('POST', path);
      expectProblem(post, 405, 'method-not-allowed');
      expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
  });

  it.each(['/Console/', '/CONSOLE', '/console.html', '/consoles/'])('is not at %s', async (path) => {
    expectProblem(await open(path), 404, 'route-not-found');
  });
});

describe('a file of the page', () => {
  let files: readonly string[];
  beforeAll(async () => {
    files = filesOf((await open('/console/')).body);
  });

  /** Returns the bytes of a file as they are sent. */
  const bytesOf = (path: string, coding: string): Promise<{ readonly coding: string; readonly bytes: Buffer }> =>
    new Promise((resolve, reject) => {
      get(`${server.url}${path}`, { headers: { ...server.headers, 'Accept-Encoding': coding } }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ coding: `${response.headers['content-encoding']}`, bytes: Buffer.concat(parts) }),
        );
      }).on('error', reject);
    });

  it('may be kept for a year, because its name follows from its content', async () => {
    expect(files.map((path) => path.split('.').at(-1))).toEqual(expect.arrayContaining(['js', 'css']));
    for (const path of files) {
      expect(path).toMatch(/^\/console\/assets\/[\w.-]+-[\w-]{8}\.(js|css)$/);
      const { status, headers } = await open(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('is compressed as the client accepts it', async () => {
    for (const path of files) {
      const [plain, gzip, br] = [
        await bytesOf(path, 'identity'),
        await bytesOf(path, 'gzip'),
        await bytesOf(path, 'gzip, br'),
      ];
      expect([plain.coding, gzip.coding, br.coding]).toEqual(['undefined', 'gzip', 'br']);
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
      expect((await open(path)).headers.get('vary')).toMatch(/accept-encoding/i);
    }
  });

  it('that is unknown is 404, also for a browser', async () => {
    const [known = ''] = files;
    const unknown = ['', 'none-12345678.js', '../index.html', '%2e%2e%2findex.html', 'a/b.js', '.built'];
    const paths = unknown.map((name) => `/console/assets/${name}`);
    for (const path of [...paths, `${known}.br`, `${known}.gz`]) {
      const sent = await sendRaw(
        server.url,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${BROWSER.Accept}\r\nConnection: close\r\n\r\n`,
      );
      expectProblem({ ...sent, body: JSON.parse(sent.body) }, 404, 'route-not-found');
    }
  });
});

describe('a route of the API', () => {
  let described: OpenApiDocument;
  let ids: Ids;
  beforeAll(async () => {
    described = await fetchOpenApi<OpenApiDocument>(server);
    ids = { ...(await newResources(server)), 'auth-serviceId': UNKNOWN_ID };
  });
  const groups = groupsOf({} as RouteContext);
  const places = groups.flatMap(({ routes, prefixes }) =>
    prefixes.flatMap((prefix) => routes.map((route) => ({ prefix, route }))),
  );
  const rows = places.map(({ prefix, route }) => ({ ...route, prefix, name: `${prefix} ${nameOf(route)}` }));

  it('is one of the routes that are walked', () => {
    const probes = allRoutes.filter(({ kind }) => kind === 'probe').length;
    expect(rows.filter(({ prefix }) => prefix === '').length).toBe(allRoutes.length - probes);
  });

  it.each(rows)('never responds with HTML: $name', async ({ method, path, prefix }) => {
    const operation = described.paths[path]?.[method];
    if (operation === undefined) throw new Error(`${method} ${path} is not described`);
    const call = callOf({ method, route: path, operation }, ids);
    const { status, headers } = await server.send(call.method, `${prefix}${call.path}`, {
      json: call.json,
      headers: { Accept: 'text/html' },
    });
    expect(status).toBeLessThan(500);
    expect(headers.get('content-type') ?? '').not.toMatch(/html/);
  });
});

describe('a page at the name of a host, over plain http', () => {
  // Browsers send no Sec-Fetch headers there, but the origin of the page with each POST.
  const required = embeddedServiceOfThisFile({ AUTH: 'required' });
  const HOST = 'clinic-server:3000';
  const post = async (path: string, json: unknown, Cookie = '') => {
    const body = JSON.stringify(json);
    const head = [
      `POST ${path} HTTP/1.1`,
      ...[`Host: ${HOST}`, `Origin: http://${HOST}`, `Referer: http://${HOST}/console/`, `Cookie: ${Cookie}`],
      ...['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'],
    ];
    const sent = await sendRaw(required.url, `${head.join('\r\n')}\r\n\r\n${body}`);
    const cookies = sent.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    return {
      status: sent.status,
      headers: sent.headers,
      body: JSON.parse(sent.body || '{}'),
      cookies: cookies.join('; '),
    };
  };

  it('keeps its sign-in, renews it with the cookie, and signs out', async () => {
    const administrator = await createdBy(required);
    const signedIn = await post('/auth-service/auth', { email: administrator, password: PASSWORD });
    const { token, refreshToken, user } = signedIn.body;
    const kept = await post('/api/update-token', { data: { user_id: user.id, token, refresh_token: refreshToken } });
    expect([kept.status, kept.cookies]).toEqual([200, expect.stringMatching(/^TOKEN=.*REFRESH_TOKEN=/)]);
    const renewed = await post('/api/update-token', { url: 'auth-service/refresh-token', data: {} }, kept.cookies);
    expect([renewed.status, renewed.body.token]).toEqual([200, expect.any(String)]);
    const out = await post('/api/sign-out', {}, renewed.cookies);
    expect([out.status, out.headers.get('location')]).toEqual([301, '/']);
    expect((await post('/api/update-token', { url: 'auth-service/refresh-token' }, renewed.cookies)).status).toBe(401);
  });

  const createdBy = async (service: typeof required): Promise<string> => {
    const email = 'clinic@example.org';
    await service.runCli(['admin', 'create', '--email', email], `${PASSWORD}\n`);
    return email;
  };

  it('is a page that lets browsers send its origin', async () => {
    expect((await open('/console/')).headers.get('referrer-policy')).toBe('same-origin');
  });
});

describe('with CONSOLE=off', () => {
  const off = embeddedServiceOfThisFile({ CONSOLE: 'off' });

  it('/ is the page without the web client', async () => {
    const { body, headers } = await off.get<string>('/', BROWSER);
    expect(body).toContain('href="/docs"');
    expect(body).not.toMatch(/<script/);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; img-src data:; style-src 'sha256-/);
  });

  it('nothing is below /console/', async () => {
    const [file = ''] = filesOf((await open('/console/')).body);
    for (const path of ['/console', '/console/', '/console/sign-in', file]) {
      expectProblem(await off.get(path, BROWSER), 404, 'route-not-found');
    }
  });
});
