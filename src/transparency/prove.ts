// The operator's check of the log. Builds the tree from the stored events and compares it with the tree in the vault
// and with every available checkpoint. docs/auditing.md explains what this proves.

import { aggregates } from '../domain/all.js';
import { isDamage } from '../infrastructure/errors.js';
import type { Facts, LogPage, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { type LogKeyStores, logKeys } from './keys.js';
import { LEAVES_AT_ONCE, leavesOf } from './leaf.js';
import type { Hash } from './merkle.js';
import { faultsOf } from './proof-faults.js';
import { RebuiltTree } from './rebuilt-tree.js';
import { LogRecords, newState } from './records.js';
import { type NamedCheckpoint, signedTrees } from './signed-trees.js';

/** The stores to compare. */
export interface ProveStores extends LogKeyStores {
  readonly sealedFacts: Pick<Facts, 'head' | 'readLog'>;
}

/** The options of a comparison. */
export interface ProveOptions {
  /** Checkpoints that were kept outside the vault. */
  readonly copies?: readonly NamedCheckpoint[];
  /** Returns the faults of the files of the stores. Default: the files are not examined. */
  readonly integrity?: () => Promise<readonly string[]>;
  readonly signal?: AbortSignal;
}

/** The result of a comparison. */
export interface Proof {
  readonly events: number;
  /** Events at the end that no checkpoint covers yet. */
  readonly unsigned: number;
  /** The number of compared checkpoints. */
  readonly checkpoints: number;
  /** The faults, most important first. */
  readonly faults: readonly string[];
}

/** Compares the log with the signed log. Changes nothing, and may run beside the service. */
export const prove = async (
  stores: ProveStores,
  { copies = [], integrity, signal }: ProveOptions = {},
): Promise<Proof> => {
  const damaged = (await integrity?.()) ?? [];
  const records = new LogRecords(stores.vault);
  // The order matters: later signatures cover more than the kept checkpoints and the trees of the keys, and the log has
  // at least the events of the tree.
  const kept = await records.kept();
  const keys = await logKeys(stores.vault);
  const state = (await records.state())?.value;
  const signed = await signedTrees(stores, { keys, state, kept, copies });
  const tree = new RebuiltTree(records, state ?? newState(1, ''), signed.trees);
  const unread = await rebuild(tree, eventsOf(stores.sealedFacts, signal));
  const found = await faultsOf({ tree, size: state?.size ?? 0, trees: signed.trees, unread });
  const unsigned = Math.max(0, tree.size - (state?.signed?.size ?? 0));
  const faults = [...found, ...signed.faults, ...damaged];
  return { events: tree.size, unsigned, checkpoints: signed.trees.length, faults };
};

/** Adds the events to the tree. Returns why the log could not be read to its end; undefined if it could. */
const rebuild = async (
  tree: RebuiltTree,
  batches: AsyncGenerator<readonly RecordedEvent[], string | undefined>,
): Promise<string | undefined> => {
  for (;;) {
    const { done, value } = await batches.next();
    if (done) {
      await tree.end();
      return value;
    }
    const hashes: Hash[] = [];
    for await (const { hash } of leavesOf(value)) hashes.push(hash);
    await tree.add(value, hashes);
  }
};

/** Yields the log up to its current end. Returns the reason if damage prevents reading further. */
async function* eventsOf(
  facts: ProveStores['sealedFacts'],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly RecordedEvent[], string | undefined> {
  try {
    const head = (await facts.head()) ?? '';
    const read = readerOf(facts);
    for (let after: Position | undefined, atEnd = head === ''; !atEnd; ) {
      signal?.throwIfAborted();
      const page = await read(after);
      yield page.events.filter(({ position }) => position <= head);
      after = page.position;
      atEnd = page.atEnd || (after ?? '') >= head;
    }
    return undefined;
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  }
}

/** Returns a reader of pages. After damage in a page, it reads one event at a time, up to the damaged event. */
const readerOf = (facts: ProveStores['sealedFacts']) => {
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
