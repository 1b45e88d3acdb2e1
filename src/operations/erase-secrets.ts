// The parts of an erasure besides its event.
import type { AllStores } from '../infrastructure/stores.js';
import { changeRecord } from '../infrastructure/vault/vault.js';

// Marks that the files of the stores may still contain bytes of an erased person.
const LEFTOVERS = { kind: 'erasure', key: 'leftovers', value: null };

/**
 * Removes every record of a person from the vault, including the key of their personal fields. After that, nothing that
 * was sealed with the key can be opened. Must be called again after the read models have dropped the person. Returns
 * the number of removed records.
 */
export const eraseSecrets = async (
  { vault, keyring }: Pick<AllStores, 'vault' | 'keyring'>,
  person: string,
): Promise<number> => {
  const removed = await vault.removeSubject(person);
  keyring.forget(person);
  await changeRecord(vault, LEFTOVERS, () => LEFTOVERS);
  return removed;
};

/**
 * Makes removed and overwritten bytes unreadable in the files of vault and views, if a person was erased since the last
 * call, or while a generation was built or stopped. Takes about as long as copying the files, and blocks writers for that
 * time.
 */
export const forgetLeftovers = async ({ vault, views }: Pick<AllStores, 'vault' | 'views'>): Promise<void> => {
  const found = await vault.get(LEFTOVERS);
  if (found === undefined) return;
  // A generation that has not caught up may have the person until it is dropped, and a drop overwrites nothing.
  const isLeft = (await views.checkpoints()).some(
    ({ state, stopped }) => state === 'building' || stopped !== undefined,
  );
  await Promise.all([vault.forget(), views.forget()]);
  // A later erasure has raised the version, so the record stays.
  if (!isLeft) await vault.remove(LEFTOVERS, found.version);
};
