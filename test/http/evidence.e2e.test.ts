// GET /users/{id}/profiles/{profileId}/history/evidence: the history as a file that can be verified without the
// service.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProfileEvidence as Evidence } from '../../src/audit/evidence-format.js';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { first } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { runVerifier } from '../verifier/support/verifier.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { doctor, successful, UNKNOWN_ID, type User } from './support/samples.js';

const server = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
let administrator: Caller;
let auditor: Caller;

const newDoctor = async () => {
  const sent = doctor({ firstName: 'Ana', lastName: 'Souza', profiles: [{ documentDoctor: 'CRM/SP 123456' }] });
  const user = successful(await server.post<User>('/users/doctor', sent, administrator.authorization)).body;
  return { user, path: `/users/${user.id}/profiles/${first(user.profiles).id}` };
};
const evidenceOf = (path: string, query = '', by = auditor): Promise<ClientResponse<Evidence>> =>
  server.get<Evidence>(`${path}/history/evidence${query}`, by.authorization);

/** Writes the evidence to a file as the service sent it. */
const saved = (evidence: Evidence): string => {
  const file = join(temporaryDirectory(), 'evidence.json');
  writeFileSync(file, `${JSON.stringify(evidence, undefined, 2)}\n`);
  return file;
};
const keyOf = async () => successful(await server.get<string>('/audit/log/key')).body.trim();

beforeAll(async () => {
  administrator = await newAdministrator(server);
  auditor = await newCaller(server, administrator, { type: 'AUDITOR' });
});

describe('the evidence of a profile', () => {
  it('is a file that the verifier confirms after the service has stopped', async () => {
    const { user, path } = await newDoctor();
    const profileId = first(user.profiles).id;
    successful(
      await server.patch(`${path}/approve`, { reason: 'Checked with the council.' }, administrator.authorization),
    );
    successful(await server.patch(`${path}/approve`, { reason: 'And with the school.' }, administrator.authorization));
    const response = successful(await evidenceOf(path));
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="evidence-${profileId}.json"`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [file, key] = [saved(response.body), await keyOf()];
    await server.stop();
    const { code, out, err } = await runVerifier(file, '--key', key);
    await server.start();
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/\nVERIFIED UP TO REVISION \d+: this evidence is authentic\. .*\n$/);
    for (const line of [
      `profile ${profileId} of user ${user.id}, Ana Souza`,
      'documentDoctor: CRM/SP 123456',
      'reason: Checked with the council.',
      'UserProfileDecisionExplained, revision 3',
      'reason: And with the school.',
      `by ${administrator.user.id}, `,
    ]) {
      expect(out).toContain(line);
    }
  });

  it('can be requested as of a time, and is 404 before the profile was created', async () => {
    const { user, path } = await newDoctor();
    const { createdAt } = first(user.profiles);
    await decide(server, administrator, user, 'approve');
    const { body } = successful(await evidenceOf(path, `?asOf=${createdAt}`));
    expect(body).toMatchObject({ subject: { asOf: createdAt }, next: { leaf: { type: 'UserProfileApproved' } } });
    expect((await runVerifier(saved(body), '--key', await keyOf())).out).toContain(`as of ${createdAt}`);
    const before = new Date(Date.parse(createdAt) - 1).toISOString();
    expectProblem(await evidenceOf(path, `?asOf=${before}`), 404, 'profile-not-found');
  });

  it('is available to auditors and administrators, but not to the user of the profile', async () => {
    const { path } = await newDoctor();
    successful(await evidenceOf(path, '', administrator));
    const own = `/users/${auditor.user.id}/profiles/${first(auditor.user.profiles).id}`;
    const nurse = await newCaller(server, administrator, { type: 'NURSE' });
    const ofNurse = `/users/${nurse.user.id}/profiles/${first(nurse.user.profiles).id}`;
    successful(await evidenceOf(own));
    expectProblem(await evidenceOf(ofNurse, '', nurse), 403, 'not-allowed');
    expectProblem(await server.get(`${path}/history/evidence`), 401, 'sign-in-required');
  });

  it('is recorded as a reading each time, if the profile exists', async () => {
    const { user, path } = await newDoctor();
    const profile = first(user.profiles).id;
    const asOf = '9999-12-31T23:59:59.000Z';
    successful(await evidenceOf(path));
    successful(await evidenceOf(path, `?asOf=${asOf}`));
    expectProblem(await evidenceOf(`/users/${user.id}/profiles/${UNKNOWN_ID}`), 404, 'profile-not-found');
    const readings = (await server.recorded())
      .filter(({ type, data }) => type === 'AuditTrailRead' && JSON.stringify(data).includes(user.id))
      .map(({ data, metadata }) => ({ data, actor: metadata.actor.id }));
    const reading = (filter: object) => ({
      data: { what: 'profile-evidence', filter: { user: user.id, profile, ...filter } },
      actor: auditor.user.id,
    });
    expect(readings).toEqual([reading({}), reading({ asOf })]);
  });
});
