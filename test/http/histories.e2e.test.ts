// GET …/history of users, institutions and protocols: what happened to each, when, by whom and why.
import { describe, expect, it } from 'vitest';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { tracedPerson } from './support/erased-person.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import {
  createDoctor,
  createInstitution,
  createQuestionnaire,
  numbered,
  successful,
  UNKNOWN_ID,
} from './support/samples.js';

interface Step {
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly clock: string | null;
  readonly actor: { readonly id: string; readonly name: string | null };
  readonly reason: string | null;
}
interface History {
  readonly items: readonly Step[];
  readonly nextCursor: string | null;
}

const server = sharedService();
const historyOf = (path: string, query = '') => server.get<History>(`${path}/history${query}`);
const stepsOf = async (path: string) => successful(await historyOf(path, '?limit=200')).body.items;
const streamOf = (path: string) => path.slice(1).replace('s/', '-');

/** Returns all steps, read page by page. */
const pagedSteps = async (path: string, limit: number): Promise<readonly Step[]> => {
  const steps: Step[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { items, nextCursor } = successful(await historyOf(path, `?limit=${limit}${query}`)).body;
    expect(items.length).toBe(nextCursor === null ? items.length : limit);
    steps.push(...items);
    cursor = nextCursor;
  }
  return steps;
};

/** Returns the paths of a user, an institution and a protocol, each with several events. */
const resources = async () => {
  const { userId } = await tracedPerson(server);
  const { id } = await createInstitution(server, { unities: [{ name: 'Ward' }] });
  const { protocol, form } = await createQuestionnaire(server, id);
  await server.put(`/institutions/${id}`, { name: 'Renamed' });
  const publishing = { reason: 'The committee approved the wording.' };
  successful(await server.post(`/protocols/${protocol.id}/forms/${form.id}/publish`, publishing));
  return [`/users/${userId}`, `/institutions/${id}`, `/protocols/${protocol.id}`] as const;
};

