// The service on an EventStoreDB that misbehaves: every request is answered in time, and whatever was done is done once.
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createInstitution, type Institution, numbered, successful, type Unity } from '../http/samples.js';
import type { ClientResponse } from '../support/client.js';
import { EngineSet } from '../support/engine-set.js';
import type { Fault } from '../support/eventstoredb/faults.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable } from './locking.js';
import { answeredSoon } from './probes.js';
import { type Engines, enginesOf, expectReadModelsAsFresh, onRealSet, WatchedServer } from './sets.js';

const FAULTS: Readonly<Record<string, Fault>> = {
  'says nothing': { kind: 'silence' },
  'ends calls without an answer': { kind: 'half-close' },
  'resets its connections': { kind: 'cut' },
  'is not ready': { kind: 'not-ready' },
  'answers INTERNAL': { kind: 'status', code: status.INTERNAL, details: 'Received RST_STREAM with code 0' },
  'answers UNAVAILABLE': { kind: 'status', code: status.UNAVAILABLE, details: 'Connection dropped' },
};

// An outage is as long as the deadline of a call, so not every fault is made one.
const only = (...whats: readonly string[]) => Object.entries(FAULTS).filter(([what]) => whats.includes(what));
const OUTAGES = only('says nothing', 'ends calls without an answer', 'answers INTERNAL');
const LOSSES = only('says nothing', 'resets its connections');

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
    answeredSoon(server.post<Institution>('/institutions', { name }, { 'Idempotency-Key': key }));
  const addUnity = (name: string, key: string): Promise<ClientResponse<Unity>> =>
    answeredSoon(server.post<Unity>(`/institutions/${known.id}/unities`, { name }, { 'Idempotency-Key': key }));
  /** How often a name was recorded. */
  const recorded = (name: string): number =>
    engines.logged().filter(({ data }) => JSON.stringify(data).includes(JSON.stringify(name))).length;

  /** The answer is a success, or says when to ask again; gives which. */
  const isDone = (answer: ClientResponse): boolean => {
    if (answer.status >= 300) expectUnavailable(answer);
    return answer.status < 300;
  };

  /** The same request again gives the same answer, and nothing is recorded by it. */
  const expectSame = (again: ClientResponse, first: ClientResponse): void => {
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    for (const name of ['etag', 'location', 'consistency-token']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  };

  /** Asks until it is done; nobody else may still be at it. */
  const insisted = async <T>(ask: () => Promise<ClientResponse<T>>): Promise<ClientResponse<T>> =>
    eventually(async () => successful(await ask()));

  const expectWell = async (): Promise<void> => {
    expect((await server.get('/livez')).status).toBe(200);
    await eventually(async () => expect((await server.get('/readyz')).status).toBe(200));
    expect(server.uncaught).toEqual([]);
  };

  describe.each(Object.entries(FAULTS))('%s', (what, fault) => {
    it.each(['batch-append', 'read'] as const)('once (%s) answers each request, and writes once', async (method) => {
      const name = `Once ${what} ${method}`;
      const [one, other] = [newKey(), newKey()];
      set.facts.faults.inject(method, fault);
      isDone(await create(name, one));
      set.facts.faults.inject(method, fault);
      isDone(await addUnity(name, other));
      set.facts.faults.inject(method, fault);
      isDone(await answeredSoon(server.get(`/institutions/${known.id}?asOf=${known.createdAt}`)));
      set.facts.faults.clear();

      const created = await insisted(() => create(name, one));
      const added = await insisted(() => addUnity(name, other));
      expectSame(await create(name, one), created);
      expectSame(await addUnity(name, other), added);
      expect(recorded(name)).toBe(2);
      await expectWell();
    });

    it('in place of the acknowledgement is found out: one event, the same answer', async () => {
      const name = `Acknowledged ${what}`;
      const key = newKey();
      set.facts.faults.inject('batch-append', fault, { afterCommit: true });
      const answers = await Promise.all([create(name, key), create(name, key)]);
      const created = await insisted(() => create(name, key));
      for (const answer of answers.filter(isDone)) expect(answer.body).toEqual(created.body);
      expectSame(await create(name, key), created);
      expect(recorded(name)).toBe(1);
    });
  });

  /** From now on every call fails so; an append before or after its commit. */
  const failAlways = (fault: Fault, afterCommit: boolean): void => {
    set.facts.faults.inject('batch-append', fault, { afterCommit, times: Number.POSITIVE_INFINITY });
    set.facts.faults.inject('read', fault, { times: Number.POSITIVE_INFINITY });
  };

  it.each(OUTAGES)('%s whatever is asked refuses each request in time, queued ones too', async (what, fault) => {
    const unities = numbered(6, (n) => ({ name: `Always ${what} ${n}.`, key: newKey() }));
    failAlways(fault, false);
    const answers = await Promise.all([
      create(`Always ${what}`, newKey()),
      ...unities.map(({ name, key }) => addUnity(name, key)),
      answeredSoon(server.get(`/institutions/${known.id}?asOf=${known.createdAt}`)),
    ]);
    answers.map(expectUnavailable);
    expect((await server.get('/livez')).status).toBe(200);
    set.facts.faults.clear();

    for (const { name, key } of unities) await insisted(() => addUnity(name, key));
    expect(unities.map(({ name }) => recorded(name))).toEqual(unities.map(() => 1));
    await expectWell();
  });

  it.each(LOSSES)('%s in place of every acknowledgement leaves it to the retry to find out', async (what, fault) => {
    const name = `Unknown ${what}`;
    const key = newKey();
    failAlways(fault, true);
    expectUnavailable(await create(name, key));
    expect(recorded(name)).toBe(1);
    set.facts.faults.clear();
    const created = await insisted(() => create(name, key));
    expectSame(await create(name, key), created);
    expect(recorded(name)).toBe(1);
    await expectWell();
  });

  it('commits as the service is killed has one event, and the retry has its answer', async () => {
    const key = newKey();
    set.facts.faults.inject('batch-append', { kind: 'silence' }, { afterCommit: true });
    const cut = server.post('/institutions', { name: 'Killed' }, { 'Idempotency-Key': key }).catch(() => 'cut off');
    await eventually(() => expect(recorded('Killed')).toBe(1));
    await server.kill();
    expect(await cut).toBe('cut off');
    await server.start();
    const created = await insisted(() => create('Killed', key));
    expect(engines.logged().find(({ data }) => data['name'] === 'Killed')?.stream).toBe(
      `institution-${created.body.id}`,
    );
    expectSame(await create('Killed', key), created);
    expect(recorded('Killed')).toBe(1);
  });

  it('has done all that has read models as a fresh replay makes them', () => expectReadModelsAsFresh(engines));
});
