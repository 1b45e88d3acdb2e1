// The operator's check of the log: builds the tree from the stored events, and compares it with the tree in the vault and
// with every checkpoint at hand. docs/auditing.md says what that proves.

import { aggregates } from '../domain/all.js';
import { isDamage } from '../infrastructure/errors.js';
import type { Facts, LogPage, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { LogKeyStores } from './keys.js';
import { LeafHashes } from './leaf-hashes.js';
import { faultsOf } from './proof-faults.js';
import { RebuiltTree } from './rebuilt-tree.js';
import { LogRecords, newState } from './records.js';
import { type NamedCheckpoint, signedTrees } from './signed-trees.js';

/** What is compared. */
export interface ProveStores extends LogKeyStores {
  readonly sealedFacts: Pick<Facts, 'head' | 'readLog'>;
  /** Returns the faults of the files of facts and vault; an empty list for engines that are not embedded. */
  readonly integrity: () => Promise<readonly string[]>;
}

/** How it is compared. */
export interface ProveOptions {
  /** Checkpoints that were kept outside of the vault. */
  readonly copies?: readonly NamedCheckpoint[];
  /** Hashes the leaves; by default a thread that ends with the call. */
  readonly hashes?: Pick<LeafHashes, 'of'>;
  readonly signal?: AbortSignal;
}

/** What was found. */
export interface Proof {
  readonly events: number;
  /** Events at the end that no checkpoint covers yet. */
  readonly unsigned: number;
  /** How many checkpoints were compared. */
  readonly checkpoints: number;
  /** The faults, the most important first. */
  readonly faults: readonly string[];
}

const NO_STATE = 'the vault has no record of the tree, although a log was signed';
const READ_AT_ONCE = 1_024;

/** Compares the log with what was signed. Changes nothing, and may run beside the service. */
export const prove = async (
  stores: ProveStores,
  { copies = [], hashes, signal }: ProveOptions = {},
): Promise<Proof> => {
  const damaged = await stores.integrity();
  const records = new LogRecords(stores.vault);
  // In this order: what is signed meanwhile covers more than the kept checkpoints, and the log has more than the tree.
  const kept = await records.kept();
  const state = (await records.state())?.value;
  const signed = await signedTrees(stores, { state, kept, copies });
  const tree = new RebuiltTree(records, state ?? newState(1, ''), signed.trees);
  const own = new LeafHashes();
  try {
    const unread = await rebuild(tree, eventsOf(stores.sealedFacts, signal), hashes ?? own);
    const found = await faultsOf({ tree, size: state?.size ?? 0, trees: signed.trees, unread });
    const unsigned = Math.max(0, tree.size - (state?.signed?.size ?? 0));
    // A key alone proves nothing: the first key is made before the first checkpoint.
    const isLost = state === undefined && kept.length + copies.length > 0;
    const faults = [...(isLost ? [NO_STATE] : []), ...found, ...signed.faults, ...damaged];
    return { events: tree.size, unsigned, checkpoints: signed.trees.length, faults };
  } finally {
    await own.close();
  }
};

/** Adds the events to the tree. Returns why the log could not be read to its end; undefined if it could. */
const rebuild = async (
  tree: RebuiltTree,
  stretches: AsyncGenerator<readonly RecordedEvent[], string | undefined>,
  hashes: Pick<LeafHashes, 'of'>,
): Promise<string | undefined> => {
  for (;;) {
    const { done, value } = await stretches.next();
    if (done) {
      await tree.end();
      return value;
    }
    await tree.add(value, await hashes.of(value));
  }
};

/** Reads the log to its present end. Returns why it cannot be read any further if it is damaged. */
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

/** Returns what reads pages. Once a page cannot be read, it reads one event at a time, up to the damage. */
const readerOf = (facts: ProveStores['sealedFacts']) => {
  let limit = READ_AT_ONCE;
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