describe('the history of a user, an institution or a protocol', () => {
  it('has every event of its stream, oldest first, with its actor and reason, but not its content', async () => {
    for (const path of await resources()) {
      const { headers, body } = successful(await historyOf(path, '?limit=200'));
      expect(headers.get('cache-control')).toBe('no-store');
      const recorded = await server.recorded(streamOf(path));
      expect(body.items.map(({ type, revision }) => ({ type, revision }))).toEqual(
        recorded.map(({ type }, revision) => ({ type, revision })),
      );
      for (const [revision, step] of body.items.entries()) {
        const { at, actor } = nth(recorded, revision).metadata;
        expect(step).toMatchObject({ at, clock: null, actor: { id: actor.id, name: null } });
        expect(Object.keys(step)).toEqual(['revision', 'type', 'at', 'clock', 'actor', 'reason']);
        expect(Object.keys(step.actor)).toEqual(['id', 'name']);
      }
    }
  });

  it('has the reasons of decisions and of the life of forms, and nothing else of a payload', async () => {
    const { canaries, userId, profileId } = await tracedPerson(server);
    const institution = await createInstitution(server, { name: 'Hospital Canário' });
    const { protocol, form } = await createQuestionnaire(server, institution.id);
    const publishing = { reason: 'The committee approved the wording.' };
    successful(await server.post(`/protocols/${protocol.id}/forms/${form.id}/publish`, publishing));
    const reasonsOf = async (path: string) =>
      (await stepsOf(path)).flatMap(({ type, reason }) => (reason === null ? [] : [[type, reason]]));
    expect(await reasonsOf(`/users/${userId}`)).toEqual([
      ['UserProfileRejected', canaries.reasons[0]],
      ['UserProfileApproved', canaries.reasons[1]],
      ['UserProfileDecisionExplained', canaries.reasons[2]],
    ]);
    expect(await reasonsOf(`/protocols/${protocol.id}`)).toEqual([['ProtocolFormPublished', publishing.reason]]);
    const { reasons: _, ...personal } = canaries;
    const shown = JSON.stringify([
      await stepsOf(`/users/${userId}`),
      await stepsOf(`/institutions/${institution.id}`),
      await stepsOf(`/protocols/${protocol.id}`),
    ]);
    for (const value of [...Object.values(personal), profileId, form.id, 'Hospital Canário', 'Somebody']) {
      expect(shown).not.toContain(value);
    }
  });

  it('has every step once in pages of two, while somebody writes', async () => {
    for (const path of await resources()) {
      const before = await stepsOf(path);
      let isReading = true;
      const isUser = path.startsWith('/users');
      const write = async () => {
        for (let n = 0; isReading; n += 1) {
          successful(await server.put(path, isUser ? { firstName: `Name ${n}` } : { name: `Name ${n}` }));
        }
      };
      const writing = write();
      // The writer may be faster than the reader, so the reader begins only a bounded number of pages.
      const read: Step[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null && read.length < before.length + 6) {
        const query = cursor === undefined ? '' : `&cursor=${cursor}`;
        const page = successful(await historyOf(path, `?limit=2${query}`)).body;
        read.push(...page.items);
        cursor = page.nextCursor;
      }
      isReading = false;
      await writing;
      expect(read).toEqual((await stepsOf(path)).slice(0, read.length));
      expect(read.length).toBeGreaterThanOrEqual(before.length);
    }
  });

  it('is the same in pages of any size', async () => {
    for (const path of await resources()) {
      const whole = await stepsOf(path);
      for (const limit of [1, 2, 3]) expect(await pagedSteps(path, limit)).toEqual(whole);
    }
  });

  it('shows at which instants asOf of the resource changed', async () => {
    for (const path of await resources()) {
      const steps = await stepsOf(path);
      for (const { at } of steps) {
        const { headers } = successful(await server.get(`${path}?asOf=${at}`));
        const last = steps.findLast((step) => step.at <= at);
        expect(headers.get('etag')).toBe(`"${last?.revision}"`);
      }
      const { at } = nth(steps, -1);
      const [then, now] = [await server.get(`${path}?asOf=${at}`), await server.get(path)];
      expect(then.body).toEqual(now.body);
    }
  });

  it('is recorded as one reading for each page', async () => {
    const [user, institution, protocol] = await resources();
    for (const path of [user, institution, protocol]) {
      const steps = await pagedSteps(path, 2);
      const id = `${path.split('/')[2]}`;
      const readings = (await server.recorded()).filter(
        ({ type, data }) => type === 'AuditTrailRead' && JSON.stringify(data).includes(id),
      );
      const subject = path.slice(1).replace(/s\/.*/, '');
      const ofHistory = readings.filter(({ data }) => JSON.stringify(data).includes('"history"'));
      expect(ofHistory.map(({ data }) => data)).toEqual(
        numbered(Math.ceil(steps.length / 2), () => ({ what: 'history', filter: { [subject]: id } })),
      );
    }
  });

  it('is 404 for an unknown id and for the id of another resource, and no reading is recorded', async () => {
    const [user, institution, protocol] = await resources();
    const id = (path: string) => `${path.split('/')[2]}`;
    for (const [path, code] of [
      [`/users/${UNKNOWN_ID}`, 'user-not-found'],
      [`/users/${id(institution)}`, 'user-not-found'],
      [`/institutions/${id(protocol)}`, 'institution-not-found'],
      [`/protocols/${id(user)}`, 'protocol-not-found'],
    ] as const) {
      expectProblem(await expectNothingStored(server, () => historyOf(path)), 404, code);
    }
  });

  it('refuses the cursor of another history, and asOf', async () => {
    const [user, institution] = await resources();
    const { nextCursor } = successful(await historyOf(user, '?limit=1')).body;
    expectRefused(await historyOf(institution, `?cursor=${nextCursor}`), 'cursor bad-cursor');
    expectRefused(await historyOf(user, '?asOf=2026-01-01T00:00:00Z'), 'asOf unknown-parameter');
  });

  it('of an erased user has every step, without the reasons of decisions', async () => {
    const { canaries, userId } = await tracedPerson(server);
    const before = await stepsOf(`/users/${userId}`);
    const erasure = { json: { reason: 'Requested by the person.' } };
    successful(await server.send('DELETE', `/users/${userId}/personal-data`, erasure));
    const after = await stepsOf(`/users/${userId}`);
    expect(after.slice(0, before.length)).toEqual(before.map((step) => ({ ...step, reason: null })));
    expect(after.slice(before.length).map(({ type, reason }) => [type, reason])).toEqual([
      ...numbered(3, () => ['UserProfileErased', null]),
      ['UserErased', 'Requested by the person.'],
    ]);
    for (const reason of canaries.reasons) expect(JSON.stringify(after)).not.toContain(reason);
  });

  it('shows the detachment of a user', async () => {
    const [{ id }, { id: userId }] = [await createInstitution(server), await createDoctor(server)];
    successful(await server.post(`/institutions/${id}/users`, { userId }));
    successful(await server.send('DELETE', `/institutions/${id}/users/${userId}`));
    const types = (await stepsOf(`/users/${userId}`)).map(({ type }) => type);
    expect(types.slice(2)).toEqual(['UserAttachedToInstitution', 'UserDetachedFromInstitution']);
    expect(first(types)).toBe('UserRegistered');
  });
});
