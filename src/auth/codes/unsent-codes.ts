// The codes whose messages wait for the queue: a record of each, stored before the code and removed after its job is. A
// code is therefore never without its message, whatever the process or the queue does meanwhile.
import type { SpanPlace } from '../../infrastructure/tracing/tracing.js';
import type { Vault, VaultEntry, VaultRecord } from '../../infrastructure/vault/vault.js';
import type { Language } from './codes.js';

const UNSENT_KIND = 'unsent-code';

// The relay removes every record. A queue that is away for a day must not fill the vault.
const KEPT_MS = 86_400_000;

const MOST_COUNTED = 1_000;

/** What the relay needs to know of a code. It names no contact. */
interface Unsent {
  /** The key of the record that holds the code. */
  readonly record: string;
  readonly language: Language;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  /** The span of the request that issued the code, if requests are traced. */
  readonly cause?: SpanPlace;
}

/** A code whose message waits; the key is the id of the code. */
export type UnsentRecord = VaultRecord<Unsent>;

/** Returns the entry of a code. It is erased with the person. */
export const entryOfUnsent = (id: string, value: Unsent, person: string | null): VaultEntry => ({
  kind: UNSENT_KIND,
  key: id,
  value,
  expiresAt: value.issuedAt + KEPT_MS,
  subject: person ?? undefined,
});

/** Returns at most `limit` codes in order of their ids, those after `after`; undefined: from the first. */
export const unsentAfter = (vault: Vault, after: string | undefined, limit: number): Promise<readonly UnsentRecord[]> =>
  vault.ofKind<Unsent>(UNSENT_KIND, after, limit);

/** Removes the record of a code whose message waits no longer. */
export const removeUnsent = (vault: Vault, id: string): Promise<boolean> =>
  vault.remove({ kind: UNSENT_KIND, key: id });

/** Returns how many messages wait; 1,000 if there are more. */
export const countUnsent = async (vault: Vault): Promise<number> =>
  (await unsentAfter(vault, undefined, MOST_COUNTED)).length;
