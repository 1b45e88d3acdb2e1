// asOf: every single resource as it was at an instant.
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

interface Travelled {
  readonly path: string;
  /** When it came to be, what it was then, and its ETag of then. */
  readonly createdAt: string;
  readonly then: unknown;
  readonly etag: string;
  readonly now: unknown;
}

/** Resolves when the clock has left the millisecond of `instant`, so that what is written next is later. */
const past = (instant: string) => eventually(() => expect(new Date().toISOString() > instant).toBe(true));

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
// Lists as of an instant: test/audit/profile-history.int.test.ts and profiles-as-of.e2e.test.ts prove them.
const LISTS = [
  '/users/{id}/profiles/{profileId}/history',
  '/profiles',
  '/users/{id}/profiles/{profileId}/history/evidence',
];
const travelled = new Map<string, Travelled>();
const resource = (route: string): Travelled => {
  const found = travelled.get(route);
  if (found === undefined) throw new Error(`nothing was made for ${route}`);
  return found;
};
const get = (path: string, asOf: string) => server.get(`${path}?asOf=${encodeURIComponent(asOf)}`);

beforeAll(async () => {
  const institution = await createInstitution(server, { unities: [{ name: 'Emergency' }] });
  await past(institution.createdAt);
  const { protocol, form } = await createQuestionnaire(server, institution.id);
  await past(protocol.createdAt);
  const user = await createDoctor(server);
  await past(user.createdAt);
  const specialty = await createSpecialty(server, { name: `Cardiology ${randomUUID()}` });
  await past(specialty.createdAt);
  const profile = first(user.profiles);
  const profilePath = `/users/${user.id}/profiles/${profile.id}`;
  const root = `/protocols/${protocol.id}`;
  const replacement = { formId: form.id, name: 'New', questions: [question(1)], scoreRanges: [] };
  const answers = [
    await server.put(`/institutions/${institution.id}`, { name: 'New' }),
    await server.put(`${root}/questionnaire`, replacement),
    await server.post(`${root}/forms/versions`),
    await server.patch(`${profilePath}/approve`),
    await server.put(`/specialties/${specialty.id}`, { name: `New ${randomUUID()}` }),
  ];
  answers.forEach(successful);
  const add = async (
    route: (typeof ROUTES)[number],
    path: string,
    made: { createdAt: string },
    then: unknown = made,
  ) => {
    const [{ createdAt }, now] = [made, successful(await server.get(path)).body];
    travelled.set(route, { path, createdAt, then, now, etag: route.startsWith('/specialties') ? '"0"' : '"1"' });
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
  it('is taken by every single resource, as the description says, and by the lists that are true to the past', async () => {
    const { paths } = await fetchOpenApi<OpenApiDocument>(server);
    const taking = Object.entries(paths).filter(([, { get }]) => get?.parameters.some(({ name }) => name === 'asOf'));
    expect(taking.map(([path]) => path).toSorted()).toEqual([...ROUTES, ...LISTS].toSorted());
  });
});

const singular = (route: string) => route.split('/')[1]?.replace(/ies$/, 'y').replace(/s$/, '');

describe.each(ROUTES)('asOf of %s', (route) => {
  it('is 404 before it was created', async () => {
    const { path, createdAt } = resource(route);
    for (const instant of [new Date(Date.parse(createdAt) - 1).toISOString(), '0001-01-01T00:00:00Z']) {
      expectProblem(await get(path, instant), 404, `${singular(route)}-not-found`);
    }
  });

  it('in the past is what it was then, with the ETag of then', async () => {
    const { path, createdAt, then, etag } = resource(route);
    const { headers, body } = successful(await get(path, createdAt));
    expect(body).toEqual(then);
    expect(headers.get('etag')).toBe(etag);
  });

  it('in the future is what it is now', async () => {
    const { path, now } = resource(route);
    const latest = await server.get(path);
    for (const instant of ['2999-01-01T00:00:00Z', '9999-12-31T23:59:59.999-23:59']) {
      const { headers, body } = successful(await get(path, instant));
      expect(body).toEqual(now);
      expect(headers.get('etag')).toBe(latest.headers.get('etag'));
    }
  });

  it('may be written with any offset', async () => {
    const { path, createdAt, then } = resource(route);
    const shifted = new Date(Date.parse(createdAt) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
    expect((await get(path, shifted)).body).toEqual(then);
  });

  it.each(['yesterday', '2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '1767225600', ''])(
    'refuses asOf=%s with 400',
    async (instant) => {
      expectRefused(await get(resource(route).path, instant), 'asOf invalid-format');
    },
  );
});

describe('asOf of a part', () => {
  it('is 404 for a form before it was created, also where its protocol was there', async () => {
    const { path, createdAt } = resource(QUESTIONNAIRE);
    const [, protocolPath] = /^(.*)\/questionnaire$/.exec(path) ?? [];
    await past(createdAt);
    const version = successful(await server.post<Form>(`${protocolPath}/forms/versions`)).body;
    const form = `${protocolPath}/forms/${version.id}`;
    expectProblem(await get(form, createdAt), 404, 'form-not-found');
    expect((await get(form, version.createdAt)).body).toEqual(version);
    expectProblem(await server.get(`${path}?version=3&asOf=${createdAt}`), 404, 'form-not-found');
    expect((await server.get<{ form: Form }>(`${path}?version=3`)).body.form).toEqual(version);
  });

  it('shows each of many versions', async () => {
    const { id } = await createInstitution(server);
    const { protocol, form } = await createQuestionnaire(server, id);
    const states: Form[] = [form];
    while (states.length < 6) {
      await past(nth(states, -1).updatedAt);
      await server.post(`/protocols/${protocol.id}/forms/${form.id}/questions`, { questionText: `${states.length}` });
      states.push(successful(await server.get<Form>(`/protocols/${protocol.id}/forms/${form.id}`)).body);
    }
    for (const state of states) {
      expect((await get(`/protocols/${protocol.id}/forms/${form.id}`, state.updatedAt)).body).toEqual(state);
    }
  });
});
