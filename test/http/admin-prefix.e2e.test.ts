// The service serves every administration route at / and under /admin-service, and everything else only at its own
// path.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RouteContext } from '../../src/http/route/context.js';
import { routesOf } from '../../src/http/routes.js';
import type { ClientResponse } from '../support/client.js';
import { fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './refusals.js';
import { type Ids, operationsOf, pathOf, type Step, walk } from './walk.js';

const server = sharedService();
const PREFIX = '/admin-service';
const routes = routesOf({} as RouteContext).map(({ method, path }) => `${method} ${path}`);
const creations = routesOf({} as RouteContext).flatMap(({ method, path, responses: declared }) =>
  declared[201] === undefined ? [] : [`${method} ${path}`],
);

describe('under /admin-service', () => {
  const responses = new Map<string, { readonly step: Step; readonly response: ClientResponse }>();
  let ids: Ids;
  beforeAll(async () => {
    const described = await fetchOpenApi<OpenApiDocument>(server);
    ids = await walk(described, async (step) => {
      const response = await server.send(step.method.toUpperCase(), `${PREFIX}${step.path}`, { json: step.body });
      responses.set(`${step.method} ${step.route}`, { step, response });
      return response;
    });
  });
  const answerTo = (route: string) => {
    const found = responses.get(route);
    if (found === undefined) throw new Error(`${route} is missing from the walk`);
    return found;
  };

  it('every route of the service succeeds', () => {
    expect([...responses.keys()].toSorted()).toEqual(routes.toSorted());
  });

  // Not the lists and the log, which may grow between the two requests.
  it.each(routes.filter((route) => route.startsWith('get ') && !/s$|unities$|checkpoint$|evidence$/.test(route)))(
    '%s responds as it does without the prefix',
    async (route) => {
      const { step, response } = answerTo(route);
      const plain = await server.get(step.path);
      expect(plain.body).toEqual(response.body);
      expect(plain.headers.get('etag')).toBe(response.headers.get('etag'));
    },
  );

  it.each(creations)('%s responds with a Location under the prefix', async (route) => {
    const location = `${answerTo(route).response.headers.get('location')}`;
    expect(location.startsWith(`${PREFIX}/`)).toBe(true);
    expect((await server.get(location)).status).toBe(200);
  });

  it.each(routes)('another method at the path of %s is 405', async (route) => {
    const [, path = ''] = route.split(' ');
    const methods = routes
      .filter((other) => other.split(' ')[1] === path)
      .map((other) => other.split(' ')[0]?.toUpperCase());
    const another = methods.includes('DELETE') ? 'PATCH' : 'DELETE';
    const { status, headers } = await server.send(another, `${PREFIX}${pathOf(path, ids)}`);
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
  it('are those of the OpenAPI document', async () => {
    const described = await fetchOpenApi<OpenApiDocument>(server);
    expect(
      operationsOf(described)
        .map(({ method, route }) => `${method} ${route}`)
        .toSorted(),
    ).toEqual(routes.toSorted());
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
