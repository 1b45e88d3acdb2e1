// Tests responses stored for Idempotency-Keys before, during and after the erasure of the person in them.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tracedPerson } from '../http/erased-person.js';
import { expectProblem } from '../http/refusals.js';
import { numbered, successful, type User } from '../http/samples.js';
import { bytesUnder, foundIn } from '../support/canaries.js';
import type { Client } from '../support/client.js';
import { clockAhead, DAY_MS, MINUTE_MS } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { repetitions } from '../support/repetitions.js';
import { Server } from '../support/server.js';
import { startServer, startWorker } from './processes.js';

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

describe('an erasure while the person writes at two processes under Idempotency-Keys', () => {
  it('leaves no response that can be read or replayed', { timeout: 300_000 }, async () => {
    const directory = temporaryDirectory();
    const [one, other] = [await startServer(directory, 'all'), await startServer(directory, 'http')];
    for (const at of numbered(repetitions('ERASURES'), (round) => (round % 2 === 0 ? one : other))) {
      const { userId, canaries } = await tracedPerson(one);
      const sent: Write[] = [];
      const writing = [one, one, other, other].map((client) => writingUntilErased(client, userId, sent));
      await eventually(() => expect(sent.length).toBeGreaterThan(8));
      expect((await erase(at, userId)).status).toBe(200);
      await Promise.all(writing);
      expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
      const again = sent.slice(-20).flatMap((write) => [write(one), write(other)]);
      for (const response of await Promise.all(again)) expectProblem(response, 410, 'user-erased');
    }
  });
});

describe('a stored response', () => {
  it('is unreadable after the erasure even if it has expired and is not removed yet', async () => {
    const directory = temporaryDirectory();
    const now = await startServer(directory, 'http');
    // The worker's clock shows today, so the worker does not remove responses that expire tomorrow.
    await startWorker(directory);
    const { userId, canaries } = await tracedPerson(now);
    await now.stop();
    const tomorrow = new Server(directory, { ROLES: 'http', ...clockAhead(DAY_MS + MINUTE_MS) });
    onTestFinished(() => tomorrow.stop().then(() => undefined));
    await tomorrow.start();
    expect((await erase(tomorrow, userId)).status).toBe(200);
    expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
  });

  it('names no person to readers of the vault, although its replay shows the person', async () => {
    const directory = temporaryDirectory();
    const [one, other] = [await startServer(directory, 'all'), await startServer(directory, 'http')];
    const { userId, canaries } = await tracedPerson(one);
    const write = keyedWrite(userId, canaries.lastName);
    const once = successful(await write(one));
    const again = await write(other);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([once.body, 'true']);
    expect(once.body.lastName).toBe(canaries.lastName);
    expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
  });

  it('of several persons is unreadable once one of them is erased', async () => {
    const directory = temporaryDirectory();
    const [one, other] = [await startServer(directory, 'all'), await startServer(directory, 'http')];
    const people = [await tracedPerson(one), await tracedPerson(one)] as const;
    const { id } = successful(await one.post<{ id: string }>('/institutions', { name: 'Ward' })).body;
    const userIds = people.map(({ userId }) => userId);
    const key = { 'Idempotency-Key': randomUUID() };
    const attach = (client: Client) => client.post(`/institutions/${id}/users`, { userIds }, key);
    const once = successful(await attach(one));
    expect((await attach(other)).body).toEqual(once.body);
    expect((await erase(one, people[1].userId)).status).toBe(200);
    for (const client of [one, other]) expectProblem(await attach(client), 410, 'user-erased');
    for (const { canaries } of people) expect(foundIn(bytesUnder(directory, 'vault'), canaries)).toEqual([]);
  });
});
