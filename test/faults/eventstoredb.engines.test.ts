// Tests the service on a misbehaving EventStoreDB: it responds to every request in time and applies each write once.
// test/infrastructure tests the engine on more faults.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createInstitution, type Institution, numbered, successful, type Unity } from '../http/support/samples.js';
import type { ClientResponse } from '../support/client.js';
import { EngineSet, onRealSet } from '../support/engine-set.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable, respondedSoon } from './support/responses.js';
import {
  type Engines,
  enginesOf,
  expectReadModelsAsFresh,
  loggedIn,
  WatchedServer,
  withStores,
} from './support/sets.js';

onRealSet('a service whose EventStoreDB', () => {
  let set: EngineSet;
  let engines: Engines;
  let server: WatchedServer;
  let known: Institution;

  beforeAll(async () => {
    set = await EngineSet.start();
    engines = enginesOf(set);
    server = new WatchedServer(engines);
    await server.start();
    known = await createInstitution(server, { name: 'Known' });
  });
  afterEach(() => set.facts.faults.clear());
  afterAll(async () => {
    await server?.stop();
    await set?.end();
  });

  // Each name is sent once, so it is also the key.
  const create = (name: string) =>
    respondedSoon(server.post<Institution>('/institutions', { name }, { 'Idempotency-Key': name }));
  const addUnity = (name: string) =>
    respondedSoon(server.post<Unity>(`/institutions/${known.id}/unities`, { name }, { 'Idempotency-Key': name }));
  const recorded = async (name: string) => {
    const events = await withStores(engines, loggedIn);
    return events.filter(({ data }) => JSON.stringify(data).includes(JSON.stringify(name)));
  };

  /** Repeats a request until it succeeds. Expects one event, and that the next repetition replays the response. */
  const expectOnce = async <T extends { id: string }>(
    send: (name: string) => Promise<ClientResponse<T>>,
    name: string,
  ): Promise<ClientResponse<T>> => {
    const made = await eventually(async () => successful(await send(name)));
    const again = await send(name);
    expect([again.status, again.body]).toEqual([made.status, made.body]);
    for (const header of ['etag', 'location', 'consistency-token']) {
      expect(again.headers.get(header)).toBe(made.headers.get(header));
    }
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const [event, ...others] = await recorded(name);
    expect([`institution-${known.id}`, `institution-${made.body.id}`]).toContain(event?.stream);
    expect(others).toEqual([]);
    return made;
  };

  it.each(['silence', 'cut'] as const)(
    'loses the acknowledgement of an append (%s) records one event, and each retry gets the same response',
    async (kind) => {
      const name = `Acknowledged despite ${kind}`;
      set.facts.faults.inject('batch-append', { kind }, { afterCommit: true });
      const responses = await Promise.all([create(name), create(name)]);
      const { body } = await expectOnce(create, name);
      for (const response of responses) {
        if (response.status < 300) expect(response.body).toEqual(body);
        else expectUnavailable(response);
      }
    },
  );

  it.each([false, true])(
    'does not respond refuses each request in time, including queued ones (after each commit: %s)',
    async (afterCommit) => {
      const names = numbered(6, (n) => `Always silent ${n}, ${afterCommit}.`);
      const times = Number.POSITIVE_INFINITY;
      set.facts.faults.inject('batch-append', { kind: 'silence' }, { afterCommit, times });
      set.facts.faults.inject('read', { kind: 'silence' }, { times });
      const responses = await Promise.all([
        ...names.map(addUnity),
        respondedSoon(server.get(`/institutions/${known.id}?asOf=${known.createdAt}`)),
      ]);
      responses.map(expectUnavailable);
      expect((await server.get('/livez')).status).toBe(200);
      set.facts.faults.clear();
      for (const name of names) await expectOnce(addUnity, name);
      await eventually(async () => expect((await server.get('/readyz')).status).toBe(200));
    },
  );

  it('commits an append while the service is killed records one event, and the retry gets its response', async () => {
    set.facts.faults.inject('batch-append', { kind: 'silence' }, { afterCommit: true });
    const cut = create('Killed').catch(() => 'cut off');
    await eventually(async () => expect(await recorded('Killed')).toHaveLength(1));
    await server.kill();
    expect(await cut).toBe('cut off');
    await server.start();
    await expectOnce(create, 'Killed');
  });

  it('had all these faults has the read models that a fresh replay builds', async () => {
    await expectReadModelsAsFresh(engines);
    expect(server.uncaught).toEqual([]);
  });
});
