// Grows the tree with the log and signs checkpoints of it. Any number of workers may do this at once, and may be killed at
// any point: full tiles are stored first, and one compare-and-set of the state then stores the tree with its checkpoint.

import { aggregates } from '../domain/all.js';
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Vault, VaultRecord } from '../infrastructure/vault/vault.js';
import {
  keysOf,
  type LogKey,
  type LogKeyStores,
  makeFirstKey,
  openKeys,
  retireOlderKeys,
  vouchedKeys,
} from './keys.js';
import type { Leaf, LeafHashes } from './leaf-hashes.js';
import { LogFault } from './log-fault.js';
import type { HashSource } from './merkle.js';
import {
  edgeOf,
  type LogRecords,
  type LogState,
  lastTileOf,
  newState,
  type PlacedTile,
  storedEdge,
} from './records.js';
import { signedNote, treeAfter } from './signing.js';
import { type Edge, grown, hashesFrom, TILE_WIDTH, type Tile } from './tiles.js';

/** What the tree grows from. */
export interface GrowerStores extends LogKeyStores {
  readonly sealedFacts: Pick<Facts, 'head' | 'readLog' | 'threadReader'>;
  readonly vault: Vault;
}

/** What one step of growing came to. */
export interface Step {
  /** Whether the tree has every event that the log had. */
  readonly isAtEnd: boolean;
  /** Whether a checkpoint was signed. */
  readonly hasSigned: boolean;
}

// So many events are added between two stores of the state.
const EVENTS_PER_STEP = 4_096;
// SQLite gives the positions of removed events to new events, so a log of the same length may be another log.
const READ_AGAIN_MS = 60_000;

/** The leaves from the last tile on, and how far the log was examined. */
interface Stretch {
  readonly leaves: readonly Leaf[];
  readonly examined: Position | undefined;
  readonly isAtEnd: boolean;
}

/** Grows the tree of one log, step by step. */
export class LogGrower {
  readonly #stores: GrowerStores;
  readonly #records: LogRecords;
  readonly #hashes: Pick<LeafHashes, 'page'>;
  readonly #origin: string;
  /** How far the log was examined for the log of a generation. */
  #examined: { readonly generation: number; readonly position: Position | undefined } | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `origin` is that of the first log, if none has begun yet. */
  constructor(stores: GrowerStores, records: LogRecords, hashes: Pick<LeafHashes, 'page'>, origin: string) {
    this.#stores = stores;
    this.#records = records;
    this.#hashes = hashes;
    this.#origin = origin;
  }

