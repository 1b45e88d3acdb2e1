// Whether the stores are of one moment and whole: every check, one after the other.
import { isDamage, StreamTruncated } from '../infrastructure/errors.js';
import type { Check, CheckedStoresOfPersons, Result } from './check.js';
import { logAsSigned } from './check-audit-log.js';
import { decisionsPossible } from './check-decisions.js';
import { claimsThere, personKeysThere } from './check-persons.js';
import { personalFieldsSealed } from './check-sealed.js';
import { streamsWhole } from './check-streams.js';
import { nothingTruncated } from './check-truncations.js';
import { factsNotOlder, vaultNotOlder } from './check-vault.js';
import { viewsNotAhead } from './check-views.js';
import { type Survey, surveyLog } from './survey.js';

/** Every check, those that do not read the whole log first. */
export const checks: readonly Check[] = [
  viewsNotAhead,
  nothingTruncated,
  factsNotOlder,
  vaultNotOlder,
  personKeysThere,
  claimsThere,
  personalFieldsSealed,
  decisionsPossible,
  streamsWhole,
  logAsSigned,
];

/** Runs every check, each after the one before it, and gives what it came to. */
export async function* verify(stores: CheckedStoresOfPersons): AsyncGenerator<Result & { readonly check: string }> {
  let reading: Promise<Survey> | undefined;
  const survey = () => {
    reading ??= surveyLog(stores);
    return reading;
  };
  for (const { name, run } of checks) yield { check: name, ...(await run(stores, survey).catch(unreadable)) };
}

// A check that cannot read a stream must not keep the others from looking.
const unreadable = (error: unknown): Result => {
  if (error instanceof StreamTruncated) {
    return { ok: false, said: error.message, next: 'make the stream whole, then verify again' };
  }
  if (!isDamage(error)) throw error;
  return { ok: false, said: error.message, next: 'stop the service and restore facts and vault of one moment' };
};
