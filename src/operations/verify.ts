// The checks of the stores: whether they are intact and from the same moment.
import { isDamage, StreamTruncated } from '../infrastructure/errors.js';
import type { AllStores } from '../infrastructure/stores.js';
import { counted, summaryOf, type Tally } from '../infrastructure/tally.js';
import { TOOL } from '../infrastructure/tool.js';
import type { Checkpoint } from '../infrastructure/views/views.js';
import { foreignGenerations } from '../projections/foreign.js';
import { type Proof, prove } from '../transparency/prove.js';
import { type Survey, type SurveyedStores, surveyLog } from './survey.js';

export type VerifiedStores = SurveyedStores &
  Pick<AllStores, 'integrity' | 'contradiction'> & { readonly views: Pick<AllStores['views'], 'checkpoints'> };

/** The result of a check: `summary` is one line, `next` is what the operator should do about a fault. */
export type Result =
  | { readonly ok: true; readonly summary: string }
  | { readonly ok: false; readonly summary: string; readonly next: string };

/**
 * A check. It changes nothing, may run beside the service, and rejects if a store is unavailable. `survey` reads the
 * log; all checks of a run share its result.
 */
type Check = (stores: VerifiedStores, survey: () => Promise<Survey>) => Promise<Result>;

/** Runs all checks in order and yields their results. */
export async function* verify(stores: VerifiedStores): AsyncGenerator<Result & { readonly check: string }> {
  let reading: Promise<Survey> | undefined;
  const survey = () => {
    reading ??= surveyLog(stores);
    return reading;
  };
  for (const [check, run] of Object.entries(checks)) {
    yield { check, ...(await run(stores, survey).catch(unreadable)) };
  }
}

// A check that cannot read a stream must not prevent the other checks.
const unreadable = (error: unknown): Result => {
  if (error instanceof StreamTruncated) return faulty(error.message, 'repair the stream, then verify again');
  if (!isDamage(error)) throw error;
  return faulty(error.message, RESTORE_BOTH);
};

/** Returns the result of a check whose faults are in a tally. */
const judged = (faults: Tally, ok: string, fault: string, next: string): Result =>
  faults.count === 0 ? intact(ok) : faulty(`${fault}: ${faults.summary('; ')}`, next);

const intact = (summary: string): Result => ({ ok: true, summary });
const faulty = (summary: string, next: string): Result => ({ ok: false, summary, next });

const RESTORE_BOTH = 'stop the service and restore event store and vault from one backup';
const RESTORE_VAULT =
  'stop the service and restore the vault from the same moment as the event store; persons whose keys are in no copy read as erased';
const RESTORE_FACTS =
  'stop the service, restore the event store from a backup in which these events are intact, and rebuild the read model ' +
  '`users`; if there is no such backup, erase the person: until then, commands on the person are rejected';
const OLDER = 'the vault is older than the event store, or was lost';

