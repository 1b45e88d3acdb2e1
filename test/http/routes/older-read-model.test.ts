// The reads of protocols while the live read model is of a version that knows neither statuses nor archived protocols.
import { expect, it } from 'vitest';
import type { RouteContext } from '../../../src/http/route/context.js';
import type { List, Resource } from '../../../src/http/route/reading.js';
import type { Call } from '../../../src/http/route/route.js';
import { protocolReads } from '../../../src/http/routes/protocols/reads.js';
import { ReadModelOutdated, StoreUnavailable } from '../../../src/infrastructure/errors.js';

const lacking = (what: string) => Promise.reject(new ReadModelOutdated('protocols', what));

const reader = {
  list: ({ where = {} }: List) =>
    where['archived'] === undefined ? Promise.resolve({ body: JSON.stringify(where) }) : lacking('archived'),
  read: async ({ fromViews }: Resource<unknown>) => {
    const views = { get: async () => ({ revision: 1 }), newest: () => lacking('status') };
    return { body: JSON.stringify((await fromViews(views as never, 'id')) ?? 'folded from the log') };
  },
};
const routes = protocolReads({ reader } as unknown as RouteContext);
const respond = (path: string, query: object) =>
  routes
    .find((route) => route.path === path)
    ?.handle({ params: { id: 'id' }, query, readOptions: {} } as unknown as Call<never, never, never>);

it('the list of protocols shows all, because no protocol was archived when that version was built', async () => {
  for (const query of [{}, { archived: 'false' }]) {
    expect(await respond('/protocols', query)).toEqual({ body: '{}' });
  }
});

it('the list of archived protocols is unavailable, because it would show the others', async () => {
  await expect(respond('/protocols', { archived: 'true' })).rejects.toThrow(StoreUnavailable);
});

it('the current form is folded from the log', async () => {
  expect(await respond('/protocols/{id}/forms/current', {})).toEqual({ body: '"folded from the log"' });
});

it('a list during an outage fails, and never shows archived protocols among the others', async () => {
  const outage = new StoreUnavailable('the read models', new Error('timed out'));
  const failing = { ...reader, list: () => Promise.reject(outage) } as unknown as RouteContext['reader'];
  const [list] = protocolReads({ reader: failing } as unknown as RouteContext);
  const call = { params: {}, query: {}, readOptions: {} } as unknown as Call<never, never, never>;
  await expect(list?.handle(call)).rejects.toBe(outage);
});
