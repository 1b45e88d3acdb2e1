// The messages of codes that wait for the queue. Each has a record, which is stored before the code and removed after
// the job is enqueued. A code is therefore never without its message, even if the process or the queue fails in
// between.
import type { Vault, VaultEntry, VaultRecord } from '../../infrastructure/vault/vault.js';
import type { Language } from './codes.js';

const UNSENT_KIND = 'unsent-code';

// The relay normally removes every record. Records expire so that a queue outage of days cannot fill the vault.
const RETENTION_MS = 86_400_000;

const MAX_COUNTED = 1_000;

/** The data that the relay needs. It contains no contact. */
interface Unsent {
  /** The key of the record that holds the code. */
  readonly record: string;
  readonly language: Language;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
}

/** The record of a waiting message. Its key is the id of the code. */
export type UnsentRecord = VaultRecord<Unsent>;

/** Returns the vault entry for a waiting message. It is erased with the person. */
export const entryOfUnsent = (id: string, value: Unsent, person: string | null): VaultEntry => ({
  kind: UNSENT_KIND,
  key: id,
  value,
  expiresAt: value.issuedAt + RETENTION_MS,
  subject: person ?? undefined,
});

/** Returns up to `limit` waiting messages with ids after `after`, sorted by id; undefined starts at the first. */
export const unsentAfter = (vault: Vault, after: string | undefined, limit: number): Promise<readonly UnsentRecord[]> =>
  vault.ofKind<Unsent>(UNSENT_KIND, after, limit);

/** Removes the record of a message. */
export const removeUnsent = (vault: Vault, id: string): Promise<boolean> =>
  vault.remove({ kind: UNSENT_KIND, key: id });

/** Returns the number of waiting messages, at most 1,000. */
export const countUnsent = async (vault: Vault): Promise<number> =>
  (await unsentAfter(vault, undefined, MAX_COUNTED)).length;
