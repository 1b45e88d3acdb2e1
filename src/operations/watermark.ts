// The watermark: a record in the vault that names the last event of the log at a certain time. After a restore, the
// watermark shows whether facts and vault are from different moments.
import { aggregates } from '../domain/all.js';
import { type Facts, logPages, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Vault, VaultRecord } from '../infrastructure/vault/vault.js';

/** The last event of the log when the watermark was updated. */
export interface SeenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly position: Position;
}

/** The watermark. */
export interface Watermark {
  /** Null if the log was empty. */
  readonly event: SeenEvent | null;
  /** When the watermark was updated, as an ISO 8601 timestamp. */
  readonly at: string;
}

/** The two stores that must be from the same moment. */
export interface FactsAndVault {
  readonly facts: Facts;
  readonly vault: Vault;
}

/** Signals that the log no longer contains an event that the vault has seen. */
export class FactsLost extends Error {
  constructor({ stream, revision, id }: SeenEvent) {
    super(
      `the log does not contain an event that the vault has seen (${stream}, revision ${revision}, id ${id}): ` +
        'the facts are older than the vault, or belong to another service. Run `npm run cli -- verify`',
    );
    this.name = 'FactsLost';
  }
}

const KEY = { kind: 'watermark', key: 'facts' };

/** Returns the watermark; undefined if it was never written. */
export const watermarkOf = async (vault: Vault): Promise<Watermark | undefined> =>
  (await vault.get<Watermark>(KEY))?.value;

/** Returns whether the log still contains an event at the same revision and position. */
export const stillHas = async (facts: Facts, seen: SeenEvent): Promise<boolean> => {
  for await (const { id, position } of facts.readStream(seen.stream, seen.revision)) {
    return id === seen.id && position === seen.position;
  }
  return false;
};

/**
 * Returns the last event of the log after a position, in constant memory; undefined if there is none. Stops early when
 * `signal` aborts.
 */
export const lastEventAfter = async (
  facts: Facts,
  after: Position | undefined,
  signal: AbortSignal,
): Promise<RecordedEvent | undefined> => {
  let last: RecordedEvent | undefined;
  for await (const { events } of logPages(facts, { aggregates, after })) {
    last = events.at(-1) ?? last;
    if (signal.aborted) break;
  }
  return last;
};

/**
 * Moves the watermark to the end of the log, or as far as possible before `signal` aborts. Rejects with `FactsLost`,
 * and leaves the watermark unchanged, if the log does not contain the event of the watermark.
 */
export const moveWatermark = async ({ facts, vault }: FactsAndVault, signal: AbortSignal): Promise<void> => {
  const record = await vault.get<Watermark>(KEY);
  const seen = record?.value.event ?? null;
  if (seen !== null && !(await stillHas(facts, seen))) throw new FactsLost(seen);
  // Taken before the log is read, because later events may be missed.
  const at = new Date().toISOString();
  const last = await lastEventAfter(facts, seen?.position, signal);
  await store(vault, record, { event: last === undefined ? seen : seenOf(last), at });
};

/** Sets the watermark to the current end of the log, regardless of its previous value. */
export const resetWatermark = async ({ facts, vault }: FactsAndVault): Promise<void> => {
  await vault.remove(KEY);
  await moveWatermark({ facts, vault }, new AbortController().signal);
};

const seenOf = ({ stream, revision, id, position }: RecordedEvent): SeenEvent => ({ stream, revision, id, position });

// Only one of several concurrent updates is stored. The others take effect with their next update.
const store = async (vault: Vault, record: VaultRecord<Watermark> | undefined, value: Watermark) => {
  if (record !== undefined) return vault.replace({ ...KEY, value }, record.version);
  return (await vault.insert({ ...KEY, value })) !== undefined;
};
