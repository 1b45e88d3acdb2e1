// asOf: every single resource as of a time. A new route with asOf needs a change of its resource in `changeAll`.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../scripts/routes-doc.js';
import { eventually } from '../support/eventually.js';
import { nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import { type Ids, newResources, pathOf, resourceOf } from './support/routes.js';
import { createInstitution, createQuestionnaire, type Form, question, successful } from './support/samples.js';

const server = sharedService();
// Other tests read lists, the evidence and the current form in the past: profiles-as-of, profile-history, evidence and
// form-life.
const routes = allRoutes
  .filter(({ travelsInTime, path }) => travelsInTime && path.includes('{') && !/(history|evidence|current)$/.test(path))
  .map(({ path }) => path);

/** A resource before and after a change. */
interface Changed {
  readonly path: string;
  readonly createdAt: string;
  readonly past: { readonly body: unknown; readonly etag: string | null };
  readonly now: { readonly body: unknown; readonly etag: string | null };
}
const resources = new Map<string, Changed>();
const changed = (route: string): Changed => {
  const found = resources.get(route);
  if (found === undefined) throw new Error(`the test has no resource of ${route}`);
  return found;
};

/** Resolves when the clock has passed the timestamp, so that the next event has a later one. */
const passed = (timestamp: string) => eventually(() => expect(new Date().toISOString() > timestamp).toBe(true));
const get = (path: string, asOf: string) => server.get(`${path}?asOf=${encodeURIComponent(asOf)}`);
const read = async (path: string) => {
  const { body, headers } = successful(await server.get<{ createdAt: string; protocol: { createdAt: string } }>(path));
  return { body, etag: headers.get('etag') };
};

const changeAll = async (ids: Ids): Promise<void> => {
  const replacement = { formId: ids['formId'], name: 'New', questions: [question(1)], scoreRanges: [] };
  const user = `/users/${ids['userId']}`;
  successful(await server.put(`/institutions/${ids['institutionId']}`, { name: 'New' }));
  successful(await server.put(`/protocols/${ids['protocolId']}/questionnaire`, replacement));
  successful(await server.put(`/specialties/${ids['specialtyId']}`, { name: `New ${randomUUID()}` }));
  successful(await server.patch(`${user}/profiles/${ids['profileId']}/approve`));
};

/** A time between the creation of the resources and their change. */
let before: string;
beforeAll(async () => {
  const ids = await newResources(server);
  const past = await Promise.all(routes.map((route) => read(pathOf(route, ids))));
  before = new Date().toISOString();
  await passed(before);
  await changeAll(ids);
  for (const [index, route] of routes.entries()) {
    const [path, { body, etag }] = [pathOf(route, ids), nth(past, index)];
    const created = path.endsWith('/analysis') ? await read(path.replace(/\/analysis$/, '')) : { body };
    const createdAt = created.body.createdAt ?? created.body.protocol.createdAt;
    resources.set(route, { path, createdAt, past: { body, etag }, now: await read(path) });
  }
});

describe.each(routes)('asOf of %s', (route) => {
  it('is 404 before the resource was created, and 200 from then on', async () => {
    const { path, createdAt } = changed(route);
    for (const asOf of [new Date(Date.parse(createdAt) - 1).toISOString(), '0001-01-01T00:00:00Z']) {
      expectProblem(await get(path, asOf), 404, `${resourceOf(route)}-not-found`);
    }
    expect((await get(path, createdAt)).status).toBe(200);
  });

  it('in the past returns the resource and the ETag of that time, with any offset from UTC', async () => {
    const { path, past, now } = changed(route);
    expect(now.body).not.toEqual(past.body);
    const shifted = new Date(Date.parse(before) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
    for (const asOf of [before, shifted]) {
      const { headers, body } = successful(await get(path, asOf));
      expect({ body, etag: headers.get('etag') }).toEqual(past);
    }
  });

  it('in the future returns the current resource', async () => {
    const { path, now } = changed(route);
    for (const asOf of ['2999-01-01T00:00:00Z', '9999-12-31T23:59:59.999-23:59']) {
      const { headers, body } = successful(await get(path, asOf));
      expect({ body, etag: headers.get('etag') }).toEqual(now);
    }
  });

  it('is refused if it is no timestamp', async () => {
    for (const asOf of ['yesterday', '2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '1767225600', '']) {
      expectRefused(await get(changed(route).path, asOf), 'asOf invalid-format');
    }
  });
});

describe('asOf of a part', () => {
  it('is 404 for a form before it was created, even if its protocol existed', async () => {
    const { path } = changed('/protocols/{id}/questionnaire');
    const [protocolPath, createdAt] = [path.replace('/questionnaire', ''), new Date().toISOString()];
    await passed(createdAt);
    const version = successful(await server.post<Form>(`${protocolPath}/forms/versions`)).body;
    const form = `${protocolPath}/forms/${version.id}`;
    expectProblem(await get(form, createdAt), 404, 'form-not-found');
    expect((await get(form, version.createdAt)).body).toEqual(version);
    expectProblem(await server.get(`${path}?version=${version.version}&asOf=${createdAt}`), 404, 'form-not-found');
    expect((await server.get<{ form: Form }>(`${path}?version=${version.version}`)).body.form).toEqual(version);
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