/** All checks by name, starting with those that do not read the log. */
export const checks = {
  /** Checks that event log and vault belong together. Otherwise the service does not start. */
  pair: async ({ contradiction }) => {
    const reason = await contradiction();
    return reason === undefined ? intact('event log and vault belong together') : faulty(reason, RESTORE_BOTH);
  },

  /** Checks that no read model is ahead of the log. Otherwise the facts were restored to an older moment. */
  views: async ({ facts, views }) => {
    const { head, all, foreign } = await foreignGenerations(facts, views);
    if (all.every(({ position }) => position === undefined)) return intact('not built yet');
    if (foreign.length === 0) {
      return intact(`${counted(all.length, 'generation')} of read models, none beyond the end of the log`);
    }
    const names = [...new Set(foreign.map(({ projection }) => projection))];
    return faulty(
      `beyond the end of the log (${head ?? 'it is empty'}): ${foreign.map(generation).join(', ')}; the event store is older than the read models`,
      names.map((name) => `${TOOL} projections rebuild ${name}`).join('; '),
    );
  },

  /** Checks that the vault has a key for every person who has sealed fields in the log and was not erased. */
  keys: async (_, survey) => {
    const { persons, keyless } = (await survey()).users;
    if (keyless.count === 0) return intact(`${counted(persons, 'person')}; each has a key or was erased`);
    const summary = `${keyless.count} of ${persons} persons have no key and were not erased: ${keyless.summary()}`;
    return faulty(`${summary}; ${OLDER}`, RESTORE_VAULT);
  },

  /** Checks that the vault has the claims of every user's e-mail and document. Otherwise others could claim them. */
  claims: async (_, survey) => {
    const { claimants, unclaimed, unreadable } = (await survey()).users;
    const lacking = `${unclaimed.count} of ${claimants} users have no claim on their e-mail or document: ${unclaimed.summary()}; ${OLDER}`;
    const unchecked = `${unreadable.count} users could not be checked, because their streams cannot be read: ${unreadable.summary()}`;
    const found = [...(unclaimed.count > 0 ? [lacking] : []), ...(unreadable.count > 0 ? [unchecked] : [])];
    if (found.length === 0) return intact(`${counted(claimants, 'user')}, whose unique values are all claimed`);
    const checked = 'follow the advice of the checks `keys`, `sealed` and `streams`, then verify again';
    return faulty(found.join('; '), unclaimed.count > 0 ? RESTORE_VAULT : checked);
  },

  /** Checks that every personal field is sealed, and can be opened if the person has a key. */
  sealed: async (_, survey) => {
    const { personalEvents, faults } = (await survey()).log;
    const ok = `${counted(personalEvents, 'event')} with personal fields, none altered`;
    const fault = `${faults.sealed.count} of ${personalEvents} events with personal fields were altered`;
    return judged(faults.sealed, ok, fault, RESTORE_FACTS);
  },

  /** Checks that every event has a type of its aggregate, and the payload of its type. */
  events: async (_, survey) => {
    const { streams, faults } = (await survey()).log;
    const ok = `${counted(streams, 'stream')}, whose events all have a known shape`;
    const fault = `${counted(faults.events.count, 'event')} of a type or shape that this service does not record`;
    const next = `the log was changed, or another program writes to it: ${RESTORE_BOTH}`;
    return judged(faults.events, ok, fault, next);
  },

  /** Checks that revisions have no gaps, positions increase, times do not go back, and event ids are unique. */
  streams: async (_, survey) => {
    const { events, streams, ahead, faults } = (await survey()).log;
    const times = ahead.size === 0 ? '' : `; ahead of a clock when they were written: ${[...ahead].join(', ')}`;
    const ok = `${counted(events, 'event')} in ${counted(streams, 'stream')}${times}`;
    const fault = `${ok}; ${counted(faults.streams.count, 'fault')}`;
    return judged(faults.streams, ok, fault, `the log itself is damaged: ${RESTORE_BOTH}`);
  },

  /**
   * Checks that every event matches the signed log, that facts and vault are from the same moment, and that the files
   * of embedded stores are intact. The vault has the signed log, so this check also finds facts and a vault of
   * different services. It reads the log itself, because it must name the first event that differs even if a survey
   * cannot read the log.
   */
  'audit-log': async (stores) => {
    const proof = await prove(stores, { integrity: stores.integrity });
    const { faults } = proof;
    if (faults.length > 0) {
      return faulty(
        `${counted(faults.length, 'fault')}: ${summaryOf(faults, '; ')}`,
        'stop the service, keep a copy of the stores, and see "Was the log changed in the store?" in docs/audit-log.md; after a restore, see "Stores that are out of step" in docs/runbook.md',
      );
    }
    const late = lateIn(proof);
    if (late === undefined) return intact(compared(proof));
    return faulty(
      `${late}; the vault is older than the event store, or was lost, or no worker has run`,
      'if a worker was running, stop the service and restore event store and vault from one backup; if not, start a worker and verify again',
    );
  },
} satisfies Readonly<Record<string, Check>>;

const generation = ({ projection, number, position }: Checkpoint): string =>
  `${projection} (generation ${number}) at ${position}`;

export const compared = (proof: Proof): string =>
  proof.events === 0
    ? 'the log has no events'
    : `${signedIn(proof)}; ${counted(proof.checkpoints, 'checkpoint')} compared`;

const signedIn = ({ events, unsigned }: Proof): string => {
  if (unsigned > 0)
    return `${events - unsigned} of ${counted(events, 'event')} signed and matching, ${unsigned} not signed yet`;
  return events === 1 ? 'the only event is signed and matches' : `all ${events} events are signed and match`;
};

// A worker signs about once a second. A restart, or an outage of the vault, may take some minutes.
const LATE_MS = 15 * 60_000;

/** Returns what shows that events were not signed in time; undefined if nothing does. */
const lateIn = ({ signedAt, firstAt, lastAt, isHeld }: Proof): string | undefined => {
  // A restore holds the signing, and then erases users again.
  if (isHeld) return undefined;
  if (signedAt === undefined) {
    const isLate = firstAt !== undefined && Date.now() - Date.parse(firstAt) > LATE_MS;
    return isLate ? `nothing was ever signed, and the events begin at ${firstAt}` : undefined;
  }
  const isLate = lastAt !== undefined && Date.parse(lastAt) - Date.parse(signedAt) > LATE_MS;
  return isLate ? `the log was last signed at ${signedAt}, but its last event is from ${lastAt}` : undefined;
};
