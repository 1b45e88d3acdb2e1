// Erases users again after a restore from a backup that is older than their erasure.

import { Claims } from '../commands/claims.js';
import type { CommandContext } from '../commands/context.js';
import { commandHandler } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { uniquenessGuard } from '../commands/uniqueness.js';
import { user } from '../domain/user/user.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import type { AllStores } from '../infrastructure/stores.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Views } from '../infrastructure/views/views.js';
import { BackupError } from './backup-format.js';
import { forgetLeftovers } from './erase-secrets.js';
import type { Erasures } from './erasure-list.js';

/** Restored stores that no service has open. */
export interface RestoredStores {
  readonly facts: Facts;
  readonly vault: Vault;
  readonly views: Views;
  readonly serviceKey: AllStores['serviceKey'];
  readonly eraseSecrets: (person: string) => Promise<number>;
}

const REASON = 'erased after the backup that was restored';

/**
 * Erases the users who are not erased in the stores. Returns how many. Erases even the last administrator, because the
 * erasure was decided before. Rejects with `BackupError` before it erases anybody if one of them is unproven.
 */
export const eraseAgain = async (
  stores: RestoredStores,
  { proven, unproven }: Erasures,
  context: () => CommandContext,
): Promise<number> => {
  const { facts, vault, serviceKey, eraseSecrets } = stores;
  const streams = new Streams(facts);
  const handle = commandHandler(streams, uniquenessGuard(streams, new Claims(vault, () => serviceKey('claims'))));
  await mustBeErased(streams, unproven);
  let erased = 0;
  for (const userId of proven) {
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

const mustBeErased = async (streams: Streams, userIds: readonly string[]): Promise<void> => {
  for (const userId of userIds) {
    const { state } = await streams.load(user, userId);
    if (state.status === 'unknown' || state.status === 'erased') continue;
    throw new BackupError(
      `a list of erased users names ${userId} without a MAC of a known master key, and the backup has this user. ` +
        'Find out whether the service erased the user. Then add --accept, or remove the line',
    );
  }
};
