// What the kind of a route lets its handler do. A route that does something else does not compile.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { unidentified } from '../../../src/http/access/access.js';
import { del, get, post } from '../../../src/http/route/route.js';

const thing = {
  access: { who: unidentified, personal: true },
  name: 'aThing',
  summary: 'A thing',
  responses: { 200: z.unknown() },
} as const;
const made = { aggregate: 'user', id: 'one', revision: 1, parts: ['one'] };

it('a write says what its response shows, and other routes need not', () => {
  const routes = [
    post('/things', { ...thing, handle: async () => ({ body: '{}', made }) }),
    // @ts-expect-error: a response that may be stored must say whose data it has
    post('/things', { ...thing, handle: async () => ({ body: '{}' }) }),
    // @ts-expect-error: the same for a creation
    post('/things', { ...thing, kind: 'creation', handle: async () => ({ body: '{}' }) }),
    // @ts-expect-error: only texts can be stored
    del('/things', { ...thing, handle: async () => ({ body: Buffer.from('{}'), made }) }),
    post('/things', {
      ...thing,
      handle: async () => ({ body: '{}', made }),
      // @ts-expect-error: only JSON can be made again
      forms: { 'text/plain': async () => ({}) },
    }),
    post('/things', { ...thing, kind: 'action', handle: async () => ({ body: '{}' }) }),
  ];
  expect(routes.map(({ kind }) => kind)).toEqual(['write', 'write', 'creation', 'write', 'write', 'action']);
});

it('only a route that records sees the actor, and only one that sends or records the client', () => {
  const routes = [
    // @ts-expect-error: a read of a view records nothing
    get('/things', { ...thing, handle: async ({ by }) => ({ body: by }) }),
    // @ts-expect-error: a read of the log sends nothing
    get('/things', { ...thing, kind: 'log', handle: async ({ client }) => ({ body: client.language }) }),
    // @ts-expect-error: a route that sends a message records nothing
    get('/things', { ...thing, kind: 'message', handle: async ({ by }) => ({ body: by.correlationId }) }),
    get('/things', { ...thing, kind: 'message', handle: async ({ client }) => ({ body: client.language }) }),
    get('/things', { ...thing, kind: 'recorded', handle: async ({ by }) => ({ body: by.correlationId }) }),
    // @ts-expect-error: a GET cannot be a write
    get('/things', { ...thing, kind: 'write', handle: async () => ({ body: '{}', made }) }),
  ];
  expect(routes.map(({ method }) => method)).toEqual(routes.map(() => 'get'));
});
