// The message about a decision is stored before the decision.
import { beforeEach, describe, expect, it } from 'vitest';
import { promisingMessages } from '../../../src/auth/decisions/promises.js';
import { operatorContext } from '../../../src/cli/operator.js';
import { randomIds } from '../../../src/commands/ids.js';
import { emptyOf } from '../../../src/commands/loaded.js';
import { unguarded } from '../../../src/commands/uniqueness.js';
import { user } from '../../../src/domain/user/user.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { Vault, VaultEntry } from '../../../src/infrastructure/vault/vault.js';
import { AGGREGATE_ID, NOW } from '../../support/specification.js';

const unavailable = new StoreUnavailable('the vault', 'it is unavailable');
const ids = randomIds();

let stored: Map<string, VaultEntry>;
let isAway: boolean;
let reported: unknown[];
/** The messages that were stored when the command was handled. */
let atDecision: readonly VaultEntry[];

beforeEach(() => {
  [stored, isAway, reported, atDecision] = [new Map(), false, [], []];
});

const vault: Pick<Vault, 'insert'> = {
  insert: async (entry) => {
    if (isAway) throw unavailable;
    stored.set(entry.key, entry);
    return 1;
  },
};

/** Tries to append events of these types behind a guard. `append` returns a text, or rejects. */
const record = (types: readonly string[], { append = async () => 'appended', isStale = false } = {}) => {
  const guard = promisingMessages(unguarded, {
    vault: vault as Vault,
    onUnstored: (...given) => void reported.push(given),
  });
  const events = types.map((type) => ({ type, data: {} }));
  const context = { ...operatorContext(), ids };
  return guard({ decider: user, id: AGGREGATE_ID, loaded: emptyOf(user), events, at: NOW, isStale, context }, () => {
    atDecision = [...stored.values()];
    return append();
  });
};

describe('the message about a decision', () => {
  it('is stored before the decision, names no profile and no reason, and is erased with the person', async () => {
    expect(await record(['UserProfileRejected'])).toBe('appended');
    const value = { userId: AGGREGATE_ID, at: expect.any(Number) };
    expect(atDecision).toMatchObject([{ kind: 'decision-message', key: ids.eventId(0), value, subject: AGGREGATE_ID }]);
    expect([...stored.keys()]).toEqual([ids.eventId(0)]);
  });

  it('stays if the decision may have been recorded', async () => {
    const append = () => Promise.reject(new StoreUnavailable('the facts', 'the connection was lost'));
    await expect(record(['UserProfileApproved'], { append })).rejects.toThrow(StoreUnavailable);
    expect(stored.size).toBe(1);
  });

  it('is reported if it cannot be stored, and the decision stands', async () => {
    isAway = true;
    expect(await record(['UserProfileApproved'])).toBe('appended');
    expect(reported).toEqual([[unavailable, { userId: AGGREGATE_ID, eventId: ids.eventId(0) }]]);
  });

  it('is stored for a revision that returns profiles to analysis', async () => {
    await record(['UserRevised', 'UserProfileReturnedToAnalysis']);
    expect(atDecision).toHaveLength(1);
  });

  it('is not stored if nothing is decided, or if the append is refused', async () => {
    for (const type of ['UserProfileDecisionExplained', 'UserRevised', 'InstitutionCreated']) await record([type]);
    await record(['UserProfileApproved'], { isStale: true });
    expect([atDecision, stored.size]).toEqual([[], 0]);
  });
});
