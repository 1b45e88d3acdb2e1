// The check of `verify` that compares the log with the signed log. The vault has the signed log, so this check also
// finds facts and a vault of different moments, or of different services.

import { firstOf } from '../infrastructure/tally.js';
import { type Proof, prove } from '../transparency/prove.js';
import type { Check } from './check.js';

/** Returns a one-line summary of a proof. */
export const compared = ({ events, unsigned, checkpoints }: Proof): string =>
  `${events} events, ${unsigned} of them not signed yet; ${checkpoints} checkpoints compared`;

// A worker signs about once a second. A restart, or an outage of the vault, may take some minutes.
const LATE_MS = 15 * 60_000;

/**
 * Checks that every event matches the signed log, that the vault is not older than the facts, and that the files of
 * embedded stores are intact. This check reads the log itself, because it must name the first event that differs even
 * if the survey cannot read the log.
 */
export const logAsSigned: Check = async (stores) => {
  const proof = await prove(stores, { integrity: stores.integrity });
  const { faults } = proof;
  if (faults.length > 0) {
    return {
      ok: false,
      summary: `${faults.length} faults: ${firstOf(faults, '; ')}`,
      next: 'stop the service, keep a copy of the stores, and see "Was the log changed in the store?" in docs/auditing.md; after a restore, see "Stores of different moments" in docs/runbook.md',
    };
  }
  const late = lateIn(proof);
  if (late === undefined) return { ok: true, summary: compared(proof) };
  return {
    ok: false,
    summary: `${late}; the vault is older than the facts, or was lost, or no worker has run`,
    next: 'if a worker was running, stop the service and restore facts and vault from one backup; if not, start a worker and verify again',
  };
};

/** Returns what shows that events were not signed in time; undefined if nothing does. */
const lateIn = ({ signedAt, firstAt, lastAt }: Proof): string | undefined => {
  if (signedAt === undefined) {
    const isLate = firstAt !== undefined && Date.now() - Date.parse(firstAt) > LATE_MS;
    return isLate ? `nothing was ever signed, and the events begin at ${firstAt}` : undefined;
  }
  const isLate = lastAt !== undefined && Date.parse(lastAt) - Date.parse(signedAt) > LATE_MS;
  return isLate ? `the log was last signed at ${signedAt}, but its last event is from ${lastAt}` : undefined;
};
