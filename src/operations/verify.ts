// Runs every check of the stores: whether they are intact and from the same moment.
import { isDamage, StreamTruncated } from '../infrastructure/errors.js';
import type { CheckedStores, Result } from './check.js';
import { logAsSigned } from './check-audit-log.js';
import { viewsNotAhead } from './check-views.js';
import { type Survey, surveyLog } from './survey.js';

const RESTORE_BOTH = 'stop the service and restore facts and vault from one backup';
const RESTORE_VAULT =
  'stop the service and restore the vault from the same moment as the facts; persons whose keys are in no copy read as erased';
const RESTORE_FACTS =
  'stop the service, restore the facts from a backup in which these events are intact, and rebuild the read model ' +
  '`users`; if there is no such backup, erase the person: until then, commands on the person are rejected';
const READABLE = 'follow the advice of the checks `keys`, `sealed` and `streams`, then verify again';
const OLDER = 'the vault is older than the facts, or was lost';

/** The checks of what a survey of the log has found, by name. */
export const surveyChecks = {
  /** Checks that the vault has a key for every person who has sealed fields in the log and was not erased. */
  keys: ({ users: { persons, keyless } }) => {
    if (keyless.count === 0) return intact(`${persons} persons, all of whom have a key or were erased`);
    const summary = `${keyless.count} of ${persons} persons have no key and were not erased: ${keyless.firstOf()}`;
    return faulty(`${summary}; ${OLDER}`, RESTORE_VAULT);
  },
  /** Checks that the vault has the claims of every user's e-mail and document. Others could claim them otherwise. */
  claims: ({ users: { claimants, unclaimed, unreadable } }) => {
    const lacking = `${unclaimed.count} of ${claimants} users have no claim on their e-mail or document: ${unclaimed.firstOf()}; ${OLDER}`;
    const unchecked = `${unreadable.count} users could not be checked, because their streams cannot be read: ${unreadable.firstOf()}`;
    const found = [...(unclaimed.count > 0 ? [lacking] : []), ...(unreadable.count > 0 ? [unchecked] : [])];
    if (found.length === 0) return intact(`${claimants} users, whose unique values are all claimed`);
    return faulty(found.join('; '), unclaimed.count > 0 ? RESTORE_VAULT : READABLE);
  },
  /** Checks that every personal field is sealed, and can be opened if the person has a key. */
  sealed: ({ log: { personalEvents, faults } }) => {
    const { count } = faults.sealed;
    if (count === 0) return intact(`${personalEvents} events with personal fields, none altered`);
    const summary = `${count} of ${personalEvents} events with personal fields were altered`;
    return faulty(`${summary}: ${faults.sealed.firstOf('; ')}`, RESTORE_FACTS);
  },
  /** Checks that every event has a type of its aggregate, and the payload of its type. */
  events: ({ log: { streams, faults } }) => {
    const { count } = faults.events;
    if (count === 0) return intact(`${streams} streams, whose events all have a known shape`);
    const summary = `${count} events of a type or shape that this service does not record`;
    const next = `the log was changed, or another program writes to it: ${RESTORE_BOTH}`;
    return faulty(`${summary}: ${faults.events.firstOf('; ')}`, next);
  },
  /** Checks that revisions have no gaps, positions increase, times do not go back, and event ids are unique. */
  streams: ({ log: { events, streams, faults } }) => {
    const { count } = faults.streams;
    const summary = `${events} events in ${streams} streams`;
    if (count === 0) return intact(summary);
    const next = `the log itself is damaged: ${RESTORE_BOTH}`;
    return faulty(`${summary}; ${count} faults: ${faults.streams.firstOf('; ')}`, next);
  },
} satisfies Readonly<Record<string, (survey: Survey) => Result>>;

const intact = (summary: string): Result => ({ ok: true, summary });
const faulty = (summary: string, next: string): Result => ({ ok: false, summary, next });

/** Runs all checks in order and yields their results, starting with the check that does not read the log. */
export async function* verify(stores: CheckedStores): AsyncGenerator<Result & { readonly check: string }> {
  yield { check: 'views', ...(await viewsNotAhead(stores).catch(unreadable)) };
  const survey = surveyLog(stores);
  for (const [check, resultOf] of Object.entries(surveyChecks)) {
    yield { check, ...(await survey.then(resultOf).catch(unreadable)) };
  }
  yield { check: 'audit-log', ...(await logAsSigned(stores).catch(unreadable)) };
}

// A check that cannot read a stream must not prevent the other checks.
const unreadable = (error: unknown): Result => {
  if (error instanceof StreamTruncated) return faulty(error.message, 'repair the stream, then verify again');
  if (!isDamage(error)) throw error;
  return faulty(error.message, RESTORE_BOTH);
};
