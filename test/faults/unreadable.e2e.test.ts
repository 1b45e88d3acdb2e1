// Tests what clients, operators and the log see of one altered byte in a sealed field. The audit log is no longer
// signed either, because the event is among its last events.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/readiness.js';
import { createDoctor, newEmail, type Page, successful, type User } from '../http/support/samples.js';
import { bearerHeader, newUser, PASSWORD, signIn } from '../http/support/signing-in.js';
import { alterSealed, type Damage, eventsOf, restoreSealed } from '../operations/support/stores.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../support/process.js';
import { Server } from '../support/server.js';

const fault = { code: 'personal-fields-unreadable', detail: expect.any(String) };
const unreadableFields = { firstName: null, lastName: null, document: null, email: null };

describe('a user whose sealed fields were altered by one byte', () => {
  const server = new Server(temporaryDirectory());
  let altered: User;
  let email: string;
  let other: User;
  let damage: Damage;

  const readiness = () => server.get<Readiness>('/readyz');
  const waitUntilDegraded = () =>
    eventually(async () =>
      expect(await readiness()).toMatchObject({
        status: 200,
        body: { status: 'degraded', faults: expect.arrayContaining([fault]) },
      }),
    );
  const waitUntilReady = () =>
    eventually(async () => {
      const { body } = await readiness();
      expect([body.status, body.faults]).toEqual(['ready', undefined]);
    });
  const rebuild = () => runCli(server.directory, 'projections', 'rebuild', 'users');

  beforeAll(async () => {
    await server.start();
    ({ user: altered, email } = await newUser(server));
    other = await createDoctor(server);
    await waitUntilReady();
    await server.stop();
    damage = alterSealed(server.directory, `user-${altered.id}`, 0);
    await server.start();
  });
  afterAll(() => server.stop());

  it('cannot be changed: the service records nothing, and the log names the stream and the event', async () => {
    const before = eventsOf(server.directory, `user-${altered.id}`);
    const profile = altered.profiles[0]?.id;
    const responses = [
      await server.put(`/users/${altered.id}`, { dialingCode: '+55', phone: '11987654321' }),
      await server.put(`/users/${altered.id}`, { email: newEmail() }),
      await server.patch(`/users/${altered.id}/profiles/${profile}/approve`, {}),
      await server.put(`/users/${altered.id}`, {}),
    ];
    expect(responses.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
      responses.map(() => [500, 'internal-error']),
    );
    expect(eventsOf(server.directory, `user-${altered.id}`)).toEqual(before);
    await eventually(() => {
      const line = server.log.find(({ msg }) => msg === 'a request failed');
      for (const part of [`user-${altered.id}`, damage.id]) {
        expect(line).toMatchObject({ err: { message: expect.stringContaining(part) } });
      }
    });
  });

  it('keeps its e-mail and can still sign in, but cannot change the password, because the change cannot be recorded', async () => {
    expect(await server.put(`/users/${other.id}`, { email })).toMatchObject({ status: 409 });
    const { token } = await signIn(server, email);
    const wanted = { currentPassword: PASSWORD, newPassword: 'another horse, another staple' };
    expect(await server.put('/auth-service/password', wanted, bearerHeader(token))).toMatchObject({ status: 500 });
    await signIn(server, email);
  });

  it('stops no rebuild, has null fields, and makes the service degraded', async () => {
    expect(await rebuild()).toMatchObject({ code: 0 });
    await waitUntilDegraded();
    expect(await server.get(`/users/${altered.id}`)).toMatchObject({ status: 200, body: unreadableFields });
    expect(JSON.stringify((await readiness()).body)).not.toContain(altered.id);
  });

  it('is the only user that is affected', async () => {
    const { body } = await server.get<Page<User>>('/users');
    expect(body.items).toMatchObject([{ id: altered.id, ...unreadableFields }, { firstName: other.firstName }]);
    const changed = successful(await server.put(`/users/${other.id}`, { email: newEmail() })).body as User;
    await eventually(async () => {
      const { body } = await server.get<Page<User>>(`/users?email=${changed.email}`);
      expect(body.items).toMatchObject([{ id: other.id }]);
    });
  });

  it('is named by verify, which exits with 1 and says what to do', async () => {
    const { code, out } = await runCli(server.directory, 'verify');
    expect(code).toBe(1);
    expect([...out.matchAll(/^(\w+) +FAULT/gm)].map(([, check]) => check)).toEqual(['claims', 'sealed']);
    expect(out).toContain(`user-${altered.id}, revision 0, event ${damage.id}`);
    expect(out).toMatch(/do: .*restore the event store/);
  });

  it('is readable again when the facts are restored and the read model is rebuilt', async () => {
    await server.stop();
    restoreSealed(server.directory, damage);
    await server.start();
    expect(await rebuild()).toMatchObject({ code: 0 });
    await waitUntilReady();
    expect(await runCli(server.directory, 'verify')).toMatchObject({ code: 0 });
    const { id, firstName, lastName, document } = altered;
    expect((await server.get(`/users/${id}`)).body).toMatchObject({ firstName, lastName, document });
    const phone = { dialingCode: '+55', phone: '11987654321' };
    expect(await server.put(`/users/${id}`, phone)).toMatchObject({ status: 200, body: { firstName, ...phone } });
  });

  it('can be erased instead, which ends the fault, and a new audit log then covers the altered event', async () => {
    await server.stop();
    alterSealed(server.directory, `user-${other.id}`, 0);
    await server.start();
    expect(await rebuild()).toMatchObject({ code: 0 });
    await waitUntilDegraded();
    successful(await server.send('DELETE', `/users/${other.id}/personal-data`));
    const newLog = ['log-keys', 'new-log', '--reason', 'The disk damaged an event.'] as const;
    expect(await runCli(server.directory, ...newLog)).toMatchObject({ code: 0 });
    await waitUntilReady();
    expect(await runCli(server.directory, 'verify')).toMatchObject({ code: 0 });
    expect(await rebuild()).toMatchObject({ code: 0 });
    await waitUntilReady();
  });
});
