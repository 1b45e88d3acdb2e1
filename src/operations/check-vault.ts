// Finds facts and a vault of different moments, with the watermark in the vault (operations/watermark.ts).

import { aggregates } from '../domain/all.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Check, Result } from './check.js';
import { WATERMARK_INTERVAL_MS } from './upkeep.js';
import { type FactsAndVault, lastEventAfter, stillHas, watermarkOf } from './watermark.js';

// Two updates of the watermark may fail or be delayed while the stores are healthy.
const LATE_MS = 3 * WATERMARK_INTERVAL_MS;

const RESTORE =
  'stop the service and restore facts and vault from one backup; if there is no such backup, ' +
  '`npm run cli -- verify --accept` accepts the facts as they are';

/** Checks that the log contains the last event that the vault has seen. */
export const factsNotOlder = {
  name: 'facts',
  run: async ({ facts, vault }: FactsAndVault) => {
    const watermark = await watermarkOf(vault);
    const seen = watermark?.event ?? null;
    if (seen === null) return { ok: true, summary: 'the vault has not seen an event yet' };
    const { stream, revision, id } = seen;
    if (await stillHas(facts, seen)) {
      return {
        ok: true,
        summary: `the log contains the last event that the vault has seen: ${stream}, revision ${revision}`,
      };
    }
    return {
      ok: false,
      summary: `the log does not contain the event that the vault saw at ${watermark?.at}: ${stream}, revision ${revision}, event ${id}; the facts are older than the vault, or belong to another service`,
      next: RESTORE,
    };
  },
} satisfies Check;

/** Checks that the watermark was updated after the last event, with a tolerance for the interval between updates. */
export const vaultNotOlder = {
  name: 'vault',
  run: async ({ facts, vault }: FactsAndVault) => {
    const watermark = await watermarkOf(vault);
    if (watermark === undefined) return neverSeen(await firstEvent(facts));
    const { event: seen, at } = watermark;
    if (seen !== null && !(await stillHas(facts, seen))) {
      return { ok: true, summary: 'not comparable, because the vault has seen other facts: see the check `facts`' };
    }
    const newest = await lastEventAfter(facts, seen?.position, new AbortController().signal);
    if (newest === undefined || Date.parse(newest.metadata.at) - Date.parse(at) <= LATE_MS) {
      return { ok: true, summary: `the vault last saw the facts at ${at}, and no event is much newer` };
    }
    return older(`the vault last saw the facts at ${at}, but the last event is from ${newest.metadata.at}`);
  },
} satisfies Check;

const neverSeen = (first: RecordedEvent | undefined): Result =>
  first === undefined || Date.now() - Date.parse(first.metadata.at) <= LATE_MS
    ? { ok: true, summary: 'the vault has not seen the facts yet, and they are new' }
    : older(`the vault has never seen the facts, which begin at ${first.metadata.at}`);

const older = (evidence: string): Result => ({
  ok: false,
  summary: `${evidence}; the vault is older than the facts, or was lost, or no worker has been running`,
  next: `if a worker was running, ${RESTORE}; if not, start a worker and verify again`,
});

const firstEvent = async (facts: Facts): Promise<RecordedEvent | undefined> =>
  (await facts.readLog({ aggregates, after: undefined }, 1)).events[0];
