// Tests deploy/haproxy.cfg with the haproxy of this machine in front of two servers. Only the addresses of the servers
// differ.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { freePort, HOST } from '../support/free-port.js';

const none =
  spawnSync('haproxy', ['-v']).status === 0
    ? undefined
    : 'haproxy is not in PATH: install it with `npm run engines:install`';
const NAME = 'the proxy of docker-compose.yml';
const config = readFileSync(new URL('../../deploy/haproxy.cfg', import.meta.url), 'utf8');
const MAX_CONNECTIONS = 500;
// A busy machine may not pass on 5,000 requests in 10 s.
const MAX_REQUESTS = 1_000;
const BODY = Buffer.from('packed by the service');

interface ProxyResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const call = (port: number, headers: Record<string, string> = {}, path = '/', method = 'GET'): Promise<ProxyResponse> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: HOST, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject).end();
  });

/** Starts a server that returns its name and the received headers. */
const replica = async (name: string): Promise<Server> => {
  const server = createServer(({ headers }, response) => {
    const given = { etag: '"7"', 'content-encoding': 'br', 'content-type': 'application/json' };
    response.writeHead(200, { ...given, 'x-replica': name, 'x-got': JSON.stringify(headers) });
    response.end(BODY);
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return server;
};
const portOf = (server: Server) => (server.address() as AddressInfo).port;

const proxySuite = () => {
  let replicas: readonly Server[];
  let proxy: ChildProcess;
  let port: number;

  beforeAll(async () => {
    replicas = await Promise.all([replica('one'), replica('two')]);
    port = await freePort();
    const servers = replicas.map((server, index) => `  server http${index} ${HOST}:${portOf(server)}`).join('\n');
    const own = config
      .replace(/^ {2}server-template .*$/m, servers)
      .replace('bind :8080', `bind ${HOST}:${port}`)
      .replace('http_req_rate gt 5000', `http_req_rate gt ${MAX_REQUESTS}`)
      .replace(' resolvers docker init-addr none', '');
    const file = join(temporaryDirectory(), 'haproxy.cfg');
    writeFileSync(file, own);
    proxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    await eventually(async () => expect((await call(port)).status).toBe(200));
  });
  afterAll(async () => {
    if (proxy.exitCode === null && proxy.kill('SIGTERM')) await once(proxy, 'exit');
    for (const server of replicas) server.close();
  });

  const nameFor = async (headers: Record<string, string>) => (await call(port, headers)).headers['x-replica'];
  const gotBy = async (headers: Record<string, string>) =>
    JSON.parse(`${(await call(port, headers)).headers['x-got']}`) as Record<string, string>;

  it('has a configuration that haproxy accepts without changes', () => {
    const file = join(temporaryDirectory(), 'haproxy.cfg');
    writeFileSync(file, config);
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    expect([status, stderr.match(/\[(WARNING|ALERT)\].*/g)]).toEqual([0, null]);
  });

  it.each<[string, (n: number) => Record<string, string>]>([
    ['Authorization', (n) => ({ authorization: `Bearer token-${n}`, cookie: 'TOKEN=the-same' })],
    ['the session cookie', (n) => ({ cookie: `other=${Math.random()}; TOKEN=token-${n}` })],
  ])('keeps a client on one replica by %s, and spreads clients over both', async (_, headersOf) => {
    const names = await Promise.all(
      Array.from({ length: 40 }, async (__, n) => {
        const all = [await nameFor(headersOf(n)), await nameFor(headersOf(n)), await nameFor(headersOf(n))];
        expect(new Set(all).size).toBe(1);
        return all[0];
      }),
    );
    expect(new Set(names)).toEqual(new Set(['one', 'two']));
  });

  it('keeps a client without a token on one replica by its address', async () => {
    const names = await Promise.all(Array.from({ length: 20 }, (_, n) => nameFor({ 'x-any': `${n}` })));
    expect(new Set(names).size).toBe(1);
  });

  it('leaves ETag and coding unchanged, and compresses nothing', async () => {
    const { headers, body } = await call(port, { 'accept-encoding': 'gzip, br' });
    expect(headers).toMatchObject({ etag: '"7"', 'content-encoding': 'br' });
    expect(body).toEqual(BODY);
    expect(await gotBy({ 'accept-encoding': 'br', 'if-none-match': '"7"' })).toMatchObject({
      'accept-encoding': 'br',
      'if-none-match': '"7"',
    });
  });

  it('sets the forwarding headers itself and removes those of the client', async () => {
    const got = await gotBy({
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=203.0.113.7',
    });
    expect(got).toMatchObject({
      'x-forwarded-for': HOST,
      'x-forwarded-proto': 'http',
      'x-forwarded-host': got['host'],
    });
    expect(got['forwarded']).toBeUndefined();
  });

  it('closes connections of an address above the bound, and serves other addresses', async () => {
    const open = () => connect({ port, host: HOST, localAddress: '127.0.0.2' }).on('error', () => undefined);
    const isOpen = (socket: Socket) => !socket.resume().closed;
    const sockets = Array.from({ length: 2 * MAX_CONNECTIONS }, open);
    await eventually(() => expect(sockets.filter(isOpen).length).toBe(MAX_CONNECTIONS));
    expect((await call(port)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('refuses requests of an address above the bound with 429, and serves other addresses', async () => {
    const requests = `GET / HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(2 * MAX_REQUESTS);
    const socket = connect({ port, host: HOST, localAddress: '127.0.0.3' });
    let received = '';
    socket.on('data', (part: Buffer) => {
      received += part.toString('latin1');
    });
    socket.write(requests);
    await eventually(() => expect(received).toMatch(/HTTP\/1\.1 429 [\s\S]*"status":429/));
    socket.destroy();
    expect((await call(port)).status).toBe(200);
  });

  it('does not serve metrics and readiness to the outside', async () => {
    for (const path of ['/metrics', '/Metrics/', '/%6Detrics', '/readyz', '/readyz?x=1']) {
      const { status, headers } = await call(port, {}, path);
      expect([path, status, headers['x-replica']]).toEqual([path, 404, undefined]);
    }
    expect((await call(port, {}, '/livez')).status).toBe(200);
  });

  it('continues with the remaining replica, and responds with a problem document if there is none', async () => {
    const [one, two] = replicas;
    one?.close();
    one?.closeAllConnections();
    const names = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const { status, headers } = await call(port, { authorization: `Bearer ${n}` }, '/', 'POST');
        return [status, headers['x-replica']];
      }),
    );
    expect(new Set(names.map(String))).toEqual(new Set(['200,two']));
    two?.close();
    two?.closeAllConnections();
    await eventually(async () => {
      const { status, headers, body } = await call(port);
      expect([status, headers['content-type'], headers['retry-after']]).toEqual([503, 'application/problem+json', '5']);
      expect(JSON.parse(body.toString())).toMatchObject({ status: 503 });
    });
  });
};

if (none === undefined) describe(NAME, proxySuite);
else it(NAME, ({ skip }) => skip(none));
