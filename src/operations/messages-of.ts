// What messages to a person are found by in the outbox.
import { CODE_KIND, type OwnersCodes } from '../auth/codes/code-records.js';
import { phoneNumberOf } from '../auth/codes/contacts.js';
import type { PersonFields } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { Vault } from '../infrastructure/vault/vault.js';

/**
 * Returns every contact that the stream of a user has ever had, and the ids of the codes that the vault still holds: a
 * code may have gone to a contact that the user has not confirmed. Finds nothing once the key of the person is deleted.
 */
export const messagesOf = async (
  { facts, vault }: { readonly facts: Pick<Facts, 'readStream'>; readonly vault: Vault },
  userId: string,
): Promise<readonly string[]> => {
  const found = new Set<string>();
  for await (const { data } of facts.readStream(streamName(user.aggregate, userId))) {
    for (const contact of contactsIn(data as Partial<PersonFields>)) found.add(contact);
  }
  for (const { value } of await vault.ofSubject<OwnersCodes>(CODE_KIND, userId)) {
    for (const { id } of Object.values(value.codes)) found.add(id);
  }
  return [...found];
};

const contactsIn = ({ email, dialingCode, phone }: Partial<PersonFields>): readonly string[] => {
  const number = phone ? phoneNumberOf(dialingCode ?? null, phone) : undefined;
  return [email, number].filter((contact) => contact !== undefined && contact !== null);
};
