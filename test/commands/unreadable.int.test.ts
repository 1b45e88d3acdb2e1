// Commands on a stream with personal fields that cannot be decrypted, or with an event of an unknown version.
import { describe, expect, it } from 'vitest';
import { ownerOf } from '../../src/commands/uniqueness.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { EventTooNew, PersonalFieldsUnreadable } from '../../src/infrastructure/errors.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { foldPage } from '../../src/projections/fold-page.js';
import { users } from '../../src/projections/users.js';
import { written } from '../infrastructure/facts/support/harness.js';
import { alterSealed, eventsOf, restoreSealed } from '../operations/support/stores.js';
import { temporaryDirectory } from '../support/directory.js';
import { fileStores } from '../support/opened-stores.js';
import { contextOf, processOn } from './support/process.js';
import { someone } from './support/walker.js';

const ana = { firstName: 'Ana', lastName: 'Souza', email: 'ana@example.org', document: '529.982.247-25' };
const phone = { dialingCode: '+55', phone: '11987654321' };

/** Opens the stores of a directory as a new process. */
const startProcess = (directory: string) => {
  const process = processOn(directory, { stores: fileStores(directory) });
  const { handle } = process;
  return {
    ...process,
    register: (person: typeof ana) => {
      const data = userCommands.RegisterUser.parse({ ...person, acceptedTerms: true });
      return handle(user, 'new', { type: 'RegisterUser', data }, contextOf());
    },
    revise: (id: string, data: object) => handle(user, id, { type: 'ReviseUser', data }, contextOf()),
    erase: (id: string) => handle(user, id, { type: 'EraseUser', data: { reason: 'asked to' } }, contextOf()),
  };
};

const withUser = async () => {
  const directory = temporaryDirectory();
  const { id } = await startProcess(directory).register(ana);
  return { directory, id, stream: `user-${id}`, next: startProcess(directory) };
};

describe('a stream with personal fields that cannot be decrypted', () => {
  it('accepts no command until the facts are restored', async () => {
    const { directory, id, stream, next } = await withUser();
    const damage = alterSealed(directory, stream, 0);
    const before = eventsOf(directory, stream);
    for (const data of [phone, {}, phone]) {
      await expect(next.revise(id, data)).rejects.toBeInstanceOf(PersonalFieldsUnreadable);
    }
    expect(eventsOf(directory, stream)).toEqual(before);
    restoreSealed(directory, damage);
    expect((await next.revise(id, phone)).state).toMatchObject({ fields: { ...ana, ...phone } });
  });

  it('accepts no command even if a process needs to read only the last events', async () => {
    const { directory, id, stream, next } = await withUser();
    await next.streams.load(user, id);
    await startProcess(directory).revise(id, { firstName: 'Anna' });
    alterSealed(directory, stream, 1);
    await expect(next.revise(id, phone)).rejects.toThrow(stream);
    expect(eventsOf(directory, stream)).toHaveLength(2);
  });

  it('is read with null in its personal fields', async () => {
    const { directory, id, stream, next } = await withUser();
    alterSealed(directory, stream, 0);
    const withoutPersonalFields = { fields: { firstName: null, email: null, enabled: true } };
    expect((await next.streams.load(user, id)).state).toMatchObject(withoutPersonalFields);
    expect((await next.streams.asOf(user, id, '2999-01-01T00:00:00Z', someone())).state).toMatchObject(
      withoutPersonalFields,
    );
  });

  it('keeps its unique values', async () => {
    const { directory, id, stream, next } = await withUser();
    alterSealed(directory, stream, 0);
    await expect(next.register({ ...ana, document: '1' })).rejects.toMatchObject({ code: 'user-taken' });
    expect(await ownerOf(next, user, { kind: 'user-email', value: ana.email })).toBe(id);
  });

  it('accepts the erasure of the person, whose key is already removed', async () => {
    const { directory, id, stream, next } = await withUser();
    alterSealed(directory, stream, 0);
    await expect(next.revise(id, phone)).rejects.toBeInstanceOf(PersonalFieldsUnreadable);
    await next.vault.removeSubject(id);
    expect((await next.erase(id)).state).toMatchObject({ status: 'erased' });
  });
});

describe('a stream with an event of an unknown schema version', () => {
  const withNewer = async () => {
    const { directory, id, stream, next } = await withUser();
    const { actor, correlationId, causationId, ids } = contextOf();
    const metadata = { at: new Date().toISOString(), actor, correlationId, causationId, schemaVersion: 2 };
    const event = { id: ids.eventId(0), type: 'UserActivated', data: {}, metadata };
    written(await next.stored.append(stream, 0, [event]));
    return { directory, id, stream, next, event };
  };

  it('is neither read nor changed', async () => {
    const { directory, id, stream, next, event } = await withNewer();
    const calls = [
      () => next.revise(id, phone),
      () => next.streams.load(user, id),
      () => next.streams.asOf(user, id, '2999-01-01T00:00:00Z', someone()),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toBeInstanceOf(EventTooNew);
      await expect(call()).rejects.toThrow(event.id);
    }
    expect(eventsOf(directory, stream)).toHaveLength(2);
  });

  it('stops a projection before that event', async () => {
    const { next, stream } = await withNewer();
    const page = await next.facts.readLog({ aggregates: [user.aggregate], after: undefined }, 10);
    const views = { load: async () => [] as const } as Pick<Views, 'load'> as Views;
    const generation = { projection: users.name, number: 1 };
    const { poison, writes } = await foldPage(views, generation, users, page);
    expect(poison).toMatchObject({ position: page.events[1]?.position, reason: expect.stringContaining(stream) });
    expect(writes).toMatchObject(['userNames', 'users'].map((collection) => ({ collection, revision: 0 })));
  });
});
