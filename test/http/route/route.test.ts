// What follows from the definition of a route. A handler that does what its kind may not do does not compile.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { unidentified } from '../../../src/http/access/access.js';
import {
  del,
  expressPath,
  get,
  isReplayed,
  type Kind,
  paramNames,
  patch,
  post,
  put,
  recordsNothing,
  successStatuses,
} from '../../../src/http/route/route.js';

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

const write = { ...thing, handle: async () => ({ body: '{}', made }) };
const route = post('/things', write);

it.each([
  ['get', 'view', get('/things', { ...thing, handle: async () => ({ body: '{}' }) })],
  ['post', 'write', route],
  ['put', 'write', put('/things', write)],
  ['patch', 'write', patch('/things', write)],
  ['delete', 'write', del('/things', write)],
])('a route of the method %s is a %s unless it names another kind', (method, kind, made) => {
  expect(made).toMatchObject({ method, kind, path: '/things' });
});

it.each<[string, readonly Kind[], boolean, boolean]>([
  ['a GET is not replayed', ['view', 'log', 'plain', 'probe', 'message', 'recordedView', 'recorded'], false, false],
  ['a write is replayed', ['write', 'creation'], true, false],
  ['any other route with a body records nothing', ['action', 'calculation', 'viewCalculation'], false, true],
])('%s', (_, kinds, replayed, nothing) => {
  for (const kind of kinds) {
    expect([kind, isReplayed({ ...route, kind }), recordsNothing({ kind })]).toEqual([kind, replayed, nothing]);
  }
});

it.each([
  ['/things', [], '/things'],
  ['/{name}/things/{thingId}', ['name', 'thingId'], '/:name/things/:thingId'],
  ['/things/{id}/{name}', ['id', 'name'], '/things/:id/*name'],
])('the parameters of %s are %j, and a text at its end matches the rest of a path', (path, names, express) => {
  const texts = { name: { description: 'A name', pattern: '.+', example: 'a/b' } };
  expect([paramNames(path), expressPath({ ...route, path, texts })]).toEqual([names, express]);
  expect(expressPath({ ...route, path })).toBe(express.replace('*', ':'));
});

it('the default status of a route is 201 if it has 201 and 200', () => {
  const responses = { 200: z.unknown(), 201: z.unknown() };
  expect(successStatuses({ ...route, responses })).toEqual([201, 200]);
});
