// What operators and orchestrators see: liveness, readiness, metrics, the access log, and a graceful shutdown.
import { describe, expect, it } from 'vitest';
import { allProjections } from '../../src/projections/all.js';
import type { ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { openSocket, readResponse } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { createInstitution, type Institution, numbered } from './support/samples.js';

const server = sharedService();

/** Sends the head of a POST and the beginning of its body. `finish` sends the rest. */
const slowCreation = async (name: string) => {
  const body = JSON.stringify({ name });
  const socket = await openSocket(server.url);
  const head = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  socket.write(`POST /institutions HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body.slice(0, 3)}`);
  return { finish: () => socket.write(body.slice(3)), response: readResponse(socket) };
};

const acceptsConnections = (url: string) =>
  openSocket(url).then(
    (socket) => socket.destroy() && true,
    () => false,
  );

describe('a running server', () => {
  it('is ready when every view has caught up, and shows the state of each', async () => {
    const { status, body } = await server.get<{ status: string; projections: { name: string; state: string }[] }>(
      '/readyz',
    );
    expect([status, body.status]).toEqual([200, 'ready']);
    const states = body.projections.map(({ name, state }) => [name, state]);
    expect(states.toSorted()).toEqual(allProjections.map(({ name }) => [name, 'current']).toSorted());
  });

  it('counts its requests by route, not by path, for Prometheus', async () => {
    const COUNT =
      /http_request_duration_seconds_count\{method="GET",route="\/institutions\/\{id\}",status="200"\} (\d+)$/m;
    const counted = async () => Number(COUNT.exec((await server.get<string>('/metrics')).body)?.[1] ?? 0);
    const { id } = await createInstitution(server);
    const before = await counted();
    await server.get(`/institutions/${id}`);
    await server.get('/nothing');
    await eventually(async () => expect(await counted()).toBeGreaterThan(before));
    const { status, headers, body } = await server.get<string>('/metrics');
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain\b/)]);
    expect(body).not.toContain(id);
    for (const metric of ['projection_events_total', 'projection_stopped', 'process_cpu_seconds_total']) {
      expect(body).toMatch(new RegExp(`^# TYPE ${metric} `, 'm'));
    }
    for (const value of [/^projection_stopped\{projection="\w+"\} 0$/m, /^process_cpu_seconds_total \d/m]) {
      expect(body).toMatch(value);
    }
  });

  it('collects the metrics once for many requests', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => server.get<string>('/metrics')));
    expect(new Set(responses.map(({ body }) => body)).size).toBeLessThan(5);
  });
});

describe('the access log', () => {
  const line = async (response: ClientResponse) => {
    const requestId = response.headers.get('x-request-id');
    return eventually(() => {
      const found = server.log.find((entry) => entry['requestId'] === requestId && entry['msg'] === 'request');
      expect(found).toBeDefined();
      return found ?? {};
    });
  };

  it.each([
    ['GET', '/users/maria@example.org', 400, '/users/{id}'],
    ['GET', '/admin-service/institutions/maria@example.org?name=maria', 400, '/admin-service/institutions/{id}'],
    ['DELETE', '/users/maria@example.org', 405, '/users/{id}'],
    ['POST', '/auth-service/auth?email=maria@example.org', 400, '/auth-service/auth'],
    ['GET', '/livez', 200, '/livez'],
    ['GET', '/maria@example.org', 404, 'none'],
    ['GET', '/docs/maria', 404, 'none'],
  ])('has the path of the route for %s %s, not what the client sent', async (method, sent, status, path) => {
    const response = await server.send(method, sent, method === 'POST' ? { json: {} } : {});
    const logged = await line(response);
    expect([response.status, logged['path'], logged['status']]).toEqual([status, path, status]);
    expect(JSON.stringify(logged)).not.toContain('maria');
  });
});

describe('a server that shuts down', () => {
  it('completes requests in progress, accepts no new ones and exits with 0', async () => {
    const begun = await slowCreation('Begun before the shutdown');
    const { url } = server;
    const ended = server.stop();
    await eventually(async () => expect(await acceptsConnections(url)).toBe(false));
    begun.finish();
    const { status, body } = await begun.response;
    expect(await ended).toBe(0);
    expect(status).toBe(201);
    const created = JSON.parse(body) as Institution;
    await server.start();
    expect((await server.get(`/institutions/${created.id}`)).body).toEqual(created);
  });

  it('exits with 0 while clients keep idle connections open', async () => {
    const idle = await openSocket(server.url);
    idle.on('error', () => {});
    await server.get('/livez');
    expect(await server.stop()).toBe(0);
    idle.destroy();
    await server.start();
  });

  it('completes every request that it accepted, even with many in progress', async () => {
    const sent = numbered(50, (n) => server.post<Institution>('/institutions', { name: `In progress ${n}` }));
    await Promise.any(sent);
    const ended = server.stop();
    const responses = await Promise.allSettled(sent);
    expect(await ended).toBe(0);
    await server.start();
    expect(responses.map(({ status }) => status)).toContain('fulfilled');
    for (const response of responses) {
      if (response.status === 'rejected') continue;
      expect(response.value.status).toBe(201);
      expect((await server.get(`/institutions/${response.value.body.id}`)).body).toEqual(response.value.body);
    }
  });
});
