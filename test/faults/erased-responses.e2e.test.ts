// Tests responses stored for Idempotency-Keys before, during and after the erasure of the person in them.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tracedPerson } from '../http/erased-person.js';
import { expectProblem } from '../http/refusals.js';
import { numbered, successful, type User } from '../http/samples.js';
import { bytesUnder, foundIn } from '../support/canaries.js';
import type { Client } from '../support/client.js';
import { clockAhead, DAY_MS, MINUTE_MS } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { repetitions } from '../support/repetitions.js';
import { startServer } from './processes.js';

const erase = (client: Client, userId: string) => client.send<User>('DELETE', `/users/${userId}/personal-data`);

/** Returns a write of the user under a key. It can be sent several times, to any process. */
const keyedWrite = (userId: string, lastName: string) => {
  const key = { 'Idempotency-Key': randomUUID() };
  return (client: Client) => client.put<User>(`/users/${userId}`, { lastName }, key);
};

type Write = ReturnType<typeof keyedWrite>;

/** Sends writes of the user one after the other, until the service refuses one because the user is erased. */
const writingUntilErased = async (client: Client, userId: string, sent: Write[]): Promise<void> => {
  for (let status = 0; status !== 410; ) {
    const write = keyedWrite(userId, `Silva ${randomUUID()}`);
    status = (await write(client)).status;
    sent.push(write);
  }
};

describe('an erasure while the person writes under Idempotency-Keys', () => {
  it('leaves no response that can be read or replayed', { timeout: 300_000 }, async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    for (const _ of numbered(repetitions('ERASURES'), (n) => n)) {
      const { userId, canaries } = await tracedPerson(server);
      const sent: Write[] = [];
      const writing = numbered(4, () => writingUntilErased(server, userId, sent));
      await eventually(() => expect(sent.length).toBeGreaterThan(8));
      expect((await erase(server, userId)).status).toBe(200);
      await Promise.all(writing);
      expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
      const again = sent.slice(-20).map((write) => write(server));
      for (const response of await Promise.all(again)) expectProblem(response, 410, 'user-erased');
    }
  });
});

describe('a stored response', () => {
  it('is unreadable after the erasure even if it has expired', async () => {
    const directory = temporaryDirectory();
    const now = await startServer(directory, 'all');
    const { userId, canaries } = await tracedPerson(now);
    await now.stop();
    const tomorrow = await startServer(directory, 'all', clockAhead(DAY_MS + MINUTE_MS));
    expect((await erase(tomorrow, userId)).status).toBe(200);
    expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
  });

  it('names no person to readers of the vault, although its replay shows the person', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    const { userId, canaries } = await tracedPerson(server);
    const write = keyedWrite(userId, canaries.lastName);
    const once = successful(await write(server));
    const again = await write(server);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([once.body, 'true']);
    expect(once.body.lastName).toBe(canaries.lastName);
    expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
  });

  it('of several persons is unreadable once one of them is erased', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    const people = [await tracedPerson(server), await tracedPerson(server)] as const;
    const { id } = successful(await server.post<{ id: string }>('/institutions', { name: 'Ward' })).body;
    const userIds = people.map(({ userId }) => userId);
    const key = { 'Idempotency-Key': randomUUID() };
    const attach = () => server.post(`/institutions/${id}/users`, { userIds }, key);
    const once = successful(await attach());
    expect((await attach()).body).toEqual(once.body);
    expect((await erase(server, people[1].userId)).status).toBe(200);
    expectProblem(await attach(), 410, 'user-erased');
    for (const { canaries } of people) expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
  });
});
