// Adds the log to the tree and signs checkpoints. Any number of workers may do this concurrently and may be killed at
// any point: full tiles are stored first, and then one compare-and-set of the state stores the tree with its
// checkpoint. The keys are bound to the checkpoint last, so they are never ahead of the state.

import { aggregates } from '../domain/all.js';
import { logPages, type Position } from '../infrastructure/facts/facts.js';
import type { VaultRecord } from '../infrastructure/vault/vault.js';
import { LogFault } from './faults.js';
import {
  bindTree,
  boundSize,
  boundTrees,
  type LogKey,
  type LogStores,
  logKeys,
  makeFirstKey,
  openKeys,
  verifiedCheckpoint,
  vouchedKeys,
} from './keys.js';
import { leavesOf } from './leaf.js';
import { rootHash, type Tree } from './merkle.js';
import { checkpointText, noteOf, signatureLine } from './note.js';
import { edgeOf, type LogRecords, type LogState, newState, storedEdge } from './records.js';
import { grown, hashesFrom, type Leaf } from './tiles.js';

// The number of events that a step reads before it stores the state.
const EVENTS_PER_STEP = 2_048;
// SQLite reuses the positions of removed events, so a log of the same length may be another log.
const REREAD_MS = 60_000;

export class LogGrower {
  readonly #stores: LogStores;
  readonly #records: LogRecords;
  readonly #origin: string;
  /** The last read: the generation of its log, the position that it reached, and its time in epoch milliseconds. */
  #lastRead = { generation: 0, position: '', at: Number.NEGATIVE_INFINITY };

  /** `origin` is the origin of the first log if none has started yet. */
  constructor(stores: LogStores, records: LogRecords, origin: string) {
    this.#stores = stores;
    this.#records = records;
    this.#origin = origin;
  }

