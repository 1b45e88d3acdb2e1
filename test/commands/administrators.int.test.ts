// The last enabled administrator stays, whatever two processes do concurrently.
import { describe, expect, it } from 'vitest';
import { Administrators, withLastAdministratorCheck } from '../../src/commands/administrators.js';
import { Claims } from '../../src/commands/claims.js';
import { AdministratorsLocked, type CommandContext } from '../../src/commands/context.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { randomIds } from '../../src/commands/ids.js';
import { Streams } from '../../src/commands/streams.js';
import { uniquenessGuard } from '../../src/commands/uniqueness.js';
import { activeUserOf, isEnabled, rolesOf } from '../../src/domain/user/state.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { LOCKED_MS, VaultLock } from '../../src/infrastructure/vault/lock.js';
import { openSealed } from '../infrastructure/sealing/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { sharedKey } from './shared-key.js';

const context = (id: string): CommandContext => ({
  actor: { id, roles: ['ADMINISTRATOR'] },
  correlationId: 'trace',
  causationId: 'request',
  ids: randomIds(),
  resumed: false,
});

/** Creates administrators, and processes that handle commands on the same stores. */
const withAdministrators = async (...names: readonly string[]) => {
  const directory = temporaryDirectory();
  const ids: string[] = [];
  const process = () => {
    const { facts, vault } = openSealed(directory);
    const streams = new Streams(facts);
    const commands = commandHandler(streams, uniquenessGuard(streams, new Claims(vault, sharedKey)));
    const candidates = async function* () {
      yield* ids;
    };
    const administrators = new Administrators({ vault, streams, candidates });
    return { streams, vault, administrators, handle: withLastAdministratorCheck(commands, administrators) };
  };
  const { handle, streams, vault, administrators } = process();
  for (const name of names) {
    const sent = { firstName: name, lastName: 'X', email: `${name}@example.org`, acceptedTerms: true };
    const data = userCommands.RegisterUser.parse({ ...sent, profiles: [{ type: 'ADMINISTRATOR' }] });
    const { id, state } = await handle(user, 'new', { type: 'RegisterUser', data }, context('operator'));
    const profileId = activeUserOf(state).profiles[0]?.id ?? '';
    await handle(user, id, { type: 'ApproveProfile', data: { profileId, reason: null } }, context('operator'));
    ids.push(id);
  }
  const profileOf = async (id: string) => activeUserOf((await streams.fresh(user, id)).state).profiles[0]?.id ?? '';
  const reject = async (by: string, id: string, { handle: through } = process()) =>
    through(user, id, { type: 'RejectProfile', data: { profileId: await profileOf(id), reason: null } }, context(by));
  const disable = (by: string, id: string) =>
    process().handle(user, id, { type: 'ReviseUser', data: { enabled: false } }, context(by));
  const remaining = async () => {
    const states = await Promise.all(ids.map(async (id) => (await streams.fresh(user, id)).state));
    return states.filter((state) => isEnabled(state) && rolesOf(state).includes('ADMINISTRATOR')).length;
  };
  return { ids, vault, administrators, reject, disable, remaining };
};

const LAST = { code: 'last-administrator' };

describe('the last enabled administrator', () => {
  it('is neither rejected nor disabled', async () => {
    const { ids, reject, disable } = await withAdministrators('ana');
    const [ana = ''] = ids;
    await expect(reject('operator', ana)).rejects.toMatchObject(LAST);
    await expect(disable(ana, ana)).rejects.toMatchObject(LAST);
  });

  it('is the one who remains after others were rejected or disabled', async () => {
    const { ids, reject, disable, remaining } = await withAdministrators('ana', 'bea', 'cid');
    const [ana = '', bea = '', cid = ''] = ids;
    await reject(ana, bea);
    await disable(cid, cid);
    await expect(reject('operator', ana)).rejects.toMatchObject(LAST);
    expect(await remaining()).toBe(1);
  });

  it('stays when two administrators reject each other concurrently in two processes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { ids, reject, remaining } = await withAdministrators('ana', 'bea');
      const [ana = '', bea = ''] = ids;
      const outcomes = await Promise.allSettled([reject(ana, bea), reject(bea, ana)]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await remaining()).toBe(1);
    }
  });

  it('may not be decided on while another command takes the role from an administrator, for at most a minute', async () => {
    const { ids, vault, reject, remaining } = await withAdministrators('ana', 'bea', 'cid');
    const [ana = '', bea = '', cid = ''] = ids;
    const lock = await VaultLock.taken(vault, 'administrators');
    await expect(reject(ana, bea)).rejects.toBeInstanceOf(AdministratorsLocked);
    expect(await remaining()).toBe(3);
    await lock?.release();
    await reject(ana, bea);
    await reject(ana, cid);
    expect(LOCKED_MS).toBeLessThanOrEqual(60_000);
  });

  it('leaves the lock to its expiry if a decision may still be recorded', async () => {
    const { ids, administrators, reject } = await withAdministrators('ana', 'bea', 'cid');
    const [ana = '', bea = '', cid = ''] = ids;
    const unknown = new StoreUnavailable('the test', 'no response');
    const task = () => Promise.reject(unknown);
    await expect(administrators.keepOne(bea, () => true, task)).rejects.toBe(unknown);
    await expect(reject(ana, cid)).rejects.toBeInstanceOf(AdministratorsLocked);
  });

  it('cannot be rejected after the only other administrator was rejected', async () => {
    const { ids, reject, remaining } = await withAdministrators('ana', 'bea');
    const [ana = '', bea = ''] = ids;
    await reject(ana, bea);
    await expect(reject('operator', ana)).rejects.toMatchObject(LAST);
    expect(await remaining()).toBe(1);
  });
});
