// What a process that is killed between claim and append leaves of a person: nothing that blocks anybody for more than
// a minute, and nothing that outlives their erasure.
import { describe, expect, it } from 'vitest';
import { PENDING_MS } from '../../src/commands/claim-records.js';
import { Claims } from '../../src/commands/claims.js';
import type { CommandContext } from '../../src/commands/context.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { randomIds, seededIds } from '../../src/commands/ids.js';
import { Streams } from '../../src/commands/streams.js';
import { type Guard, uniquenessGuard } from '../../src/commands/uniqueness.js';
import { DomainError } from '../../src/domain/errors.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { openSealed } from '../infrastructure/sealing/sealing-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { sharedKey } from './shared-key.js';

const person = {
  firstName: 'Ana',
  lastName: 'Souza',
  email: 'ana@example.org',
  document: '529.982.247-25',
  acceptedTerms: true,
};
const written = { ...person, email: 'ANA@example.org', document: '52998224725' };
const SEED = { random: 'cd'.repeat(16), at: Date.parse('2026-02-10T09:30:00.000Z') };

const contextOf = (more: Partial<CommandContext> = {}): CommandContext => ({
  actor: { id: 'anonymous', roles: [] },
  correlationId: 'trace',
  causationId: 'request',
  ids: randomIds(),
  resumed: false,
  ...more,
});

/** Ends the process where its append is about to begin, or has come to its end. */
const dies =
  (when: 'before' | 'after'): ((guard: Guard) => Guard) =>
  (guard) =>
  (attempt, append) =>
    guard(attempt, async () => {
      if (when === 'after') await append();
      throw new StoreUnavailable('the test', 'killed');
    });

/** A world with a clock that a test sets; each process has a memory of its own. */
const world = () => {
  const directory = temporaryDirectory();
  const clock = { now: Date.parse('2026-02-10T10:00:00.000Z') };
  const process = (around: (guard: Guard) => Guard = (guard) => guard) => {
    const { facts, vault } = openSealed(directory);
    const streams = new Streams(facts);
    const handle = commandHandler(
      streams,
      around(uniquenessGuard(streams, new Claims(vault, sharedKey, () => clock.now))),
    );
    const register = (said: object, context = contextOf()) =>
      handle(user, 'new', { type: 'RegisterUser', data: userCommands.RegisterUser.parse(said) }, context);
    return { register, vault };
  };
  return { clock, process };
};

const refusalOf = async (attempt: Promise<unknown>): Promise<unknown> => {
  const error = await attempt.catch((reason: unknown) => reason);
  if (!(error instanceof DomainError) || !('errors' in error.details)) return error;
  return (error as DomainError<'user-taken'>).details.errors.map(({ path, code }) => [path.join('/'), code]);
};
const killed = (attempt: Promise<unknown>) => expect(attempt).rejects.toBeInstanceOf(StoreUnavailable);

describe('an e-mail and a document', () => {
  it('of a registration that was killed before its append are free after a minute', async () => {
    const { clock, process } = world();
    await killed(process(dies('before')).register(person));
    const next = process();
    clock.now += PENDING_MS - 1;
    expect(await refusalOf(next.register(written))).toContainEqual(['email', 'reserved']);
    clock.now += 2;
    expect((await next.register(written)).state).toMatchObject({ status: 'active', fields: { email: written.email } });
    expect(PENDING_MS).toBeLessThanOrEqual(60_000);
  });

  it('of a registration that was killed after its append stay that user’s, also after a minute', async () => {
    const { clock, process } = world();
    await killed(process(dies('after')).register(person));
    clock.now += PENDING_MS + 1;
    const refused = await refusalOf(process().register(written));
    expect(refused).toEqual(
      expect.arrayContaining([
        ['email', 'taken'],
        ['document', 'taken'],
      ]),
    );
  });

  it.each(['before', 'after'] as const)(
    'are the same request’s that is tried again at once, after a kill %s its append',
    async (when) => {
      const { process } = world();
      const ids = seededIds(SEED);
      await killed(process(dies(when)).register(person, contextOf({ ids })));
      const again = await process().register(person, contextOf({ ids, resumed: true }));
      expect(again).toMatchObject({ id: ids.aggregateId(), revision: 0 });
    },
  );

  it('are free where the vault let go of the person, whose claims are theirs in it', async () => {
    const { process } = world();
    const { register, vault } = process();
    const { id } = await register(person);
    expect(await vault.ofSubject('claim', id)).toHaveLength(2);
    await vault.removeSubject(id);
    expect((await register(written)).id).not.toBe(id);
  });
});