  /**
   * Adds up to some thousand new events to the tree, and signs a checkpoint if it reaches the end of the log. Returns
   * whether it does. Rejects with `LogFault` if the log differs from the tree.
   */
  async step(): Promise<boolean> {
    // Read before the state: a key is bound to a tree after the state with the tree is stored.
    const allKeys = await logKeys(this.#stores.vault);
    const record = await this.#records.record();
    const state = record?.value ?? newState(1, this.#origin);
    if (state.held !== null) throw new LogFault('held');
    const keys = allKeys.filter(({ origin }) => origin === state.origin);
    const known = keys.length > 0 ? keys : allKeys;
    if ((await vouchedKeys(this.#stores, known)).length < known.length) throw new LogFault('log-lost');
    if (keys.length === 0 && mayBeNamed(record, allKeys)) {
      await makeFirstKey(this.#stores, state.origin);
      return this.step();
    }
    mustHaveSigned(state, keys);
    return (await this.#mustRead(state)) || isDue(state, keys) ? this.#grow(record, state, keys) : true;
  }

  async #mustRead({ generation, position }: LogState): Promise<boolean> {
    const [head, covered] = [(await this.#stores.sealedFacts.head()) ?? '', position ?? ''];
    if (head < covered) await this.#stores.judge?.();
    if (head < covered) throw new LogFault('log-cut');
    const last = this.#lastRead;
    const isLonger = head > covered && (last.generation !== generation || head > last.position);
    return isLonger || performance.now() - last.at > REREAD_MS;
  }

  async #grow(record: VaultRecord<LogState> | undefined, state: LogState, keys: readonly LogKey[]): Promise<boolean> {
    const { generation } = state;
    const { leaves, examined, isAtEnd } = await this.#read(state);
    const { edge, full } = grown(edgeOf(state), newLeaves(state, leaves));
    const next = edge.size === state.size ? state : { ...state, ...storedEdge(edge) };
    // Stored together, so that the tiles share an fsync: fsyncs of the vault delay fsyncs of the facts.
    const added = await Promise.all(full.map((tile) => this.#records.addTile(generation, tile)));
    if (added.includes(false)) throw new LogFault('log-replaced');
    const signs = isAtEnd && isDue(next, keys);
    const stored = signs ? await this.#signed(next, keys) : next;
    if (stored !== state && !(await this.#records.store(record, stored))) return false;
    this.#lastRead = { generation, position: examined ?? '', at: performance.now() };
    if (signs) await this.#bind(stored, signingKeys(keys));
    return isAtEnd;
  }

  /**
   * Reads the last tile again with the events after it, so that the tree grows only from leaves that the log still has.
   */
  async #read({ tileAfter }: LogState) {
    const leaves: Leaf[] = [];
    let [examined, isAtEnd]: [Position | undefined, boolean] = [tileAfter ?? undefined, false];
    for await (const page of logPages(this.#stores.sealedFacts, { aggregates, after: examined })) {
      for await (const { hash, position } of leavesOf(page.events)) leaves.push({ hash, position });
      [examined, isAtEnd] = [page.position, page.atEnd];
      if (leaves.length >= EVENTS_PER_STEP) break;
    }
    // The tree must not be compared with another log, nor grow from it.
    await this.#stores.judge?.();
    return { leaves, examined, isAtEnd };
  }

  /** Signs the tree of a state, if it continues every tree that was signed before. */
  async #signed(state: LogState, keys: readonly LogKey[]): Promise<LogState> {
    const hashes = hashesFrom(async (place) => {
      const stored = await this.#records.hashes(state, place);
      if (stored === undefined) throw new LogFault('tree-altered');
      return stored;
    });
    for (const { size, root } of treesBefore(state, keys)) {
      if (size > state.size || !(await rootHash(size, hashes)).equals(root)) throw new LogFault('tree-altered');
    }
    const { origin, size } = state;
    const text = checkpointText({ origin, size, root: await rootHash(size, hashes) });
    const signers = await openKeys(this.#stores, keys);
    const lines = signers.map((privateKey) => signatureLine(text, origin, privateKey));
    const signed = { size, note: noteOf(text, lines), cosignatures: [], at: new Date().toISOString() };
    return { ...state, signed, cosigned: state.signed?.cosignatures.length ? state.signed : state.cosigned };
  }

  // All signers have signed the stored checkpoint, so all but the newest have signed for the last time and retire.
  async #bind({ generation, signed }: LogState, signers: readonly LogKey[]): Promise<void> {
    const tree = signed && verifiedCheckpoint(signed.note, signers);
    if (!signed || !tree) throw new LogFault('checkpoint-altered');
    if (signers.length > 1) await this.#records.keep(generation, signed.at, signed);
    await bindTree(this.#stores, signers, tree);
  }
}

/** Returns whether no log has started: an operator may still give it another name, with another key. */
const mayBeNamed = (record: VaultRecord<LogState> | undefined, keys: readonly LogKey[]): boolean =>
  keys.length === 0 || (record === undefined && boundSize(keys) === 0);

/** Throws `LogFault` unless a state has everything that its keys have signed. */
const mustHaveSigned = ({ size, signed }: LogState, keys: readonly LogKey[]): void => {
  const signedSize = signed?.size ?? 0;
  if (signingKeys(keys).length === 0 || signedSize > size || boundSize(keys) > signedSize)
    throw new LogFault('log-lost');
};

/** Returns the leaves that the tree does not have. Throws `LogFault` unless `leaves` begin with the tree's last tile. */
const newLeaves = (state: LogState, leaves: readonly Leaf[]): readonly Leaf[] => {
  const [known = []] = edgeOf(state).levels;
  const isUnchanged = known.every((hash, at) => leaves[at]?.hash.equals(hash));
  if (!isUnchanged || (leaves[known.length - 1]?.position ?? null) !== state.position)
    throw new LogFault('log-replaced');
  return leaves.slice(known.length);
};

/** Returns the trees that the next signed tree must continue. Throws `LogFault` if the last checkpoint is invalid. */
const treesBefore = ({ signed }: LogState, keys: readonly LogKey[]): readonly Tree[] => {
  if (signed === null) return [];
  const last = verifiedCheckpoint(signed.note, keys);
  if (last?.size !== signed.size) throw new LogFault('checkpoint-altered');
  return [last, ...boundTrees(keys)];
};

const signingKeys = (keys: readonly LogKey[]): readonly LogKey[] => keys.filter(({ sealed }) => sealed !== null);

// A checkpoint is due if events are not covered, or if an older key must hand over to a newer key.
const isDue = ({ size, signed }: LogState, keys: readonly LogKey[]): boolean =>
  size > (signed?.size ?? 0) || (size > 0 && signingKeys(keys).length > 1);
