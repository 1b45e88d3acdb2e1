// Tests erasure on the embedded engines: what the stores, the outbox and stored responses have afterwards.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { tracedPerson } from '../http/support/erased-person.js';
import { expectProblem } from '../http/support/refusals.js';
import { createDoctor, newEmail, numbered, successful, type User } from '../http/support/samples.js';
import { bearerHeader, signIn } from '../http/support/signing-in.js';
import { newPhone, signUp } from '../http/support/signing-up.js';
import { bytesUnder, foundIn } from '../support/canaries.js';
import type { Client } from '../support/client.js';
import { clockAhead, DAY_MS, MINUTE_MS } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { messagesIn } from '../support/outbox.js';
import { runCli } from '../support/process.js';
import { startServer } from '../support/processes.js';
import { repetitions } from '../support/repetitions.js';
import { erasureSuite, expectErasedElsewhere } from './erasure.suite.js';
import { embeddedEngines } from './support/sets.js';

const started = () => startServer(temporaryDirectory(), 'all');
const erase = (client: Client, userId: string) => client.send<User>('DELETE', `/users/${userId}/personal-data`);

describe('on the embedded engines', () => {
  erasureSuite(embeddedEngines);

  it('a service returns no value of a person as soon as the operator has erased the person beside it', async () => {
    const server = await started();
    await expectErasedElsewhere(server, async (userId) => {
      const erased = await runCli(server.directory, 'erase', '--user', userId, '--reason', 'Asked for');
      expect(erased).toMatchObject({ code: 0, err: '' });
    });
  });
});

