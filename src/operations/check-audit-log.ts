// The check of `verify` that compares the log with the signed log.

import { firstOf } from '../infrastructure/tally.js';
import { type Proof, prove } from '../transparency/prove.js';
import type { Check } from './check.js';

/** Returns a one-line summary of a proof. */
export const compared = ({ events, unsigned, checkpoints }: Proof): string =>
  `${events} events, ${unsigned} of them not signed yet; ${checkpoints} checkpoints compared`;

/**
 * Checks that every event matches the signed log, and that the files of embedded stores are intact. This check reads
 * the log itself, because it must name the first event that differs even if the survey cannot read the log.
 */
export const logAsSigned: Check = {
  name: 'audit-log',
  run: async (stores) => {
    const proof = await prove(stores, { integrity: stores.integrity });
    const { faults } = proof;
    if (faults.length === 0) return { ok: true, summary: compared(proof) };
    return {
      ok: false,
      summary: `${faults.length} faults: ${firstOf(faults, '; ')}`,
      next: 'stop the service, keep a copy of the stores, and see "Was the log changed in the store?" in docs/auditing.md',
    };
  },
};
