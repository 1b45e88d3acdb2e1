// Finds facts and a vault of different moments, by what the vault noted of the facts (operations/watermark.ts).

import { aggregates } from '../domain/all.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Check, Result } from './check.js';
import { WATERMARK_EVERY_MS } from './upkeep.js';
import { type FactsAndVault, lastEventAfter, stillHas, watermarkOf } from './watermark.js';

// Two looks may fail, or wait in their queue, without anything being wrong with the stores.
const LATE_MS = 3 * WATERMARK_EVERY_MS;

const RESTORE =
  'stop the service and restore facts and vault of one moment; where there is no such backup, ' +
  '`npm run cli -- verify --accept` takes the facts as they are';

/** The log must hold what the vault has seen. */
export const factsNotOlder = {
  name: 'facts',
  run: async ({ facts, vault }: FactsAndVault) => {
    const watermark = await watermarkOf(vault);
    const seen = watermark?.event ?? null;
    if (seen === null) return { ok: true, said: 'the vault has not seen an event yet' };
    const { stream, revision, id } = seen;
    if (await stillHas(facts, seen)) {
      return { ok: true, said: `the log holds what the vault saw last: ${stream}, revision ${revision}` };
    }
    return {
      ok: false,
      said: `the log lacks what the vault saw at ${watermark?.at}: ${stream}, revision ${revision}, event ${id}; the facts are older than the vault, or another log`,
      next: RESTORE,
    };
  },
} satisfies Check;

/** The vault must have looked at the facts since they were last changed, but for the time between two looks. */
export const vaultNotOlder = {
  name: 'vault',
  run: async ({ facts, vault }: FactsAndVault) => {
    const watermark = await watermarkOf(vault);
    if (watermark === undefined) return neverLooked(await firstEvent(facts));
    const { event: seen, at } = watermark;
    if (seen !== null && !(await stillHas(facts, seen))) {
      return { ok: true, said: 'not comparable: it has seen other facts, see above' };
    }
    const newest = await lastEventAfter(facts, seen?.position, new AbortController().signal);
    if (newest === undefined || Date.parse(newest.metadata.at) - Date.parse(at) <= LATE_MS) {
      return { ok: true, said: `it looked at the facts at ${at}, and nothing much younger is recorded` };
    }
    return older(`it looked at the facts at ${at}, but the last event is of ${newest.metadata.at}`);
  },
} satisfies Check;

const neverLooked = (first: RecordedEvent | undefined): Result =>
  first === undefined || Date.now() - Date.parse(first.metadata.at) <= LATE_MS
    ? { ok: true, said: 'it has not looked at the facts yet, and they are new' }
    : older(`it never looked at the facts, which begin at ${first.metadata.at}`);

const older = (evidence: string): Result => ({
  ok: false,
  said: `${evidence}; the vault is older than the facts, or was lost, or no worker has been running`,
  next: `if workers were running, ${RESTORE}; if none was, start one and verify again`,
});

const firstEvent = async (facts: Facts): Promise<RecordedEvent | undefined> =>
  (await facts.readLog({ aggregates, after: undefined }, 1)).events[0];
