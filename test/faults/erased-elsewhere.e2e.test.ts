// Erases a person beside a process. Whatever the process kept in memory must not reach a response.
import { expect, it } from 'vitest';
import { type Traced, tracedPerson } from '../http/erased-person.js';
import { createDoctor, createInstitution, successful } from '../http/samples.js';
import { foundIn } from '../support/canaries.js';
import type { Client, ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { withEngines } from '../support/engines-of-file.js';
import { runCli } from '../support/process.js';
import { startEngines, startServer } from './processes.js';

/** Returns every GET whose response includes personal data of the user. */
const readsOf = ({ userId, profileId }: Traced, then: string): readonly string[] => [
  `/users/${userId}?asOf=${then}`,
  `/users/${userId}/profiles/${profileId}?asOf=${then}`,
  `/users/${userId}/profiles/${profileId}/history`,
  `/users/${userId}/profiles/${profileId}/history?asOf=${then}`,
  `/audit/events?stream=user-${userId}`,
  '/audit/events?category=user',
  `/users/${userId}`,
  `/users/${userId}/profiles/${profileId}`,
  '/users?limit=200',
  '/profiles?limit=200',
];

/** The streamed forms of the audit trail. */
const FORMS = ['application/x-ndjson', 'application/cloudevents-batch+json'];

const readAll = async (client: Client, traced: Traced, then: string): Promise<readonly ClientResponse[]> => {
  const stream = `/audit/events?stream=user-${traced.userId}`;
  const read = readsOf(traced, then).map((path) => client.get(path));
  const streamed = FORMS.map((accept) => client.get(stream, { Accept: accept }));
  return (await Promise.all([...read, ...streamed])).map((response) => successful(response));
};

/** Sends commands on the user. The process decides them on the state that it has cached. */
const commandAll = async (client: Client, { userId, profileId, other }: Traced, institutionId: string) => {
  const profile = `/users/${userId}/profiles/${profileId}`;
  const responses: ClientResponse[] = [
    // This code does not fit the cached phone number, so a decision on the cached state would be a validation error.
    await client.put(`/users/${userId}`, { dialingCode: '376' }),
    await client.put(`/users/${userId}`, {}),
    await client.put(`/users/${userId}`, { firstName: 'Bia' }),
    await client.patch(`${profile}/approve`, {}),
    await client.patch(`${profile}/reject`, { reason: 'late' }),
    await client.post(`/users/${userId}/profiles`, {}),
    await client.post(`/institutions/${institutionId}/users`, { userId }),
    await client.post(`/institutions/${institutionId}/users`, { userIds: [other.id, userId] }),
  ];
  return responses;
};

const textOf = (responses: readonly ClientResponse[]) => Buffer.from(JSON.stringify(responses.map(({ body }) => body)));

/** Expects that `reading` shows no value of a person as soon as `erase` has ended. */
const expectErased = async (reading: Client, erase: (userId: string) => Promise<unknown>): Promise<void> => {
  const traced = await tracedPerson(reading);
  const { id: institutionId } = await createInstitution(reading);
  const kept = await createDoctor(reading);
  const then = new Date().toISOString();
  expect(foundIn(textOf(await readAll(reading, traced, then)), traced.canaries)).not.toEqual([]);
  successful(await reading.put(`/users/${traced.userId}`, {}));

  await erase(traced.userId);

  // The commands come first, because a read would refresh the cache of the process.
  const commanded = await commandAll(reading, traced, institutionId);
  expect(commanded.map(({ status }) => status)).toEqual(commanded.map(() => 410));
  expect(foundIn(textOf(commanded), traced.canaries)).toEqual([]);
  for (const response of await readAll(reading, traced, then)) {
    expect(foundIn(textOf([response]), traced.canaries)).toEqual([]);
  }
  const read = successful(await reading.get<{ firstName: string }>(`/users/${kept.id}?asOf=${then}`));
  expect(read.body.firstName).toBe(kept.firstName);
};

it('a service returns no value of a person as soon as the operator has erased the person beside it', async () => {
  const server = await startServer(temporaryDirectory(), 'all');
  await expectErased(server, async (userId) => {
    const erased = await runCli(server.directory, 'erase', '--user', userId, '--reason', 'Asked for');
    expect([erased.code, erased.err]).toEqual([0, '']);
  });
});

withEngines('an erasure at another process', () => {
  it('a process returns no value of a person as soon as another process has erased the person', async () => {
    const engines = await startEngines();
    const erasing = await startServer(temporaryDirectory(), 'all', engines);
    const reading = await startServer(temporaryDirectory(), 'http', engines);
    await expectErased(reading, async (userId) => {
      successful(await erasing.send('DELETE', `/users/${userId}/personal-data`));
    });
  });
});
