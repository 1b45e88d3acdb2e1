// Tests the service on a misbehaving EventStoreDB: it responds to every request in time and applies each write once.
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createInstitution, type Institution, numbered, successful, type Unity } from '../http/samples.js';
import type { ClientResponse } from '../support/client.js';
import { EngineSet } from '../support/engine-set.js';
import type { Fault } from '../support/eventstoredb/faults.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable } from './locking.js';
import { respondedSoon } from './probes.js';
import { type Engines, enginesOf, expectReadModelsAsFresh, onRealSet, WatchedServer } from './sets.js';

const FAULTS: Readonly<Record<string, Fault>> = {
  'does not respond': { kind: 'silence' },
  'ends calls without a response': { kind: 'half-close' },
  'resets its connections': { kind: 'cut' },
  'is not ready': { kind: 'not-ready' },
  'responds with INTERNAL': { kind: 'status', code: status.INTERNAL, details: 'Received RST_STREAM with code 0' },
  'responds with UNAVAILABLE': { kind: 'status', code: status.UNAVAILABLE, details: 'Connection dropped' },
};

// An outage lasts as long as the deadline of a call, so only some faults are tested as outages.
const only = (...names: readonly string[]) => Object.entries(FAULTS).filter(([name]) => names.includes(name));
const OUTAGES = only('does not respond', 'ends calls without a response', 'responds with INTERNAL');
const LOSSES = only('does not respond', 'resets its connections');

onRealSet('a service whose EventStoreDB', () => {
  let set: EngineSet;
  let engines: Engines;
  let server: WatchedServer;
  let known: Institution;
  let keys = 0;

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

  const newKey = (): string => {
    keys += 1;
    return `key ${keys}`;
  };
  const create = (name: string, key: string): Promise<ClientResponse<Institution>> =>
    respondedSoon(server.post<Institution>('/institutions', { name }, { 'Idempotency-Key': key }));
  const addUnity = (name: string, key: string): Promise<ClientResponse<Unity>> =>
    respondedSoon(server.post<Unity>(`/institutions/${known.id}/unities`, { name }, { 'Idempotency-Key': key }));
  /** Returns how often a name was recorded. */
  const recorded = (name: string): number =>
    engines.logged().filter(({ data }) => JSON.stringify(data).includes(JSON.stringify(name))).length;

  /** Expects a success or a 503 that says when to retry. Returns whether it is a success. */
  const isDone = (response: ClientResponse): boolean => {
    if (response.status >= 300) expectUnavailable(response);
    return response.status < 300;
  };

  /** Expects the response to a repeated request to replay the first response. */
  const expectSame = (again: ClientResponse, first: ClientResponse): void => {
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    for (const name of ['etag', 'location', 'consistency-token']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  };

  /** Sends a request until it succeeds. An earlier request under its key may still run. */
  const retried = async <T>(ask: () => Promise<ClientResponse<T>>): Promise<ClientResponse<T>> =>
    eventually(async () => successful(await ask()));

  const expectReady = async (): Promise<void> => {
    expect((await server.get('/livez')).status).toBe(200);
    await eventually(async () => expect((await server.get('/readyz')).status).toBe(200));
    expect(server.uncaught).toEqual([]);
  };

  describe.each(Object.entries(FAULTS))('%s', (what, fault) => {
    it.each(['batch-append', 'read'] as const)(
      'during one call (%s) responds to each request and writes once',
      async (method) => {
        const name = `Once ${what} ${method}`;
        const [one, other] = [newKey(), newKey()];
        set.facts.faults.inject(method, fault);
        isDone(await create(name, one));
        set.facts.faults.inject(method, fault);
        isDone(await addUnity(name, other));
        set.facts.faults.inject(method, fault);
        isDone(await respondedSoon(server.get(`/institutions/${known.id}?asOf=${known.createdAt}`)));
        set.facts.faults.clear();

        const created = await retried(() => create(name, one));
        const added = await retried(() => addUnity(name, other));
        expectSame(await create(name, one), created);
        expectSame(await addUnity(name, other), added);
        expect(recorded(name)).toBe(2);
        await expectReady();
      },
    );

    it('instead of acknowledging an append records one event, and each retry gets the same response', async () => {
      const name = `Acknowledged ${what}`;
      const key = newKey();
      set.facts.faults.inject('batch-append', fault, { afterCommit: true });
      const responses = await Promise.all([create(name, key), create(name, key)]);
      const created = await retried(() => create(name, key));
      for (const response of responses.filter(isDone)) expect(response.body).toEqual(created.body);
      expectSame(await create(name, key), created);
      expect(recorded(name)).toBe(1);
    });
  });

  /** Makes every call fail from now on, and appends before or after their commit. */
  const failAlways = (fault: Fault, afterCommit: boolean): void => {
    set.facts.faults.inject('batch-append', fault, { afterCommit, times: Number.POSITIVE_INFINITY });
    set.facts.faults.inject('read', fault, { times: Number.POSITIVE_INFINITY });
  };

  it.each(OUTAGES)(
    '%s during every call refuses each request in time, including queued requests',
    async (what, fault) => {
      const unities = numbered(6, (n) => ({ name: `Always ${what} ${n}.`, key: newKey() }));
      failAlways(fault, false);
      const responses = await Promise.all([
        create(`Always ${what}`, newKey()),
        ...unities.map(({ name, key }) => addUnity(name, key)),
        respondedSoon(server.get(`/institutions/${known.id}?asOf=${known.createdAt}`)),
      ]);
      responses.map(expectUnavailable);
      expect((await server.get('/livez')).status).toBe(200);
      set.facts.faults.clear();

      for (const { name, key } of unities) await retried(() => addUnity(name, key));
      expect(unities.map(({ name }) => recorded(name))).toEqual(unities.map(() => 1));
      await expectReady();
    },
  );

  it.each(LOSSES)(
    '%s instead of acknowledging appends gives the retry the response of the recorded write',
    async (what, fault) => {
      const name = `Unknown ${what}`;
      const key = newKey();
      failAlways(fault, true);
      expectUnavailable(await create(name, key));
      expect(recorded(name)).toBe(1);
      set.facts.faults.clear();
      const created = await retried(() => create(name, key));
      expectSame(await create(name, key), created);
      expect(recorded(name)).toBe(1);
      await expectReady();
    },
  );

  it('commits an append while the service is killed records one event, and the retry gets its response', async () => {
    const key = newKey();
    set.facts.faults.inject('batch-append', { kind: 'silence' }, { afterCommit: true });
    const cut = server.post('/institutions', { name: 'Killed' }, { 'Idempotency-Key': key }).catch(() => 'cut off');
    await eventually(() => expect(recorded('Killed')).toBe(1));
    await server.kill();
    expect(await cut).toBe('cut off');
    await server.start();
    const created = await retried(() => create('Killed', key));
    expect(engines.logged().find(({ data }) => data['name'] === 'Killed')?.stream).toBe(
      `institution-${created.body.id}`,
    );
    expectSame(await create('Killed', key), created);
    expect(recorded('Killed')).toBe(1);
  });

  it('had all these faults has the read models that a fresh replay builds', () => expectReadModelsAsFresh(engines));
});
