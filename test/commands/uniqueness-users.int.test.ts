// A process that is killed between claim and append leaves nothing of a person that blocks anybody for more than a
// minute, and nothing that outlives the erasure of the person.
import { describe, expect, it } from 'vitest';
import { Claims, PENDING_MS } from '../../src/commands/claims.js';
import type { CommandContext } from '../../src/commands/context.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { randomIds, seededIds } from '../../src/commands/ids.js';
import { Streams } from '../../src/commands/streams.js';
import { type Guard, uniquenessGuard } from '../../src/commands/uniqueness.js';
import { DomainError } from '../../src/domain/errors.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { openSealed } from '../infrastructure/sealing/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { sharedKey } from './shared-key.js';

const person = {
  firstName: 'Ana',
  lastName: 'Souza',
  email: 'ana@example.org',
  document: '529.982.247-25',
  acceptedTerms: true,
};
const rewritten = { ...person, email: 'ANA@example.org', document: '52998224725' };
const SEED = { random: 'cd'.repeat(16), at: Date.parse('2026-02-10T09:30:00.000Z') };

const contextOf = (more: Partial<CommandContext> = {}): CommandContext => ({
  actor: { id: 'anonymous', roles: [] },
  correlationId: 'trace',
  causationId: 'request',
  ids: randomIds(),
  resumed: false,
  ...more,
});

/** Ends the process right before or right after its append. */
const killing =
  (when: 'before' | 'after'): ((guard: Guard) => Guard) =>
  (guard) =>
  (attempt, append) =>
    guard(attempt, async () => {
      if (when === 'after') await append();
      throw new StoreUnavailable('the test', 'killed');
    });

/** Returns a clock that a test sets, and a function that starts a process with its own memory on shared stores. */
const setUp = () => {
  const directory = temporaryDirectory();
  const clock = { now: Date.parse('2026-02-10T10:00:00.000Z') };
  const process = (around: (guard: Guard) => Guard = (guard) => guard) => {
    const { facts, vault } = openSealed(directory);
    const streams = new Streams(facts);
    const handle = commandHandler(
      streams,
      around(uniquenessGuard(streams, new Claims(vault, sharedKey, () => clock.now))),
    );
    const register = (request: object, context = contextOf()) =>
      handle(user, 'new', { type: 'RegisterUser', data: userCommands.RegisterUser.parse(request) }, context);
    return { register, vault };
  };
  return { clock, process };
};

const refusalOf = async (attempt: Promise<unknown>): Promise<unknown> => {
  const error = await attempt.catch((reason: unknown) => reason);
  if (!(error instanceof DomainError) || !('errors' in error.details)) return error;
  return (error as DomainError<'user-taken'>).details.errors.map(({ path, code }) => [path.join('/'), code]);
};
const expectKilled = (attempt: Promise<unknown>) => expect(attempt).rejects.toBeInstanceOf(StoreUnavailable);

describe('an e-mail and a document', () => {
  it('of a registration that was killed before its append are free after a minute', async () => {
    const { clock, process } = setUp();
    await expectKilled(process(killing('before')).register(person));
    const next = process();
    clock.now += PENDING_MS - 1;
    expect(await refusalOf(next.register(rewritten))).toContainEqual(['email', 'reserved']);
    clock.now += 2;
    expect((await next.register(rewritten)).state).toMatchObject({
      status: 'active',
      fields: { email: rewritten.email },
    });
    expect(PENDING_MS).toBeLessThanOrEqual(60_000);
  });

  it('of a registration that was killed after its append stay with that user, even after a minute', async () => {
    const { clock, process } = setUp();
    await expectKilled(process(killing('after')).register(person));
    clock.now += PENDING_MS + 1;
    const refused = await refusalOf(process().register(rewritten));
    expect(refused).toEqual(
      expect.arrayContaining([
        ['email', 'taken'],
        ['document', 'taken'],
      ]),
    );
  });

  it.each(['before', 'after'] as const)(
    'are available to a retry of the same request right after a kill %s its append',
    async (when) => {
      const { process } = setUp();
      const ids = seededIds(SEED);
      await expectKilled(process(killing(when)).register(person, contextOf({ ids })));
      const again = await process().register(person, contextOf({ ids, resumed: true }));
      expect(again).toMatchObject({ id: ids.aggregateId(), revision: 0 });
    },
  );

  it('are free after the vault removed the person, because their claims belong to the person', async () => {
    const { process } = setUp();
    const { register, vault } = process();
    const { id } = await register(person);
    expect(await vault.ofSubject('claim', id)).toHaveLength(2);
    await vault.removeSubject(id);
    expect((await register(rewritten)).id).not.toBe(id);
  });
});
