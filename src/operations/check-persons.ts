// Finds keys and claims that the vault should have, which shows that it was lost or is older than the facts.
import type { Check } from './check.js';

const RESTORE =
  'stop the service and restore the vault from the same moment as the facts; persons whose keys are in no copy read as erased';
const OLDER = 'the vault is older than the facts, or was lost';

/** Checks that the vault has a key for every person who has sealed fields in the log and was not erased. */
export const personKeysThere: Check = {
  name: 'keys',
  run: async (_, survey) => {
    const { persons, keyless } = await survey();
    if (keyless.count === 0) return { ok: true, summary: `${persons} persons, all of whom have a key or were erased` };
    const summary = `${keyless.count} of ${persons} persons have no key and were not erased: ${keyless.firstOf()}; ${OLDER}`;
    return { ok: false, summary, next: RESTORE };
  },
};

/**
 * Checks that the vault has the claims of every user's e-mail and document; otherwise another user could claim them.
 */
export const claimsThere: Check = {
  name: 'claims',
  run: async (_, survey) => {
    const { claimants, unclaimed, unreadable } = await survey();
    const lacking = `${unclaimed.count} of ${claimants} users have no claim on their e-mail or document: ${unclaimed.firstOf()}; ${OLDER}`;
    const unchecked = `${unreadable.count} users could not be checked, because their streams cannot be read: ${unreadable.firstOf()}`;
    const summary = [...(unclaimed.count > 0 ? [lacking] : []), ...(unreadable.count > 0 ? [unchecked] : [])];
    if (summary.length === 0) return { ok: true, summary: `${claimants} users, whose unique values are all claimed` };
    return { ok: false, summary: summary.join('; '), next: unclaimed.count > 0 ? RESTORE : READABLE };
  },
};

const READABLE = 'follow the advice of the checks `keys`, `sealed` and `streams`, then verify again';
