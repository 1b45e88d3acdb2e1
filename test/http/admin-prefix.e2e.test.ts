// The service serves every administration route at / and under /admin-service, and everything else only at its own
// path.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RouteContext } from '../../src/http/route/context.js';
import { routesOf } from '../../src/http/routes.js';
import { fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { type Call, callOf, type Ids, newResources, operationsOf, type Place } from './support/routes.js';
import { successful } from './support/samples.js';

const server = sharedService();
const PREFIX = '/admin-service';
const routes = routesOf({} as RouteContext).map(({ method, path }) => `${method} ${path}`);
// Not the lists and the log, which may grow between two requests.
const single = routes.filter((route) => route.startsWith('get ') && !/s$|unities$|checkpoint$|evidence$/.test(route));

let places: ReadonlyMap<string, Place>;
let ids: Ids;
beforeAll(async () => {
  const described = operationsOf(await fetchOpenApi<OpenApiDocument>(server));
  places = new Map(described.map((place) => [`${place.method} ${place.route}`, place]));
  ids = await newResources(server);
});
const callTo = (name: string, of: Ids = ids): Call => {
  const place = places.get(name);
  if (place === undefined) throw new Error(`${name} is not described`);
  return callOf(place, of);
};

describe('under /admin-service', () => {
  it.each(routes)('%s succeeds, and a Location is under the prefix', async (name) => {
    const { method, path, json } = callTo(name, name.startsWith('get ') ? ids : await newResources(server));
    // A worker signs the log within seconds.
    const response = await eventually(async () => successful(await server.send(method, `${PREFIX}${path}`, { json })));
    const location = response.headers.get('location');
    if (response.status === 201 && places.get(name)?.operation.responses[200] === undefined)
      expect(location).not.toBeNull();
    if (location === null) return;
    expect(location.startsWith(`${PREFIX}/`)).toBe(true);
    expect((await server.get(location)).status).toBe(200);
  });

  it.each(single)('%s responds as it does without the prefix', async (name) => {
    const { path } = callTo(name);
    const [prefixed, plain] = [await server.get(`${PREFIX}${path}`), await server.get(path)];
    expect(prefixed.body).toEqual(plain.body);
    expect(prefixed.headers.get('etag')).toBe(plain.headers.get('etag'));
  });

  it.each(routes)('another method at the path of %s is 405', async (name) => {
    const [, route] = name.split(' ');
    const methods = routes.filter((each) => each.split(' ')[1] === route).map((each) => callTo(each).method);
    const another = methods.includes('DELETE') ? 'PATCH' : 'DELETE';
    const { status, headers } = await server.send(another, `${PREFIX}${callTo(name).path}`);
    expect(status).toBe(405);
    expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(methods));
  });

  it('only administration routes exist', async () => {
    for (const path of ['', '/', '/docs', '/openapi.json', '/livez', '/readyz', '/metrics', PREFIX, '/nothing']) {
      expectProblem(await server.get(`${PREFIX}${path}`), 404, 'route-not-found');
    }
  });
});

describe('the routes of the service', () => {
  it('are those of the OpenAPI document', () => {
    expect([...places.keys()].toSorted()).toEqual(routes.toSorted());
  });

  it('include those of the contract', () => {
    const contract = [
      'post /protocols/questionnaires',
      'put /protocols/{id}/questionnaire',
      'post /protocols',
      'put /protocols/{id}',
      'post /protocols/{id}/forms/versions',
      'get /protocols/{id}/forms/{formId}',
      'post /protocols/{id}/forms/{formId}/questions',
      'put /protocols/{id}/questions/{questionId}',
      'post /protocols/{id}/questions/{questionId}/options',
      'put /protocols/{id}/options/{optionId}',
      'post /institutions',
      'put /institutions/{id}',
      'post /specialties',
    ];
    expect(routes).toEqual(expect.arrayContaining(contract));
  });
});
