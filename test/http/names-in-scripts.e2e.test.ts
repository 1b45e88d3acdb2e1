// Names in many scripts: what is unique, what a sign-up and endpoint 12 choose, and what filters find.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { expectRefused } from './support/refusals.js';
import {
  createDoctor,
  createInstitution,
  createSpecialty,
  doctor,
  type Page,
  question,
  type Specialty,
} from './support/samples.js';
import { newcomer, signUp } from './support/signing-up.js';

const server = sharedService();

describe('two words that differ only in marks that are letters', () => {
  it.each([
    ['Hindi', 'मल', 'मेल'],
    ['Thai', 'ปิ', 'ปี'],
    ['Japanese', 'ハス', 'バス'],
    ['Russian', 'мои', 'мой'],
  ])('are two specialties for every route: %s', async (_, one, other) => {
    const mark = randomUUID();
    const known = await createSpecialty(server, { name: `${one} ${mark}` });
    const description = `${other} ${mark}`;
    const { errors } = (
      await server.post<{ errors: unknown }>('/users/doctor', doctor({ profiles: [{ specialties: [description] }] }))
    ).body;
    expect(errors).toMatchObject([{ code: 'not-found' }]);
    const { profiles } = await signUp(server, { profiles: [{ specialties: [{ description }] }] });
    const { specialtyId } = first(first(profiles).specialties);
    expect(specialtyId).not.toBe(known.id);
    const added = (await server.get<Specialty>(`/specialties/${specialtyId}`)).body;
    expect(added).toMatchObject({ name: description, enabled: false });
    const chosen = await createDoctor(server, { profiles: [{ specialties: [known.name, description] }] });
    expect(first(chosen.profiles).specialties.map((each) => each.specialtyId)).toEqual([known.id, specialtyId]);
    expect((await server.post('/specialties', { name: description })).status).toBe(409);
  });
});

describe('the filter by name', () => {
  const mark = randomUUID();
  const names = ['मल', 'मेल', 'ΛΑΡΙΣΑ', 'ばす', 'はす', 'ﬁbra', 'İlaç', 'мой'].map((name) => `${name} ${mark}`);
  let fresh: Readonly<Record<string, string>>;
  let institutionId: string;
  beforeAll(async () => {
    const { id } = await createInstitution(server, { name: mark, unities: names.map((name) => ({ name })) });
    institutionId = id;
    for (const name of names) {
      await createInstitution(server, { name });
      await createSpecialty(server, { name });
      await createDoctor(server, { firstName: name });
      await server.post('/protocols', { institutionId, name });
    }
    fresh = await upToDate(server);
  });

  it.each([
    ['मे', ['मेल']],
    ['मल', ['मल']],
    ['ΛΑΡΙΣ', ['ΛΑΡΙΣΑ']],
    ['λαρις', ['ΛΑΡΙΣΑ']],
    ['は', ['はす']],
    ['は\u3099', ['ばす']],
    ['fi', ['ﬁbra']],
    ['ILAC', ['İlaç']],
    ['I\u0307', ['İlaç']],
    ['МОЙ', ['мой']],
    [' \u200bмой', ['мой']],
  ])('finds by %s what begins with these letters', async (name, found) => {
    const lists = ['institutions', 'specialties', 'users', 'protocols', `institutions/${institutionId}/unities`];
    for (const list of lists) {
      const path = `/${list}?${new URLSearchParams({ name, limit: '200' })}`;
      const { items } = (await server.get<Page<{ name?: string; firstName?: string }>>(path, fresh)).body;
      const mine = items.map((item) => item.name ?? item.firstName ?? '').filter((text) => text.endsWith(` ${mark}`));
      expect([list, mine]).toEqual([list, found.map((text) => `${text} ${mark}`)]);
    }
  });
});

describe('a line end in a name', () => {
  it.each(['\n', '\r\n', '\u2028'])('is refused on every route that takes a name: %j', async (end) => {
    const name = `A${end}B`;
    const { id, unities } = await createInstitution(server, { name: 'A', unities: [{ name: 'A' }] });
    const unityId = first(unities).id;
    const specialty = await createSpecialty(server, { name: randomUUID() });
    const user = await createDoctor(server);
    const protocol = (await server.post<{ id: string }>('/protocols', { institutionId: id, name: 'A' })).body;
    const tried = {
      'POST /institutions': [{ name, unities: [] }, '/name'],
      'POST /admin-service/institutions': [{ name: 'A', unities: [{ name }] }, '/unities/0/name'],
      [`PUT /institutions/${id}`]: [{ name }, '/name'],
      [`POST /institutions/${id}/unities`]: [{ name }, '/name'],
      [`PUT /institutions/${id}/unities/${unityId}`]: [{ name }, '/name'],
      'POST /specialties': [{ name }, '/name'],
      [`PUT /specialties/${specialty.id}`]: [{ name }, '/name'],
      'POST /protocols': [{ institutionId: id, name }, '/name'],
      [`PUT /protocols/${protocol.id}`]: [{ name }, '/name'],
      'POST /protocols/questionnaires': [
        { institutionId: id, name, questions: [question(1)], scoreRanges: [] },
        '/name',
      ],
      [`PUT /protocols/${protocol.id}/questionnaire`]: [
        { formId: unityId, name, questions: [question(1)], scoreRanges: [] },
        '/name',
      ],
      'POST /auth-service/signup': [
        newcomer({ profiles: [{ specialties: [{ description: name }] }] }),
        '/profiles/0/specialties/0/description',
      ],
      [`PUT /users/${user.id}`]: [{ firstName: name }, '/firstName'],
      'POST /users/doctor': [doctor({ lastName: name }), '/lastName'],
    } as const;
    for (const [request, [body, pointer]] of Object.entries(tried)) {
      const [method = '', path = ''] = request.split(' ');
      expectRefused(await server.send(method, path, { json: body }), `${pointer} control-character`);
    }
  });
});

describe('a mark of direction in a name', () => {
  it.each(['\u200E', '\u200F', '\u061C'])('is dropped by every route that takes a name: %j', async (mark) => {
    const run = randomUUID();
    const name = `${mark}A${mark} ${run}${mark}`;
    const kept = `A ${run}`;
    const institution = await createInstitution(server, { name, unities: [{ name }] });
    const { id: institutionId } = institution;
    const specialty = await createSpecialty(server, { name });
    const user = await createDoctor(server, { firstName: name, lastName: name });
    const { body: protocol } = await server.post<{ name: string }>('/protocols', { institutionId, name });
    const names = [institution.name, first(institution.unities).name, specialty.name, protocol.name];
    expect([...names, user.firstName, user.lastName]).toEqual(Array.from({ length: 6 }, () => kept));
    const { profiles } = await signUp(server, { profiles: [{ specialties: [{ description: name }] }] });
    expect(first(first(profiles).specialties).specialtyId).toBe(specialty.id);
    for (const other of ['\u202B', '\u2067']) {
      expectRefused(await server.post('/specialties', { name: `${other}${name}\u2069` }), '/name control-character');
    }
    expectRefused(await server.post('/specialties', { name: `${mark} ${mark}` }), '/name blank');
  });
});
