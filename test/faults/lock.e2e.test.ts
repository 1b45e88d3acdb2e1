import { describe, expect, it } from 'vitest';
import { type Page, type Protocol, successful } from '../http/samples.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable, lockableService, secondsLater } from './locking.js';

describe('a service whose store another process keeps locked', () => {
  const { server, lock, post, recorded } = lockableService();

  it.each(['facts', 'vault'] as const)(
    'delays a write and applies it once if the %s store is locked for a second',
    async (store) => {
      const name = `A second of ${store}`;
      const unlock = lock(store);
      let hasResponded = false;
      const writing = post(name, name).finally(() => {
        hasResponded = true;
      });
      await secondsLater(1);
      expect({ hasResponded, recorded: recorded(name) }).toEqual({ hasResponded: false, recorded: [] });
      expect((await server.get('/livez')).status).toBe(200);
      unlock();
      const { id } = successful(await writing).body;
      expect(recorded(name)).toMatchObject([{ stream: `protocol-${id}` }]);
    },
  );

  it('refuses writes while the log stays locked, continues to read, and stores no refused write', async () => {
    const { id } = successful(await post('There before')).body;
    const unlock = lock('facts');
    const writes = ['One', 'Two', 'Three'].map((name) => post(name, `key of ${name}`));
    const revision = server.put<Protocol>(`/protocols/${id}`, { name: 'Revised' });
    expect(await server.get(`/protocols/${id}`)).toMatchObject({ status: 200, body: { name: 'There before' } });
    expect((await server.get('/protocols')).status).toBe(200);
    for (const response of await Promise.all([...writes, revision])) expectUnavailable(response);
    unlock();
    expect(['One', 'Two', 'Three', 'Revised'].flatMap(recorded)).toEqual([]);
    expect(await server.get(`/protocols/${id}`)).toMatchObject({ body: { name: 'There before' } });

    const again = successful(await post('One', 'key of One'));
    const replay = successful(await post('One', 'key of One'));
    expect(replay.body).toEqual(again.body);
    expect(recorded('One')).toMatchObject([{ stream: `protocol-${again.body.id}` }]);
  });

  it('writes and reads its own writes while the read models stay locked, and catches up afterwards', async () => {
    const unlock = lock('views');
    const { body, headers } = successful(await post('Behind'));
    expect((await server.get(`/protocols/${body.id}`)).body).toEqual(body);
    expectUnavailable(await server.get('/protocols', { 'Consistency-Token': headers.get('consistency-token') ?? '' }));
    await secondsLater(2);
    unlock();
    await eventually(async () => {
      const page = await server.get<Page<Protocol>>('/protocols?name=behind');
      expect(page.body.items).toEqual([body]);
    });
  });
});
