// Instants in other spellings of ISO 8601: in the query, in bounds and in answers. They are stored as sent.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Score } from '../../src/domain/scoring/schemas.js';
import { first } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import type { Form, Page, Protocol, ProtocolAndForm, Question, User } from './support/samples.js';
import {
  createDoctor,
  createInstitution,
  createProtocol,
  createQuestionnaire,
  question,
  successful,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

/** Returns other spellings of an instant that ends with `Z`. */
const spelt = (instant: string): string[] => {
  const at = (hours: number) => new Date(Date.parse(instant) + hours * 3_600_000).toISOString().slice(0, -1);
  return [instant.toLowerCase(), `${at(2)}+0200`, `${at(-3).toLowerCase()}-03`];
};
const shifted = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString();
const query = (sent: Readonly<Record<string, string>>) => `?${new URLSearchParams(sent)}`;

describe('an instant in a query', () => {
  it('may have another spelling in asOf', async () => {
    const { id, createdAt } = await createProtocol(server, institutionId);
    successful(await server.put(`/protocols/${id}`, { name: 'Later' }));
    const asOf = (instant: string) => server.get<Protocol>(`/protocols/${id}${query({ asOf: instant })}`);
    for (const instant of spelt(createdAt)) expect(successful(await asOf(instant)).body.name).not.toBe('Later');
    for (const instant of spelt(shifted(createdAt, -1))) expectProblem(await asOf(instant), 404, 'protocol-not-found');
    expect(successful(await asOf('2999-01-01t00:00z')).body.name).toBe('Later');
    // In UTC, these are before the year 0 and after the year 9999.
    const [earliest, latest] = ['0000-01-01T00:00+01', '9999-12-31t23:59:59-2359'];
    expectProblem(await asOf(earliest), 404, 'protocol-not-found');
    expect(successful(await asOf(latest)).body.name).toBe('Later');
    for (const instant of ['2999-01-01T00:00', '2999-01-01T00Z', '2999-01-01 00:00Z']) {
      expectRefused(await asOf(instant), 'asOf invalid-format');
    }
  });

  it('may have another spelling in from and to', async () => {
    const { id, createdAt } = await createProtocol(server, institutionId);
    const user = await createDoctor(server);
    const profilePath = `/users/${user.id}/profiles/${first(user.profiles).id}`;
    successful(await server.patch(`${profilePath}/approve`, {}));
    expectProblem(
      await server.get(`${profilePath}/history${query({ asOf: '0000-01-01T00:00+01' })}`),
      404,
      'profile-not-found',
    );
    const decided = successful(await server.get<User>(`/users/${user.id}`)).body.profiles[0]?.updatedAt ?? '';
    const events = async (sent: Readonly<Record<string, string>>) =>
      successful(await server.get<Page<object>>(`/audit/events${query({ stream: `protocol-${id}`, ...sent })}`)).body
        .items;
    const decisions = async (sent: Readonly<Record<string, string>>) => {
      const { items } = successful(
        await server.get<Page<{ user: { id: string } }>>(`/audit/decisions${query(sent)}`, await upToDate(server)),
      ).body;
      return items.filter((each) => each.user.id === user.id);
    };
    for (const [list, at] of [
      [events, createdAt],
      [decisions, decided],
    ] as const) {
      for (const instant of spelt(at)) {
        expect([(await list({ from: instant })).length, (await list({ from: instant, to: instant })).length]).toEqual([
          1, 0,
        ]);
      }
      for (const instant of spelt(shifted(at, 1))) {
        expect([(await list({ from: instant })).length, (await list({ from: at, to: instant })).length]).toEqual([
          0, 1,
        ]);
      }
    }
  });
});

describe('an instant in a body', () => {
  const metadata = { minValue: '2021-02-03t12:00z', maxValue: '2021-02-03T15:00+0200' };
  const create = () =>
    createQuestionnaire(server, institutionId, {
      questions: [question(1, { responseType: 'DATETIME', metadata, required: true })],
      scoreRanges: [],
    });
  const score = ({ protocol, form }: ProtocolAndForm, value: string) =>
    server.post<Score>(`/protocols/${protocol.id}/forms/${form.id}/score`, {
      answers: [{ questionId: first(form.questions).id, value }],
    });

  it('is a bound that is stored as sent and compared as an instant', async () => {
    const made = await create();
    const path = `/protocols/${made.protocol.id}/forms/${made.form.id}`;
    expect(successful(await server.get<Form>(path)).body.questions[0]?.metadata).toEqual(metadata);
    for (const value of [
      '2021-02-03T12:00Z',
      '2021-02-03t13:00:00z',
      '2021-02-03T09:30-0230',
      '2021-02-03T14:59:59.9+02',
    ]) {
      expect(successful(await score(made, value)).body.complete).toBe(true);
    }
    expectRefused(await score(made, '2021-02-03T13:59+0200'), '/answers/0/value too-small');
    expectRefused(await score(made, '2021-02-03t13:00:00.001z'), '/answers/0/value too-big');
    expectRefused(await score(made, '2021-02-03T12:30'), '/answers/0/value invalid-type');
  });

  it('is refused as a bound below another', async () => {
    const { protocol, form } = await create();
    const path = `/protocols/${protocol.id}/questions/${first(form.questions).id}`;
    const inverted = { minValue: '2021-02-03T15:00+02', maxValue: '2021-02-03t12:59z' };
    expectRefused(await server.put<Question>(path, { metadata: inverted }), '/metadata inverted');
  });
});
