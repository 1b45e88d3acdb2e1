// Erases users in stores that were restored from a backup of a time before their erasure.

import { Claims } from '../commands/claims.js';
import type { CommandContext } from '../commands/context.js';
import { commandHandler } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { uniquely } from '../commands/uniqueness.js';
import { user } from '../domain/user/user.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import { forgetLeftovers } from '../infrastructure/sealing/erasure.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Views } from '../infrastructure/views/views.js';
import type { CheckedStoresOfPersons } from './check.js';

/** Restored stores that no service has open. */
export interface RestoredStores {
  readonly facts: Facts;
  readonly vault: Vault;
  readonly views: Views;
  readonly serviceKey: CheckedStoresOfPersons['serviceKey'];
  readonly eraseSecrets: (person: string) => Promise<number>;
}

const REASON = 'erased after the backup that was restored';

/**
 * Erases users whom the stores do not know as erased. Returns how many. An administrator is erased also if no other is
 * left: the erasure had been decided.
 */
export const eraseAgain = async (
  stores: RestoredStores,
  userIds: readonly string[],
  context: () => CommandContext,
): Promise<number> => {
  const { facts, vault, serviceKey, eraseSecrets } = stores;
  const streams = new Streams(facts);
  const handle = commandHandler(streams, uniquely(streams, new Claims(vault, () => serviceKey('claims'))));
  let erased = 0;
  for (const userId of userIds) {
    const { state } = await streams.load(user, userId);
    if (state.status === 'unknown') continue;
    await eraseSecrets(userId);
    if (state.status === 'erased') continue;
    await handle(user, userId, { type: 'EraseUser', data: { reason: REASON } }, context());
    await eraseSecrets(userId);
    erased += 1;
  }
  await forgetLeftovers(stores);
  return erased;
};
