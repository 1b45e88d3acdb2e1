import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { eraseSecrets, forgetLeftovers } from '../../src/operations/erase-secrets.js';
import { collect } from '../infrastructure/facts/support/harness.js';
import { ana, openSealed, registered, rejected } from '../infrastructure/persons/support/harness.js';
import { at, newProjection, type Projected, worker } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { fileStores } from '../support/opened-stores.js';

/** Returns the values that a file of the directory has, in plain text or in base64 at any offset. */
const readable = (directory: string, values: readonly string[], only = ''): string[] => {
  const files = readdirSync(directory).filter((name) => name.startsWith(only));
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(directory, name))));
  return values.filter((value) => formsOf(value).some((form) => bytes.includes(form)));
};

const formsOf = (value: string): Buffer[] => {
  const bytes = Buffer.from(value);
  // Base64 depends on the offset of the text in a group of three bytes. Its outer characters depend on neighbouring
  // bytes.
  const shifted = [0, 1, 2].map((by) =>
    Buffer.concat([Buffer.alloc(by), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [bytes, Buffer.from(value, 'utf16le'), ...shifted.map((text) => Buffer.from(text))];
};

const canariesOf = (n: number) => ({
  ...ana,
  firstName: `Canary-first-${n}-kept-nowhere`,
  lastName: `Canário-last-${n}-kept-nowhere`,
  document: `canary-document-${n}-kept-nowhere`,
  email: `canary-${n}-kept-nowhere@example.org`,
});

interface User {
  readonly id: string;
  readonly n: number;
  readonly person: ReturnType<typeof canariesOf>;
}

/** Creates users in the facts and the vault, and opens read models for them. */
const withUsers = async (directory: string, count: number) => {
  const opened = openSealed(directory, fileStores(directory));
  const views = new SqliteViews(directory);
  onTestFinished(() => views.close());
  const users = Array.from({ length: count }, (_, n): User => ({ id: randomUUID(), person: canariesOf(n), n }));
  for (const { id, person, n } of users) {
    await opened.facts.append(`user-${id}`, 'no-stream', [registered(person), rejected(`${person.document} is wrong`)]);
    const response = { kind: 'idempotency', key: randomUUID(), value: { body: JSON.stringify(person) }, subject: id };
    await opened.vault.insert({ ...response, expiresAt: Date.now() + 3_600_000 });
    await opened.vault.insert({ kind: 'other', key: randomUUID(), value: 'x'.repeat(n % 300) });
  }
  const projected = await newProjection(views);
  const write = (changed: readonly User[], round: number, bodyOf: (user: User) => object) => {
    const documents = changed.map((user) => {
      const body = JSON.stringify(bodyOf(user));
      const index = { owner: '', version: '', name: body.slice(0, 60) };
      return projected.thing(user.id, round, { body, index, created: at(user.n) });
    });
    return projected.commit(round, ...documents);
  };
  return { ...opened, views, users, write };
};

const valuesOf = (users: readonly User[]) =>
  users.flatMap(({ person: { firstName, lastName, document, email } }) => [firstName, lastName, document, email]);

describe('an erased person', () => {
  it('is in no file, while the files still have other people', async () => {
    const directory = temporaryDirectory();
    const { facts, vault, keyring, views, users, write } = await withUsers(directory, 60);
    const [gone, kept] = [users.slice(0, 20), users.slice(20)];
    for (let round = 1; round <= 5; round += 1) {
      await write(users, round, ({ person, n }) => ({ ...person, pad: 'y'.repeat((n * round * 37) % 900) }));
    }
    expect(readable(directory, valuesOf(users), 'facts')).toEqual([]);
    expect(readable(directory, valuesOf(users), 'views')).toEqual(valuesOf(users));

    await write(gone, 6, () => ({ firstName: null }));
    for (const { id } of gone) expect(await eraseSecrets({ vault, keyring }, id)).toBe(2);
    await forgetLeftovers({ vault, views });
    expect(readable(directory, valuesOf(gone))).toEqual([]);
    const ids = gone.map(({ id }) => id);
    expect(readable(directory, ids, 'vault')).toEqual([]);

    expect(readable(directory, valuesOf(kept), 'views')).toEqual(valuesOf(kept));
    const firstOf = async (user: User | undefined) => (await collect(facts.readStream(`user-${user?.id}`)))[0]?.data;
    expect(await firstOf(gone[1])).toMatchObject({ firstName: null, email: null });
    expect(await firstOf(kept[1])).toMatchObject(kept[1]?.person ?? {});
  });
});

describe('eraseSecrets', () => {
  it('may be repeated, and called for a person without secrets', async () => {
    const { vault, keyring, users } = await withUsers(temporaryDirectory(), 1);
    const id = users[0]?.id ?? '';
    expect(await eraseSecrets({ vault, keyring }, id)).toBe(2);
    expect(await eraseSecrets({ vault, keyring }, id)).toBe(0);
    expect(await eraseSecrets({ vault, keyring }, randomUUID())).toBe(0);
  });
});

describe('forgetLeftovers', () => {
  it('forgets once after an erasure, and again if another erasure came in the meantime', async () => {
    const { vault, keyring, views } = await withUsers(temporaryDirectory(), 0);
    const forgetting = vi.spyOn(views, 'forget');
    const forgottenBy = async () => {
      forgetting.mockClear();
      await forgetLeftovers({ vault, views });
      return forgetting.mock.calls.length;
    };
    expect(await forgottenBy()).toBe(0);
    await eraseSecrets({ vault, keyring }, randomUUID());
    forgetting.mockImplementationOnce(async () => void (await eraseSecrets({ vault, keyring }, randomUUID())));
    expect([await forgottenBy(), await forgottenBy(), await forgottenBy()]).toEqual([1, 1, 0]);
  });

  it.each<[string, (projected: Projected) => Promise<unknown>, (projected: Projected) => Promise<unknown>]>([
    [
      'is stopped',
      ({ views, lease }) => views.setStopped(lease, { position: at(1), reason: 'it cannot be folded' }),
      ({ views, lease }) => views.setStopped(lease, undefined),
    ],
    [
      'is built',
      (projected) => projected.startRebuild(),
      async ({ views, shape: { name: projection } }) => {
        const lease = { projection, number: 2, owner: worker };
        await views.commit({ lease, writes: [], position: at(2) });
        expect(await views.promote(lease)).toBe(true);
      },
    ],
  ])('forgets again while a read model %s, which may have the person', async (_, begin, end) => {
    const { vault, keyring, views } = await withUsers(temporaryDirectory(), 0);
    const projected = await newProjection(views);
    const forgetting = vi.spyOn(views, 'forget');
    await begin(projected);
    await eraseSecrets({ vault, keyring }, randomUUID());
    for (let turn = 0; turn < 2; turn += 1) await forgetLeftovers({ vault, views });
    expect(forgetting).toHaveBeenCalledTimes(2);
    await end(projected);
    for (let turn = 0; turn < 2; turn += 1) await forgetLeftovers({ vault, views });
    expect(forgetting).toHaveBeenCalledTimes(3);
  });
});
