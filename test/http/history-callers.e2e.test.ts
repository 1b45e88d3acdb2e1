// If callers must sign in: who reads which history, and who sees the names of actors in it.
import { beforeAll, describe, expect, it } from 'vitest';
import { nth } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { createInstitution, createProtocol, successful } from './support/samples.js';

interface Step {
  readonly type: string;
  readonly actor: { readonly id: string; readonly name: string | null };
}

const server = serverOfThisFile({ AUTH: 'required' });
let [administrator, auditor, doctor, nurse]: Caller[] = [];
let [user, institution, protocol]: string[] = [];

const read = (path = '', caller?: Caller) =>
  server.get<{ readonly items: readonly Step[] }>(`${path}/history`, caller?.authorization);
const actorsIn = async (path?: string, caller?: Caller) =>
  successful(await read(path, caller)).body.items.map(({ actor }) => actor);

beforeAll(async () => {
  administrator = await newAdministrator(server);
  auditor = await newCaller(server, administrator, { type: 'AUDITOR' });
  doctor = await newCaller(server, administrator, { type: 'DOCTOR_GENERALIST' });
  nurse = await newCaller(server, administrator, { type: 'NURSE' });
  successful(await server.put(`/users/${doctor.user.id}`, { gender: 'MASCULINE' }, doctor.authorization));
  server.headers = administrator.authorization;
  const { id } = await createInstitution(server);
  const made = await createProtocol(server, id);
  server.headers = {};
  [user, institution, protocol] = [`/users/${doctor.user.id}`, `/institutions/${id}`, `/protocols/${made.id}`];
});

describe('a history', () => {
  it('of any kind is for auditors and administrators, who see the present names of actors', async () => {
    const named = (caller?: Caller) => {
      const { id, firstName, lastName } = caller?.user ?? {};
      return { id, name: `${firstName} ${lastName}` };
    };
    for (const reader of [administrator, auditor]) {
      expect(nth(await actorsIn(user, reader), 0)).toEqual(named(administrator));
      expect(nth(await actorsIn(user, reader), -1)).toEqual(named(doctor));
      for (const path of [institution, protocol]) expect(await actorsIn(path, reader)).toEqual([named(administrator)]);
    }
  });

  it('of a user is for that user, too, without the names of actors', async () => {
    const own = await actorsIn(user, doctor);
    expect(own).toEqual((await actorsIn(user, auditor)).map(({ id }) => ({ id, name: null })));
    expect(new Set(own.map(({ id }) => id))).toEqual(new Set([administrator?.user.id, doctor?.user.id]));
  });

  it('is for nobody else: 403 for others, 401 without a token, and neither is a reading', async () => {
    const readings = async () => (await server.recorded()).filter(({ type }) => type === 'AuditTrailRead').length;
    const before = await readings();
    for (const path of [institution, protocol]) expectProblem(await read(path, doctor), 403, 'not-allowed');
    expectProblem(await read(user, nurse), 403, 'not-allowed');
    for (const path of [user, institution, protocol]) expectProblem(await read(path), 401, 'sign-in-required');
    expect(await readings()).toBe(before);
  });

  it('shows no name of an actor who was erased', async () => {
    const decider = await newCaller(server, administrator as Caller, { type: 'ADMINISTRATOR' });
    successful(await server.put(institution ?? '', { name: 'Renamed' }, decider.authorization));
    const erasing = { headers: administrator?.authorization };
    successful(await server.send('DELETE', `/users/${decider.user.id}/personal-data`, erasing));
    expect(nth(await actorsIn(institution, auditor), -1)).toEqual({ id: decider.user.id, name: null });
  });
});
