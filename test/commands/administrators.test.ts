// The last enabled administrator stays, whatever two processes do concurrently.
import { describe, expect, it } from 'vitest';
import { Administrators, lastAdministratorGuard } from '../../src/commands/administrators.js';
import { AdministratorsLocked, type CommandContext, PreconditionFailed } from '../../src/commands/context.js';
import type { Streams } from '../../src/commands/streams.js';
import type { AppendGuard } from '../../src/commands/uniqueness.js';
import { activeUserOf, isEnabled, rolesOf } from '../../src/domain/user/state.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { LOCKED_MS, VaultLock } from '../../src/infrastructure/vault/lock.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { temporaryDirectory } from '../support/directory.js';
import { first } from '../support/items.js';
import { contextOf, processOn } from './support/process.js';

const context = (id: string) => contextOf({ actor: { id, roles: ['ADMINISTRATOR'] } });

/** Creates administrators with so many profiles each, and processes that handle commands on the same stores. */
const withAdministrators = async (names: readonly string[], profiles = 1) => {
  const directory = temporaryDirectory();
  const ids: string[] = [];
  const process = () => {
    const made: Administrators[] = [];
    const around = (guard: AppendGuard, parts: { readonly vault: Vault; readonly streams: Streams }) => {
      const candidates = async function* () {
        yield* ids;
      };
      const administrators = new Administrators({ ...parts, candidates });
      made.push(administrators);
      return lastAdministratorGuard(guard, administrators);
    };
    const opened = processOn(directory, { around });
    return { ...opened, administrators: first(made) };
  };
  const { handle, streams, vault, administrators } = process();
  const profilesOf = async (id: string) => activeUserOf((await streams.fresh(user, id)).state).profiles;
  const decide = (
    type: 'ApproveProfile' | 'RejectProfile',
    { id, profileId }: { readonly id: string; readonly profileId: string | undefined },
    { by = 'operator', through = handle } = {},
  ) => through(user, id, { type, data: { profileId: profileId ?? '', reason: null } }, context(by));
  for (const name of names) {
    const sent = { firstName: name, lastName: 'X', email: `${name}@example.org`, acceptedTerms: true };
    const asked = [...Array(profiles).fill({ type: 'ADMINISTRATOR' }), { type: 'NURSE' }];
    const data = userCommands.RegisterUser.parse({ ...sent, profiles: asked });
    const { id } = await handle(user, 'new', { type: 'RegisterUser', data }, context('operator'));
    for (const profile of await profilesOf(id)) await decide('ApproveProfile', { id, profileId: profile.id });
    ids.push(id);
  }
  /** Rejects the administrator profiles of a user, each in a process of its own, at the same time. */
  const rejections = async (by: string, id: string) =>
    (await profilesOf(id))
      .filter(({ type }) => type === 'ADMINISTRATOR')
      .map(({ id: profileId }) => {
        const { handle: through } = process();
        return () => decide('RejectProfile', { id, profileId }, { by, through });
      });
  const reject = async (by: string, id: string) => first(await rejections(by, id))();
  const revise = (by: string, id: string, data: object, more: Partial<CommandContext> = {}) =>
    handle(user, id, { type: 'ReviseUser', data }, { ...context(by), ...more });
  const disable = (by: string, id: string) => revise(by, id, { enabled: false });
  const remaining = async () => {
    const states = await Promise.all(ids.map(async (id) => (await streams.fresh(user, id)).state));
    return states.filter((state) => isEnabled(state) && rolesOf(state).includes('ADMINISTRATOR')).length;
  };
  return { ids, vault, streams, administrators, profilesOf, decide, rejections, reject, revise, disable, remaining };
};

/** Runs tasks at the same time. Returns their results, `done` or the code or name of the error. */
const atOnce = async (tasks: readonly (() => Promise<unknown>)[]): Promise<readonly string[]> => {
  const settled = await Promise.allSettled(tasks.map((task) => task()));
  return settled.map((each) => (each.status === 'fulfilled' ? 'done' : (each.reason.code ?? each.reason.name)));
};

const LAST = { code: 'last-administrator' };

const rounds = Array.from({ length: 3 });