describe('the write-ahead logs of the stores', () => {
  const walsIn = (directory: string): Buffer =>
    Buffer.concat(
      readdirSync(directory)
        .filter((name) => name.endsWith('-wal'))
        .map((name) => readFileSync(join(directory, name))),
    );

  it('have no plain value of the person right after an erasure, before any upkeep', async () => {
    const server = await started();
    const { userId, canaries } = await tracedPerson(server);
    await eventually(() => expect(foundIn(walsIn(server.directory), canaries)).not.toEqual([]));
    successful(await erase(server, userId));
    expect(foundIn(walsIn(server.directory), canaries)).toEqual([]);
  });

  it('leave the erasure unfinished while another connection reads what they have', async () => {
    const server = await started();
    const { userId, canaries } = await tracedPerson(server);
    const reader = new Database(join(server.directory, 'views.sqlite'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sqlite_schema').all();
    expectProblem(await erase(server, userId), 503, 'erasure-unfinished');
    reader.close();
    successful(await erase(server, userId));
    expect(foundIn(walsIn(server.directory), canaries)).toEqual([]);
  });
});

describe('a response stored for an Idempotency-Key', () => {
  /** Returns a write of the user under a key. It can be sent several times. */
  const keyedWrite = (client: Client, userId: string) => {
    const [lastName, key] = [`Silva ${randomUUID()}`, { 'Idempotency-Key': randomUUID() }];
    return () => client.put<User>(`/users/${userId}`, { lastName }, key);
  };
  type Write = ReturnType<typeof keyedWrite>;

  /** Sends writes of the user one after the other, until the service refuses one because the user is erased. */
  const writingUntilErased = async (client: Client, userId: string, sent: Write[]): Promise<void> => {
    for (let status = 0; status !== 410; ) {
      const write = keyedWrite(client, userId);
      status = (await write()).status;
      sent.push(write);
    }
  };

  it('can be neither read nor replayed if the person writes during the erasure', async () => {
    const server = await started();
    for (let times = repetitions('ERASURES'); times > 0; times -= 1) {
      const { userId, canaries } = await tracedPerson(server);
      const sent: Write[] = [];
      const writing = numbered(4, () => writingUntilErased(server, userId, sent));
      await eventually(() => expect(sent.length).toBeGreaterThan(8));
      expect((await erase(server, userId)).status).toBe(200);
      await Promise.all(writing);
      expect(foundIn(bytesUnder(server.directory, 'vault'), canaries)).toEqual([]);
      const again = sent.slice(-20).map((write) => write());
      for (const response of await Promise.all(again)) expectProblem(response, 410, 'user-erased');
    }
  });

  it('is unreadable after the erasure even if it has expired', async () => {
    const server = await started();
    const { userId, canaries } = await tracedPerson(server);
    await server.restart(clockAhead(DAY_MS + MINUTE_MS));
    expect((await erase(server, userId)).status).toBe(200);
    expect(foundIn(bytesUnder(server.directory, 'vault'), canaries)).toEqual([]);
  });

  it('of several persons is replayed, but is unreadable once one of them is erased', async () => {
    const server = await started();
    const people = [await tracedPerson(server), await tracedPerson(server)] as const;
    const { id } = successful(await server.post<{ id: string }>('/institutions', { name: 'Ward' })).body;
    const userIds = people.map(({ userId }) => userId);
    const key = { 'Idempotency-Key': randomUUID() };
    const attach = () => server.post(`/institutions/${id}/users`, { userIds }, key);
    const once = successful(await attach());
    expect((await attach()).body).toEqual(once.body);
    expect((await erase(server, people[1].userId)).status).toBe(200);
    expectProblem(await attach(), 410, 'user-erased');
    for (const { canaries } of people) expect(foundIn(bytesUnder(server.directory, 'vault'), canaries)).toEqual([]);
  });
});

describe('the outbox', () => {
  const addressees = (directory: string) => messagesIn(directory).map(({ to }) => to);

  it('loses the messages to every address of an erased person, confirmed or not, and keeps messages to other people', async () => {
    const server = await started();
    const { directory } = server;
    const [gone, kept] = [await signUp(server), await signUp(server)];
    const { token } = await signIn(server, gone.email);
    // The second code makes the first code void. The message with the first code stays.
    const phones = [newPhone(), newPhone()];
    for (const [index, { phone }] of phones.entries()) {
      successful(await server.post('/auth-service/change-phone', { dialingCode: '55', phone }, bearerHeader(token)));
      await eventually(() => expect(addressees(directory)).toHaveLength(3 + index));
    }
    const sentTo = [gone.email, kept.email, ...phones.map(({ number }) => number)];
    expect(addressees(directory).toSorted()).toEqual(sentTo.toSorted());
    successful(await server.put(`/users/${gone.id}`, { email: newEmail() }));
    successful(await erase(server, gone.id));
    expect(addressees(directory)).toEqual([kept.email]);
  });

  it('loses messages older than a day, even if no new message is written', async () => {
    const server = await started();
    await signUp(server);
    await eventually(() => expect(addressees(server.directory)).toHaveLength(1));
    await server.restart(clockAhead(DAY_MS + MINUTE_MS));
    await eventually(() => expect(addressees(server.directory)).toEqual([]));
  });
});

describe("the loss of a person's key", () => {
  /** Removes the key of a person from a vault that no process has open. */
  const removeKey = (directory: string, person: string): void => {
    const db = new Database(join(directory, 'vault.sqlite'));
    const { changes } = db.prepare("DELETE FROM records WHERE kind = 'person-key' AND key = ?").run(person);
    db.close();
    expect(changes).toBe(1);
  };

  it('makes fields null, is reported in the log and a metric, is found by verify, and ends no process', async () => {
    const server = await started();
    const { userId, profileId, canaries, other } = await tracedPerson(server);
    expect(await server.stop()).toBe(0);
    removeKey(server.directory, userId);
    await server.start();

    const asOf = `asOf=${new Date().toISOString()}`;
    const { body } = successful(await server.get<User>(`/users/${userId}?${asOf}`));
    expect(body).toMatchObject({ id: userId, firstName: null, email: null, enabled: true });
    const history = successful(await server.get(`/users/${userId}/profiles/${profileId}/history`)).body;
    expect(foundIn(Buffer.from(JSON.stringify(history)), canaries)).toEqual([]);
    await eventually(() => expect(server.log).toContainEqual(expect.objectContaining({ person: userId })));
    expect(`${(await server.get('/metrics')).body}`).toMatch(/^personal_events_without_key_total [1-9]/m);

    expectProblem(await server.put(`/users/${userId}`, { firstName: 'Bia' }), 503, 'personal-key-missing');
    expect((await server.patch(`/users/${userId}/profiles/${profileId}/reject`, {})).status).toBe(200);
    expect(successful(await server.get<User>(`/users/${other.id}?${asOf}`)).body.email).toBe(other.email);
    expect((await createDoctor(server)).firstName).toBe('Ana');

    const { code, out } = await runCli(server.directory, 'verify');
    const fault = new RegExp(`^keys +FAULT: .*${userId}.*\n +do: .*vault`, 'm');
    expect([code, out]).toEqual([1, expect.stringMatching(fault)]);
    expect(out).not.toContain(other.id);
  });
});