  /**
   * Adds what the log has beyond the tree, up to some thousand events, and signs if that was all. Rejects with `LogFault`
   * if the log differs from the tree.
   */
  async step(): Promise<Step> {
    const record = await this.#records.state();
    const state = record?.value ?? newState(1, this.#origin);
    if (state.held !== null) throw new LogFault('held');
    const mustRead = (await this.#isLonger(state)) || Date.now() - this.#readAt > READ_AGAIN_MS;
    const keys = await this.#keysFor(state);
    return mustRead || isDue(state, keys) ? this.#grow(record, state, keys) : { isAtEnd: true, hasSigned: false };
  }

  async #isLonger({ generation, position }: LogState): Promise<boolean> {
    const head = (await this.#stores.sealedFacts.head()) ?? '';
    if (head < (position ?? '')) throw new LogFault('log-cut');
    const examined = this.#examined?.generation === generation ? this.#examined.position : undefined;
    return head > (position ?? '') && head > (examined ?? '');
  }

  async #grow(record: VaultRecord<LogState> | undefined, state: LogState, keys: readonly LogKey[]): Promise<Step> {
    const { leaves, examined, isAtEnd } = await this.#read(state);
    const { next, full } = withLeaves(state, leaves);
    // Together, so that they share an fsync: those of the vault hold up those of the facts.
    const added = await Promise.all(full.map((tile) => this.#records.addTile(state.generation, tile)));
    if (added.includes(false)) throw new LogFault('log-replaced');
    const hasSigned = isAtEnd && isDue(next, keys);
    const stored = hasSigned ? await this.#signed(next, full, keys) : next;
    if (stored !== state && !(await this.#records.store(record, stored))) return { isAtEnd: false, hasSigned: false };
    this.#examined = { generation: state.generation, position: examined };
    this.#readAt = Date.now();
    if (hasSigned) await this.#handOver(stored, keys);
    return { isAtEnd, hasSigned };
  }

  async #keysFor({ origin }: LogState): Promise<readonly LogKey[]> {
    const keys = await keysOf(this.#stores.vault, origin);
    if (keys.length > 0) return keys;
    await makeFirstKey(this.#stores, origin);
    return keysOf(this.#stores.vault, origin);
  }

  /** Reads the last tile again with what follows it: the tree grows only from leaves that the log still has. */
  async #read({ size, tileAfter }: LogState): Promise<Stretch> {
    const most = (size === 0 ? 0 : lastTileOf(size).width) + EVENTS_PER_STEP;
    const leaves: Leaf[] = [];
    let after = tileAfter ?? undefined;
    for (;;) {
      const page = await this.#hashes.page(this.#stores.sealedFacts, { aggregates, after }, most - leaves.length);
      leaves.push(...page.leaves);
      after = page.position;
      if (page.atEnd || leaves.length >= most) return { leaves, examined: after, isAtEnd: page.atEnd };
    }
  }

  async #signed(state: LogState, full: readonly Tile[], keys: readonly LogKey[]): Promise<LogState> {
    const vouched = await vouchedKeys(this.#stores, keys);
    const tree = await treeAfter(state.signed, state, this.#hashesOf(state, full), vouched);
    const note = signedNote(state.origin, tree, await openKeys(this.#stores, keys));
    return { ...state, signed: { size: tree.size, note, cosignatures: [], at: new Date().toISOString() } };
  }

  #hashesOf(state: LogState, full: readonly Tile[]): HashSource {
    return hashesFrom(async (place) => {
      const fresh = full.find(({ level, index }) => level === place.level && index === place.index)?.hashes;
      const hashes = fresh ?? (await this.#records.hashes(state, place));
      if (hashes === undefined) throw new LogFault('tree-altered');
      return hashes;
    });
  }

  // The checkpoint that was just stored has the signatures of all keys: an older key has signed for the last time.
  async #handOver({ generation, origin, signed }: LogState, keys: readonly LogKey[]): Promise<void> {
    const [newest, older] = signingKeys(keys);
    if (newest === undefined || older === undefined) return;
    if (signed !== null) await this.#records.keep(generation, signed.at, signed);
    await retireOlderKeys(this.#stores.vault, origin, newest.verifierKey);
  }
}

/** Returns the state after the leaves that it does not have yet, and the tiles that became full. */
const withLeaves = (state: LogState, leaves: readonly Leaf[]) => {
  const edge = edgeOf(state);
  const known = edge.levels[0] ?? [];
  const isThere = known.every((hash, at) => leaves[at]?.hash.equals(hash));
  if (!isThere || (leaves[known.length - 1]?.position ?? null) !== state.position) throw new LogFault('log-replaced');
  const fresh = leaves.slice(known.length).map(({ hash }) => hash);
  const added = grown(edge, fresh);
  const full = added.full.map((tile): PlacedTile => {
    const after = tile.level === 0 ? positionBefore(tile.index * TILE_WIDTH, state, leaves) : null;
    return { ...tile, after };
  });
  return { next: advanced(state, added.edge, leaves), full };
};

const advanced = (state: LogState, edge: Edge, leaves: readonly Leaf[]): LogState =>
  edge.size === state.size
    ? state
    : {
        ...state,
        size: edge.size,
        position: leaves.at(-1)?.position ?? null,
        tileAfter: positionBefore(firstOfLastTile(edge.size), state, leaves),
        edge: storedEdge(edge),
      };

/** Returns the position before the leaf at `index`. `leaves` begin with the last tile of `state`. */
const positionBefore = (index: number, state: LogState, leaves: readonly Leaf[]): Position | null => {
  const at = index - firstOfLastTile(state.size);
  return at === 0 ? state.tileAfter : (leaves[at - 1]?.position ?? null);
};

const firstOfLastTile = (size: number): number => (size === 0 ? 0 : lastTileOf(size).index * TILE_WIDTH);

const signingKeys = (keys: readonly LogKey[]): readonly LogKey[] => keys.filter(({ sealed }) => sealed !== null);

// A checkpoint is due if events are not covered, or if a key is to hand over to a newer one.
const isDue = ({ size, signed }: LogState, keys: readonly LogKey[]): boolean =>
  size > (signed?.size ?? 0) || (size > 0 && signingKeys(keys).length > 1);