describe('the last enabled administrator', () => {
  it('is neither rejected nor disabled', async () => {
    const { ids, reject, disable } = await withAdministrators(['ana']);
    const [ana = ''] = ids;
    await expect(reject('operator', ana)).rejects.toMatchObject(LAST);
    await expect(disable(ana, ana)).rejects.toMatchObject(LAST);
  });

  it('is the one who remains after others were rejected or disabled', async () => {
    const { ids, reject, disable, remaining } = await withAdministrators(['ana', 'bea', 'cid']);
    const [ana = '', bea = '', cid = ''] = ids;
    await reject(ana, bea);
    await disable(cid, cid);
    await expect(reject('operator', ana)).rejects.toMatchObject(LAST);
    expect(await remaining()).toBe(1);
  });

  it('stays when two administrators reject each other concurrently in two processes', async () => {
    for (const _ of rounds) {
      const { ids, reject, remaining } = await withAdministrators(['ana', 'bea']);
      const [ana = '', bea = ''] = ids;
      const outcomes = await Promise.allSettled([reject(ana, bea), reject(bea, ana)]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await remaining()).toBe(1);
    }
  });

  it('stays when all profiles of one person are rejected concurrently, and one of the rejections is recorded', async () => {
    for (const _ of rounds) {
      const { ids, rejections, remaining } = await withAdministrators(['ana'], 2);
      const outcomes = await atOnce(await rejections('operator', first(ids)));
      expect(outcomes).toContain('done');
      expect(outcomes).toContain('last-administrator');
      expect(await remaining()).toBe(1);
    }
  });

  it('stays when two administrators reject all profiles of each other concurrently', async () => {
    for (const _ of rounds) {
      const { ids, rejections, remaining } = await withAdministrators(['ana', 'bea'], 2);
      const [ana = '', bea = ''] = ids;
      const outcomes = await atOnce([...(await rejections(ana, bea)), ...(await rejections(bea, ana))]);
      expect(outcomes).toContain('done');
      expect(await remaining()).toBeGreaterThan(0);
    }
  });

  it('is checked whatever the status of the profile was when a process last read it', async () => {
    const { ids, administrators, profilesOf, decide, reject, remaining } = await withAdministrators(['ana', 'bea']);
    const [ana = '', bea = ''] = ids;
    await reject(ana, bea);
    const [profile] = await profilesOf(bea);
    // While bea is being erased, an approval and a rejection of the other administrator follow each other.
    const erase = async () => {
      await decide('ApproveProfile', { id: bea, profileId: profile?.id });
      expect(await atOnce([() => reject('operator', ana)])).toEqual(['AdministratorsLocked']);
    };
    await administrators.keepOneInErasure(bea, erase);
    expect(await remaining()).toBe(2);
  });

  it('does not concern commands that leave the role', async () => {
    const { ids, vault, profilesOf, decide, revise, rejections } = await withAdministrators(['ana', 'bea'], 2);
    const [ana = '', bea = ''] = ids;
    await VaultLock.taken(vault, 'administrators');
    const nurse = (await profilesOf(bea)).find(({ type }) => type === 'NURSE');
    await decide('RejectProfile', { id: bea, profileId: nurse?.id }, { by: ana });
    await revise(ana, bea, { firstName: 'Beatriz' });
    await first(await rejections(ana, bea))();
    await expect(revise(ana, bea, { enabled: false })).rejects.toBeInstanceOf(AdministratorsLocked);
  });

  it('may not be decided on while another command takes the role from an administrator, for at most a minute', async () => {
    const { ids, vault, reject, remaining } = await withAdministrators(['ana', 'bea', 'cid']);
    const [ana = '', bea = '', cid = ''] = ids;
    const lock = await VaultLock.taken(vault, 'administrators');
    await expect(reject(ana, bea)).rejects.toBeInstanceOf(AdministratorsLocked);
    expect(await remaining()).toBe(3);
    await lock?.release();
    await reject(ana, bea);
    await reject(ana, cid);
    expect(LOCKED_MS).toBeLessThanOrEqual(60_000);
  });

  it('is checked for a stale precondition without the lock, before the precondition is refused', async () => {
    const { ids, vault, revise, disable } = await withAdministrators(['ana', 'bea']);
    const [ana = '', bea = ''] = ids;
    const lock = await VaultLock.taken(vault, 'administrators');
    const stale = (id: string) => revise('operator', id, { enabled: false }, { precondition: [0] });
    for (const id of [ana, bea]) await expect(stale(id)).rejects.toBeInstanceOf(PreconditionFailed);
    await lock?.release();
    await disable(ana, ana);
    await expect(stale(bea)).rejects.toMatchObject(LAST);
  });

  it('releases the lock if the check fails, because nothing was recorded', async () => {
    const { ids, vault, streams, reject } = await withAdministrators(['ana', 'bea', 'cid']);
    const [ana = '', bea = '', cid = ''] = ids;
    const candidates = (): never => {
      throw new StoreUnavailable('the read models', 'no response');
    };
    const administrators = new Administrators({ vault, streams, candidates });
    await expect(administrators.keepOne(bea, async () => {})).rejects.toBeInstanceOf(StoreUnavailable);
    await reject(ana, cid);
  });

  it('leaves the lock to its expiry if a decision may still be recorded', async () => {
    const { ids, administrators, reject } = await withAdministrators(['ana', 'bea', 'cid']);
    const [ana = '', bea = '', cid = ''] = ids;
    const unknown = new StoreUnavailable('the test', 'no response');
    const task = () => Promise.reject(unknown);
    await expect(administrators.keepOne(bea, task)).rejects.toBe(unknown);
    await expect(reject(ana, cid)).rejects.toBeInstanceOf(AdministratorsLocked);
  });
});
