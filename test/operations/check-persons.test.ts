// Tests the checks of the keys and of the claims of persons.
import { describe, expect, it } from 'vitest';
import { Claims } from '../../src/commands/claims.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { Streams } from '../../src/commands/streams.js';
import { uniquenessGuard } from '../../src/commands/uniqueness.js';
import type { userCommands } from '../../src/domain/user/user.js';
import { user } from '../../src/domain/user/user.js';
import { contextOf } from '../commands/support/process.js';
import { openSealed } from '../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { memoryStores } from '../support/opened-stores.js';
import { alterSealedIn } from './support/stores.js';
import { surveyed } from './support/surveyed.js';

/** Registers Ana and Rui, whose e-mails are claimed. */
const withPersons = async () => {
  const directory = temporaryDirectory();
  const opened = openSealed(directory);
  const streams = new Streams(opened.facts);
  const claims = new Claims(opened.vault, () => opened.keyring.serviceKey('claims'));
  const handle = commandHandler(streams, uniquenessGuard(streams, claims));
  const register = async (person: object) => {
    const data = user.commands.RegisterUser.parse({ lastName: 'Souza', acceptedTerms: true, ...person });
    return (await handle(user, 'new', { type: 'RegisterUser', data }, contextOf())).id;
  };
  const ana = await register({ firstName: 'Ana', email: 'ana@example.org' });
  const rui = await register({ firstName: 'Rui', email: 'rui@example.org' });
  const check = async (name: 'keys' | 'claims') => {
    const { ok, summary } = await surveyed(name, opened);
    return { ok, summary, names: [ana, rui].filter((id) => summary.includes(id)) };
  };
  const removeOf = async (kind: string, id: string) => {
    const records = await opened.vault.ofSubject(kind, id);
    for (const record of records) await opened.vault.remove(record);
    return records.length;
  };
  const erase = (id: string) =>
    handle(user, id, { type: 'EraseUser', data: { reason: 'Asked to' } } satisfies EraseUser, contextOf());
  return { ...opened, ana, rui, check, removeOf, erase, log: memoryStores(directory) };
};
type EraseUser = { readonly type: 'EraseUser'; readonly data: ReturnType<typeof userCommands.EraseUser.parse> };

describe('the check of the persons', () => {
  it('finds nothing as long as each has a key and the claims of its values', async () => {
    const { check } = await withPersons();
    expect(await check('keys')).toMatchObject({ ok: true, summary: expect.stringMatching(/^2 persons/) });
    expect(await check('claims')).toMatchObject({ ok: true, summary: expect.stringMatching(/^2 users/) });
  });

  it('names who has no key, and whose claims cannot be checked without it', async () => {
    const { check, removeOf, ana } = await withPersons();
    expect(await removeOf('person-key', ana)).toBe(1);
    for (const name of ['keys', 'claims'] as const) {
      expect(await check(name)).toMatchObject({ ok: false, summary: expect.stringMatching(/^1 /), names: [ana] });
    }
  });

  it('names who has lost a claim, and nobody else', async () => {
    const { check, removeOf, rui } = await withPersons();
    expect(await removeOf('claim', rui)).toBe(1);
    expect(await check('claims')).toMatchObject({
      ok: false,
      summary: expect.stringMatching(/^1 of 2 /),
      names: [rui],
    });
    expect(await check('keys')).toMatchObject({ ok: true });
  });

  it('names all if the key of the claims is lost, and creates no other', async () => {
    const { check, vault, ana, rui } = await withPersons();
    const key = { kind: 'service-key', key: 'claims' };
    await vault.remove(key);
    expect(await check('claims')).toMatchObject({ ok: false, names: [ana, rui] });
    expect(await vault.get(key)).toBeUndefined();
  });

  it('names whose sealed fields were altered as not checked, but not as a person without a key', async () => {
    const { check, log, ana } = await withPersons();
    alterSealedIn(log, `user-${ana}`, 0);
    expect(await check('claims')).toMatchObject({ ok: false, names: [ana] });
    expect(await check('keys')).toMatchObject({ ok: true });
  });

  it('finds nothing about an erased person', async () => {
    const { check, vault, ana, rui, erase, removeOf } = await withPersons();
    await erase(ana);
    await vault.removeSubject(ana);
    await removeOf('claim', rui);
    expect(await check('claims')).toMatchObject({ summary: expect.stringMatching(/^1 of 1 /), names: [rui] });
    expect(await check('keys')).toMatchObject({ ok: true });
  });
});
