// How far the vault has seen the facts: one record in the vault that names the last event of the log, and when that was.
// It is what tells, after a restore, that the two stores are of different moments.
import { aggregates } from '../domain/all.js';
import type { Facts, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Vault, VaultRecord } from '../infrastructure/vault/vault.js';

/** The event that was the last of the log when the vault looked. */
export interface SeenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly position: Position;
}

/** What the vault has seen of the facts. */
export interface Watermark {
  /** Null where the log was empty. */
  readonly event: SeenEvent | null;
  /** ISO 8601 instant of the look. */
  readonly at: string;
}

/** The two stores that must be of one moment. */
export interface FactsAndVault {
  readonly facts: Facts;
  readonly vault: Vault;
}

/** The log no longer has an event that the vault has seen. */
export class FactsLost extends Error {
  constructor({ stream, revision, id }: SeenEvent) {
    super(
      `the log lacks an event that the vault has seen (${stream}, revision ${revision}, id ${id}): ` +
        'the facts are older than the vault, or another log. See `npm run cli -- verify`',
    );
    this.name = 'FactsLost';
  }
}

const KEY = { kind: 'watermark', key: 'facts' };

/** What the vault has seen of the facts; undefined where it never looked. */
export const watermarkOf = async (vault: Vault): Promise<Watermark | undefined> =>
  (await vault.get<Watermark>(KEY))?.value;

/** Whether the log has an event, at the place where the vault saw it. */
export const stillHas = async (facts: Facts, seen: SeenEvent): Promise<boolean> => {
  for await (const { id, position } of facts.readStream(seen.stream, seen.revision)) {
    return id === seen.id && position === seen.position;
  }
  return false;
};

/** The last event of the log after a position, in flat memory; undefined where there is none. Ends early when `signal` aborts. */
export const lastEventAfter = async (
  facts: Facts,
  after: Position | undefined,
  signal: AbortSignal,
): Promise<RecordedEvent | undefined> => {
  let last: RecordedEvent | undefined;
  for await (const { events, atEnd } of facts.subscribe({ aggregates, after }, signal)) {
    last = events.at(-1) ?? last;
    if (atEnd) break;
  }
  return last;
};

/**
 * Moves the watermark forward to the end of the log, or as far as it comes before `signal` aborts. Rejects with
 * `FactsLost`, and leaves it where it is, where the log has not what the vault has seen.
 */
export const moveWatermark = async ({ facts, vault }: FactsAndVault, signal: AbortSignal): Promise<void> => {
  const record = await vault.get<Watermark>(KEY);
  const seen = record?.value.event ?? null;
  if (seen !== null && !(await stillHas(facts, seen))) throw new FactsLost(seen);
  // Before the log is read: what is recorded meanwhile may be missed.
  const at = new Date().toISOString();
  const last = await lastEventAfter(facts, seen?.position, signal);
  await store(vault, record, { event: last === undefined ? seen : seenOf(last), at });
};

/** Puts the watermark at the end of the log as it is, whatever the vault has seen before. */
export const resetWatermark = async ({ facts, vault }: FactsAndVault): Promise<void> => {
  await vault.remove(KEY);
  await moveWatermark({ facts, vault }, new AbortController().signal);
};

const seenOf = ({ stream, revision, id, position }: RecordedEvent): SeenEvent => ({ stream, revision, id, position });

// Of several that look at once, one writes; what the others saw they see again at their next look.
const store = (vault: Vault, record: VaultRecord<Watermark> | undefined, value: Watermark): Promise<boolean> =>
  record === undefined ? vault.insert({ ...KEY, value }) : vault.replace({ ...KEY, value }, record.version);
