// The operator's check of the log. Builds the tree from the stored events and compares it with the tree in the vault
// and with every available checkpoint. docs/auditing.md explains what this proves.

import { aggregates } from '../domain/all.js';
import { isDamage } from '../infrastructure/errors.js';
import type { LogPage, Position } from '../infrastructure/facts/facts.js';
import { Comparison } from './comparison.js';
import type { LogStores } from './keys.js';
import { LEAVES_AT_ONCE, leavesOf } from './leaf.js';
import { LogRecords, newState } from './records.js';
import { type NamedCheckpoint, signedTrees } from './signed-trees.js';

export interface ProveOptions {
  /** Checkpoints that were kept outside the vault. */
  readonly copies?: readonly NamedCheckpoint[];
  /** Returns the faults of the files of the stores. Default: the files are not examined. */
  readonly integrity?: () => Promise<readonly string[]>;
  readonly signal?: AbortSignal;
}

export interface Proof {
  readonly events: number;
  /** Events at the end that no checkpoint covers yet. */
  readonly unsigned: number;
  readonly checkpoints: number;
  /** When the newest checkpoint was signed; undefined if none was. An ISO 8601 timestamp, as the next two. */
  readonly signedAt: string | undefined;
  /** The times of the first and of the last event; undefined if the log is empty. */
  readonly firstAt: string | undefined;
  readonly lastAt: string | undefined;
  /** The faults, most important first. */
  readonly faults: readonly string[];
}

/** Compares the log with the signed log. Changes nothing, and may run beside the service. */
export const prove = async (
  stores: LogStores,
  { copies = [], integrity, signal }: ProveOptions = {},
): Promise<Proof> => {
  const damaged = (await integrity?.()) ?? [];
  const records = new LogRecords(stores.vault);
  // Before the log, which then has at least the events of the trees.
  const { state, trees, faults: invalid } = await signedTrees(stores, records, copies);
  const comparison = new Comparison(records, state ?? newState(1, ''), trees);
  const unread = await addAll(comparison, stores.sealedFacts, signal).then(() => undefined, damageIn);
  const unsigned = Math.max(0, comparison.size - (state?.signed?.size ?? 0));
  const faults = [...comparison.faults(unread), ...invalid, ...damaged];
  const signedAt = state?.signed?.at;
  return { events: comparison.size, unsigned, checkpoints: trees.length, signedAt, ...comparison.times, faults };
};

/** Adds the log up to its current end. */
const addAll = async (
  comparison: Comparison,
  facts: LogStores['sealedFacts'],
  signal: AbortSignal | undefined,
): Promise<void> => {
  const head = (await facts.head()) ?? '';
  const read = readerOf(facts);
  for (let after: Position | undefined, atEnd = head === ''; !atEnd; ) {
    signal?.throwIfAborted();
    const page = await read(after);
    const events = page.events.filter(({ position }) => position <= head);
    for await (const { event, hash } of leavesOf(events)) await comparison.add(event, hash);
    after = page.position;
    atEnd = page.atEnd || (after ?? '') >= head;
  }
};

/** Returns why damage prevents reading further. Throws any other error. */
const damageIn = (error: unknown): string => {
  if (isDamage(error)) return error.message;
  throw error;
};

/** Returns a reader of pages. After damage in a page, it reads one event at a time, up to the damaged event. */
const readerOf = (facts: LogStores['sealedFacts']) => {
  let limit = LEAVES_AT_ONCE;
  return async (after: Position | undefined): Promise<LogPage> => {
    try {
      return await facts.readLog({ aggregates, after }, limit);
    } catch (error) {
      if (!isDamage(error)) throw error;
      limit = 1;
      return facts.readLog({ aggregates, after }, limit);
    }
  };
};
