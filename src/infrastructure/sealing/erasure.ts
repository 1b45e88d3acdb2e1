// What erasing a person takes beside the event that says so.
import type { Vault } from '../vault/vault.js';
import type { Views } from '../views/views.js';
import type { Keyring } from './keyring.js';

/**
 * Removes every record of a person from the vault, the key of their personal fields with them, and has vault and views
 * make what was removed or overwritten so far unreadable in their files. May be done again: it has to be, after the
 * read models have let go of the person. Gives how many records were removed.
 */
export const eraseSecrets = async (
  { vault, views, keyring }: { readonly vault: Vault; readonly views: Views; readonly keyring: Keyring },
  person: string,
): Promise<number> => {
  const removed = await vault.removeSubject(person);
  keyring.forget(person);
  await Promise.all([vault.forget(), views.forget()]);
  return removed;
};
