// What erasing a person takes beside the event that says so.
import { changeRecord, type Vault } from '../vault/vault.js';
import type { Views } from '../views/views.js';
import type { Keyring } from './keyring.js';

// Says that the files of the stores may still hold bytes of an erased person.
const LEFTOVERS = { kind: 'erasure', key: 'leftovers', value: null };

/**
 * Removes every record of a person from the vault, including the key of their personal fields. From then on nothing
 * that was sealed with the key can be opened. May be done again, and has to be after the read models have dropped the
 * person. Returns how many records were removed.
 */
export const eraseSecrets = async (
  { vault, keyring }: { readonly vault: Vault; readonly keyring: Keyring },
  person: string,
): Promise<number> => {
  const removed = await vault.removeSubject(person);
  keyring.forget(person);
  await changeRecord(vault, LEFTOVERS, () => LEFTOVERS);
  return removed;
};

/**
 * Makes what was removed or overwritten unreadable in the files of vault and views, if a person was erased since this was
 * last done. Takes about as long as to copy the files; writers wait meanwhile.
 */
export const forgetLeftovers = async ({
  vault,
  views,
}: {
  readonly vault: Vault;
  readonly views: Views;
}): Promise<void> => {
  const found = await vault.get(LEFTOVERS);
  if (found === undefined) return;
  await Promise.all([vault.forget(), views.forget()]);
  // An erasure that came meanwhile has raised the version.
  await vault.remove(LEFTOVERS, found.version);
};
