// asOf: every single resource as of a time.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createDoctor,
  createInstitution,
  createQuestionnaire,
  createSpecialty,
  type Form,
  first,
  nth,
  question,
  successful,
} from './samples.js';

const server = sharedService();

/** A resource that has changed since it was created. */
interface Changed {
  readonly path: string;
  readonly createdAt: string;
  /** The body and the ETag at `createdAt`. */
  readonly then: unknown;
  readonly etag: string;
  readonly now: unknown;
}

/** Resolves when the clock has passed the timestamp, so that the next event has a later one. */
const passed = (timestamp: string) => eventually(() => expect(new Date().toISOString() > timestamp).toBe(true));

const QUESTIONNAIRE = '/protocols/{id}/questionnaire';
const ROUTES = [
  '/institutions/{id}',
  '/protocols/{id}',
  QUESTIONNAIRE,
  '/protocols/{id}/forms/{formId}',
  '/specialties/{id}',
  '/users/{id}',
  '/users/{id}/profiles/{profileId}',
] as const;
// test/audit/profile-history.int.test.ts and profiles-as-of.e2e.test.ts test the lists.
const LISTS = [
  '/users/{id}/profiles/{profileId}/history',
  '/profiles',
  '/users/{id}/profiles/{profileId}/history/evidence',
];
const resources = new Map<string, Changed>();
const resource = (route: string): Changed => {
  const found = resources.get(route);
  if (found === undefined) throw new Error(`the test created no resource of ${route}`);
  return found;
};
const get = (path: string, asOf: string) => server.get(`${path}?asOf=${encodeURIComponent(asOf)}`);

beforeAll(async () => {
  const institution = await createInstitution(server, { unities: [{ name: 'Emergency' }] });
  await passed(institution.createdAt);
  const { protocol, form } = await createQuestionnaire(server, institution.id);
  await passed(protocol.createdAt);
  const user = await createDoctor(server);
  await passed(user.createdAt);
  const specialty = await createSpecialty(server, { name: `Cardiology ${randomUUID()}` });
  await passed(specialty.createdAt);
  const profile = first(user.profiles);
  const profilePath = `/users/${user.id}/profiles/${profile.id}`;
  const root = `/protocols/${protocol.id}`;
  const replacement = { formId: form.id, name: 'New', questions: [question(1)], scoreRanges: [] };
  const responses = [
    await server.put(`/institutions/${institution.id}`, { name: 'New' }),
    await server.put(`${root}/questionnaire`, replacement),
    await server.post(`${root}/forms/versions`),
    await server.patch(`${profilePath}/approve`),
    await server.put(`/specialties/${specialty.id}`, { name: `New ${randomUUID()}` }),
  ];
  responses.forEach(successful);
  const add = async (
    route: (typeof ROUTES)[number],
    path: string,
    made: { createdAt: string },
    then: unknown = made,
  ) => {
    const [{ createdAt }, now] = [made, successful(await server.get(path)).body];
    resources.set(route, { path, createdAt, then, now, etag: route.startsWith('/specialties') ? '"0"' : '"1"' });
  };
  await add('/institutions/{id}', `/institutions/${institution.id}`, institution);
  await add('/protocols/{id}', root, protocol);
  await add(QUESTIONNAIRE, `${root}/questionnaire`, protocol, { protocol, form, scoreRanges: form.scoreRanges });
  await add('/protocols/{id}/forms/{formId}', `${root}/forms/${form.id}`, form);
  await add('/specialties/{id}', `/specialties/${specialty.id}`, specialty);
  await add('/users/{id}', `/users/${user.id}`, user);
  await add('/users/{id}/profiles/{profileId}', profilePath, profile);
});

describe('asOf', () => {
  it('is a parameter of every single resource and of some lists in the OpenAPI document', async () => {
    const { paths } = await fetchOpenApi<OpenApiDocument>(server);
    const withAsOf = Object.entries(paths).filter(([, { get }]) => get?.parameters.some(({ name }) => name === 'asOf'));
    expect(withAsOf.map(([path]) => path).toSorted()).toEqual([...ROUTES, ...LISTS].toSorted());
  });
});

const singular = (route: string) => route.split('/')[1]?.replace(/ies$/, 'y').replace(/s$/, '');

describe.each(ROUTES)('asOf of %s', (route) => {
  it('is 404 before the resource was created', async () => {
    const { path, createdAt } = resource(route);
    for (const asOf of [new Date(Date.parse(createdAt) - 1).toISOString(), '0001-01-01T00:00:00Z']) {
      expectProblem(await get(path, asOf), 404, `${singular(route)}-not-found`);
    }
  });

  it('in the past returns the resource and the ETag of that time', async () => {
    const { path, createdAt, then, etag } = resource(route);
    const { headers, body } = successful(await get(path, createdAt));
    expect(body).toEqual(then);
    expect(headers.get('etag')).toBe(etag);
  });

  it('in the future returns the current resource', async () => {
    const { path, now } = resource(route);
    const latest = await server.get(path);
    for (const asOf of ['2999-01-01T00:00:00Z', '9999-12-31T23:59:59.999-23:59']) {
      const { headers, body } = successful(await get(path, asOf));
      expect(body).toEqual(now);
      expect(headers.get('etag')).toBe(latest.headers.get('etag'));
    }
  });

  it('may have any offset from UTC', async () => {
    const { path, createdAt, then } = resource(route);
    const shifted = new Date(Date.parse(createdAt) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
    expect((await get(path, shifted)).body).toEqual(then);
  });

  it.each(['yesterday', '2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '1767225600', ''])(
    'refuses asOf=%s with 400',
    async (asOf) => {
      expectRefused(await get(resource(route).path, asOf), 'asOf invalid-format');
    },
  );
});

describe('asOf of a part', () => {
  it('is 404 for a form before it was created, even if its protocol existed', async () => {
    const { path, createdAt } = resource(QUESTIONNAIRE);
    const [, protocolPath] = /^(.*)\/questionnaire$/.exec(path) ?? [];
    await passed(createdAt);
    const version = successful(await server.post<Form>(`${protocolPath}/forms/versions`)).body;
    const form = `${protocolPath}/forms/${version.id}`;
    expectProblem(await get(form, createdAt), 404, 'form-not-found');
    expect((await get(form, version.createdAt)).body).toEqual(version);
    expectProblem(await server.get(`${path}?version=3&asOf=${createdAt}`), 404, 'form-not-found');
    expect((await server.get<{ form: Form }>(`${path}?version=3`)).body.form).toEqual(version);
  });

  it('returns each of many states', async () => {
    const { id } = await createInstitution(server);
    const { protocol, form } = await createQuestionnaire(server, id);
    const states: Form[] = [form];
    while (states.length < 6) {
      await passed(nth(states, -1).updatedAt);
      await server.post(`/protocols/${protocol.id}/forms/${form.id}/questions`, { questionText: `${states.length}` });
      states.push(successful(await server.get<Form>(`/protocols/${protocol.id}/forms/${form.id}`)).body);
    }
    for (const state of states) {
      expect((await get(`/protocols/${protocol.id}/forms/${form.id}`, state.updatedAt)).body).toEqual(state);
    }
  });
});
