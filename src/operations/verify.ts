// Whether the stores are of one moment and whole: every check, one after the other.
import type { Check, CheckedStoresOfPersons, Result } from './check.js';
import { claimsThere, personKeysThere } from './check-persons.js';
import { streamsWhole } from './check-streams.js';
import { factsNotOlder, vaultNotOlder } from './check-vault.js';
import { viewsNotAhead } from './check-views.js';

/** Every check, the cheap ones first. */
export const checks: readonly Check<CheckedStoresOfPersons>[] = [
  viewsNotAhead,
  factsNotOlder,
  vaultNotOlder,
  personKeysThere,
  claimsThere,
  streamsWhole,
];

/** Runs every check, each after the one before it, and gives what it came to. */
export async function* verify(stores: CheckedStoresOfPersons): AsyncGenerator<Result & { readonly check: string }> {
  for (const { name, run } of checks) yield { check: name, ...(await run(stores)) };
}
