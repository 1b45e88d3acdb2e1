// Runs every check of the stores: whether they are intact and from the same moment.
import { isDamage, StreamTruncated } from '../infrastructure/errors.js';
import type { Check, CheckedStoresOfPersons, Result } from './check.js';
import { logAsSigned } from './check-audit-log.js';
import { eventsKnown } from './check-events.js';
import { claimsThere, personKeysThere } from './check-persons.js';
import { personalFieldsSealed } from './check-sealed.js';
import { streamsWhole } from './check-streams.js';
import { viewsNotAhead } from './check-views.js';
import { type Survey, surveyLog } from './survey.js';

/** All checks, starting with the checks that do not read the whole log. */
export const checks: readonly Check[] = [
  viewsNotAhead,
  personKeysThere,
  claimsThere,
  personalFieldsSealed,
  eventsKnown,
  streamsWhole,
  logAsSigned,
];

/** Runs all checks in order and yields their results. */
export async function* verify(stores: CheckedStoresOfPersons): AsyncGenerator<Result & { readonly check: string }> {
  let reading: Promise<Survey> | undefined;
  const survey = () => {
    reading ??= surveyLog(stores);
    return reading;
  };
  for (const { name, run } of checks) yield { check: name, ...(await run(stores, survey).catch(unreadable)) };
}

// A check that cannot read a stream must not prevent the other checks.
const unreadable = (error: unknown): Result => {
  if (error instanceof StreamTruncated) {
    return { ok: false, summary: error.message, next: 'repair the stream, then verify again' };
  }
  if (!isDamage(error)) throw error;
  return { ok: false, summary: error.message, next: 'stop the service and restore facts and vault from one backup' };
};
