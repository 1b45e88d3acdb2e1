// Finds a vault that lacks what it must hold of persons: it was lost, or is older than the facts.
import type { Check } from './check.js';

const RESTORE =
  'stop the service and restore the vault of the moment of the facts; what no copy of the vault has reads as erased';
const OLDER = 'the vault is older than the facts, or was lost';

/** Whoever has something sealed in the log, and was not erased, must have a key in the vault. */
export const personKeysThere: Check = {
  name: 'keys',
  run: async (_, survey) => {
    const { persons, keyless } = await survey();
    if (keyless.count === 0) return { ok: true, said: `${persons} persons, who have their keys or were erased` };
    const said = `${keyless.count} of ${persons} persons have no key and were not erased: ${keyless.firstOf()}; ${OLDER}`;
    return { ok: false, said, next: RESTORE };
  },
};

/** Whoever has an e-mail or a document in the log must have the claims of them; else another could take these, too. */
export const claimsThere: Check = {
  name: 'claims',
  run: async (_, survey) => {
    const { claimants, unclaimed, unreadable } = await survey();
    const lacking = `${unclaimed.count} of ${claimants} users lack the claim of their e-mail or document: ${unclaimed.firstOf()}; ${OLDER}`;
    const unchecked = `${unreadable.count} users could not be checked, because their streams cannot be read: ${unreadable.firstOf()}`;
    const said = [...(unclaimed.count > 0 ? [lacking] : []), ...(unreadable.count > 0 ? [unchecked] : [])];
    if (said.length === 0) return { ok: true, said: `${claimants} users, whose unique values are all claimed` };
    return { ok: false, said: said.join('; '), next: unclaimed.count > 0 ? RESTORE : READABLE };
  },
};

const READABLE = 'do what the checks `keys`, `sealed` and `streams` say, then verify again';
