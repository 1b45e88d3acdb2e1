// The message about a decision is stored before the decision, and stays unless certainly nothing was decided.
import { beforeEach, describe, expect, it } from 'vitest';
import { promisingMessages } from '../../../src/auth/decisions/promises.js';
import { operatorContext } from '../../../src/cli/operator.js';
import type { CommandHandler, Outcome } from '../../../src/commands/handle-command.js';
import { randomIds } from '../../../src/commands/ids.js';
import { DomainError } from '../../../src/domain/errors.js';
import { institution } from '../../../src/domain/institution.js';
import { user } from '../../../src/domain/user/user.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { Vault, VaultEntry } from '../../../src/infrastructure/vault/vault.js';
import { PROFILE_ID } from '../../domain/support/user-samples.js';
import { AGGREGATE_ID } from '../../support/specification.js';

const unavailable = new StoreUnavailable('the vault', 'it is unavailable');
const ids = randomIds();
const context = (actorId = 'administrator') => ({
  ...operatorContext(),
  ...{ ids, resumed: false, actor: { id: actorId, roles: [] } },
});

let stored: Map<string, VaultEntry>;
let isAway: boolean;
let reported: unknown[];
/** The messages that were stored when the command was handled. */
let atDecision: readonly VaultEntry[];

beforeEach(() => {
  [stored, isAway, reported, atDecision] = [new Map(), false, [], []];
});

const vault: Pick<Vault, 'insert' | 'remove'> = {
  insert: async (entry) => {
    if (isAway) throw unavailable;
    stored.set(entry.key, entry);
    return 1;
  },
  remove: async ({ key }) => {
    if (isAway) throw unavailable;
    return stored.delete(key);
  },
};

/** Returns a handler that records events of these types, or rejects with an error. */
const handlerOf = (...outcome: readonly (string | Error)[]): CommandHandler =>
  promisingMessages(
    async () => {
      atDecision = [...stored.values()];
      const failure = outcome.find((each) => each instanceof Error);
      if (failure !== undefined) throw failure;
      return { events: outcome.map((type) => ({ type, data: {} })) } as unknown as Outcome<never, never>;
    },
    { vault: vault as Vault, onUnstored: (...given) => void reported.push(given) },
  );

const approve = { type: 'ApproveProfile', data: { profileId: PROFILE_ID, reason: null } } as const;
const resubmit = { type: 'ResubmitProfile', data: { profileId: PROFILE_ID } } as const;
const revise = (reapproval: boolean) => ({ type: 'ReviseUser', data: { firstName: 'Bea', reapproval } }) as const;

describe('the message about a decision', () => {
  it('is stored before the decision, names no profile and no reason, and is erased with the person', async () => {
    const command = { type: 'RejectProfile', data: { profileId: PROFILE_ID, reason: 'It has lapsed.' } } as const;
    await handlerOf('UserProfileRejected')(user, AGGREGATE_ID, command, context());
    const value = { userId: AGGREGATE_ID, at: expect.any(Number) };
    expect(atDecision).toMatchObject([{ kind: 'decision-message', key: ids.eventId(0), value, subject: AGGREGATE_ID }]);
    expect([...stored.keys()]).toEqual([ids.eventId(0)]);
  });

  it.each([
    ['another reason', 'UserProfileDecisionExplained'],
    ['nothing', undefined],
  ])('is removed if the command records %s', async (_, type) => {
    await handlerOf(...(type === undefined ? [] : [type]))(user, AGGREGATE_ID, approve, context());
    expect([atDecision.length, stored.size]).toEqual([1, 0]);
  });

  it('is removed after a refusal, and stays if the decision may have been recorded', async () => {
    const refusal = new DomainError('own-profile', { profileId: PROFILE_ID });
    await expect(handlerOf(refusal)(user, AGGREGATE_ID, approve, context())).rejects.toBe(refusal);
    expect(stored.size).toBe(0);
    const lost = new StoreUnavailable('the facts', 'the connection was lost');
    await expect(handlerOf(lost)(user, AGGREGATE_ID, approve, context())).rejects.toBe(lost);
    expect(stored.size).toBe(1);
  });

  it('is reported if it cannot be stored, and the decision stands', async () => {
    isAway = true;
    const { events } = await handlerOf('UserProfileApproved')(user, AGGREGATE_ID, approve, context());
    expect(events).toMatchObject([{ type: 'UserProfileApproved' }]);
    expect(reported).toEqual([[unavailable, { userId: AGGREGATE_ID, eventId: ids.eventId(0) }]]);
    await handlerOf()(user, AGGREGATE_ID, approve, context());
  });

  it('is stored for a resubmission by somebody else, and for a revision that may return profiles to analysis', async () => {
    await handlerOf('UserProfileResubmitted')(user, AGGREGATE_ID, resubmit, context());
    expect(atDecision).toHaveLength(1);
    await handlerOf('UserRevised', 'UserProfileReturnedToAnalysis')(user, AGGREGATE_ID, revise(true), context());
    expect(stored.size).toBe(1);
    await handlerOf('UserRevised')(user, AGGREGATE_ID, revise(true), context());
    expect(stored.size).toBe(0);
  });

  it('is not stored for any other command', async () => {
    const create = { name: 'Clinic', document: null, email: null, phone: null, address: null, unities: [] };
    const founding = { type: 'CreateInstitution', data: create } as const;
    const commands: readonly (() => Promise<unknown>)[] = [
      () => handlerOf('UserProfileResubmitted')(user, AGGREGATE_ID, resubmit, context(AGGREGATE_ID)),
      () => handlerOf('UserRevised')(user, AGGREGATE_ID, revise(false), context()),
      () => handlerOf('UserActivated')(user, AGGREGATE_ID, { type: 'Activate', data: {} }, context()),
      () => handlerOf('InstitutionCreated')(institution, 'new', founding, context()),
    ];
    for (const command of commands) {
      await command();
      expect([atDecision, stored.size]).toEqual([[], 0]);
    }
  });
});
