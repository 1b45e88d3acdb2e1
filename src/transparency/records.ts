// The vault records of the log: the state of the tree with its newest checkpoint, the full tiles, the kept checkpoints,
// and the faults that have stopped the signing.
import { LRUCache } from 'lru-cache';
import type { Position } from '../infrastructure/facts/facts.js';
import type { Fault } from '../infrastructure/fault.js';
import { changeRecord, pagesOfKind, type Vault, type VaultRecord } from '../infrastructure/vault/vault.js';
import type { Hash, HashSource } from './merkle.js';
import { parsedLine } from './note.js';
import { type Edge, fromBytes, hashesFrom, isLastTile, type Tile, type TilePlace } from './tiles.js';

/** The state of the log. It is one record, which changes with compare-and-set. */
export interface LogState extends StoredEdge {
  /** The number of the log within this service, from 1. `new-log` starts the next log. */
  readonly generation: number;
  readonly origin: string;
  /** The newest checkpoint; null before the first signing. */
  readonly signed: SignedCheckpoint | null;
  /** The last checkpoint before it that witnesses have cosigned; absent if there is none. */
  readonly cosigned?: SignedCheckpoint | undefined;
  /** Why signing is held until an operator starts a new log; null if it is not held. */
  readonly held: string | null;
}

/** The edge of a tree. `edge` has the hashes of each level, concatenated, in base64. */
export interface StoredEdge extends Omit<Edge, 'levels'> {
  readonly edge: readonly string[];
}

/** A kept checkpoint: the first of a day, the last before a key retires, or the last of a log that has ended. */
export interface KeptCheckpoint {
  readonly size: number;
  /** The signed note, with its cosignatures at that time. */
  readonly note: string;
  /** An ISO 8601 timestamp. */
  readonly at: string;
}

/** A checkpoint whose note has no cosignatures. */
export interface SignedCheckpoint extends KeptCheckpoint {
  /** The signature lines of witnesses. */
  readonly cosignatures: readonly string[];
}

interface StoredTile {
  readonly hashes: string;
  readonly after: Position | null;
}

const STATE = { kind: 'log-state', key: 'tree' };
const FAULTS = 'log-fault';
const PROOF = { kind: 'log-proof', key: 'due' };
const KEPT = 'log-checkpoint';
const TILES = 'log-tile';
const FAULT_KEYS = ['signing', 'witnesses', 'proof'] as const;
export type FaultKey = (typeof FAULT_KEYS)[number];

// Witnesses are asked once a minute.
const COSIGNED_WITHIN_MS = 150_000;
// About 8 MB.
const CACHED_TILES = 1_000;

// The clocks of two workers may differ by a minute.
const LONGEST_PLAN_MS = 86_400_000 + 60_000;

/** Returns whether a proof is due for `lateMs`. A time that is more than a day ahead comes from a wrong clock. */
export const isDue = (due: string, lateMs = 0): boolean => {
  const left = Date.parse(due) - Date.now();
  return left <= -lateMs || left > LONGEST_PLAN_MS;
};

export const newState = (generation: number, origin: string): LogState => ({
  generation,
  origin,
  size: 0,
  position: null,
  tileAfter: null,
  edge: [],
  signed: null,
  held: null,
});

export const edgeOf = ({ size, position, tileAfter, edge }: StoredEdge): Edge => ({
  size,
  position,
  tileAfter,
  levels: edge.map(hashesIn),
});

export const storedEdge = ({ levels, ...edge }: Edge): StoredEdge => ({ ...edge, edge: levels.map(toText) });

/** The records of the log in a vault. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export class LogRecords {
  readonly #vault: Vault;
  readonly #tiles = new LRUCache<string, StoredTile>({ max: CACHED_TILES });

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Returns the state; undefined before the log has started. */
  async state(): Promise<LogState | undefined> {
    return (await this.record())?.value;
  }

  /** Returns the record of the state, for `store`. */
  record(): Promise<VaultRecord<LogState> | undefined> {
    return this.#vault.get<LogState>(STATE);
  }

  /** Replaces the state that `record` returned. Returns false if another process was faster. */
  async store(before: VaultRecord<LogState> | undefined, value: LogState): Promise<boolean> {
    const entry = { ...STATE, value };
    if (before !== undefined) return this.#vault.replace(entry, before.version);
    return (await this.#vault.insert(entry)) !== undefined;
  }

  /** Changes the state with compare-and-set. `change` returns undefined to keep it. */
  change(change: (state: LogState | undefined) => LogState | undefined): Promise<void> {
    return changeRecord<LogState>(this.#vault, STATE, (state) => {
      const value = change(state);
      return value && { ...STATE, value };
    });
  }

  /** Returns a source of the hashes of a tree, which computes each hash once. It rejects if a tile is missing. */
  source(state: LogState): HashSource {
    const source = hashesFrom(async (place) => (await this.hashes(state, place)) ?? []);
    const known = new Map<string, Promise<Hash>>();
    return (level, index) => {
      const key = `${level}/${index}`;
      const hash = known.get(key) ?? source(level, index);
      known.set(key, hash);
      return hash;
    };
  }

  /** Returns the hashes of a tile in a tree; undefined if a full tile is missing. */
  async hashes(state: LogState, place: TilePlace): Promise<readonly Hash[] | undefined> {
    const last = isLastTile(place, state.size) ? state.edge[place.level] : undefined;
    return last === undefined ? (await this.tile(state.generation, place))?.hashes : hashesIn(last);
  }

  /** Returns a full tile; undefined if it is not stored. */
  async tile(generation: number, place: TilePlace): Promise<Tile | undefined> {
    const key = keyOf(generation, place);
    const stored = this.#tiles.get(key) ?? (await this.#vault.get<StoredTile>({ kind: TILES, key }))?.value;
    if (stored === undefined) return undefined;
    this.#tiles.set(key, stored);
    return { ...place, after: stored.after, hashes: hashesIn(stored.hashes) };
  }

  /** Stores a full tile. Returns false, and keeps the stored tile, if a different tile is stored in its place. */
  async addTile(generation: number, tile: Tile): Promise<boolean> {
    const key = keyOf(generation, tile);
    const value: StoredTile = { hashes: toText(tile.hashes), after: tile.after };
    if ((await this.#vault.insert({ kind: TILES, key, value })) !== undefined) return true;
    return this.hasTile(generation, tile);
  }

  async hasTile(generation: number, tile: Tile): Promise<boolean> {
    const stored = await this.tile(generation, tile);
    return stored?.after === tile.after && toText(stored.hashes) === toText(tile.hashes);
  }

  /** Keeps a checkpoint under a sortable name. Does nothing if the name is taken. */
  async keep(generation: number, name: string, { size, note, at }: KeptCheckpoint): Promise<void> {
    await this.#vault.insert({ kind: KEPT, key: `${padded(generation, 4)}/${name}`, value: { size, note, at } });
  }

  /** Returns all kept checkpoints, oldest first. */
  async kept(): Promise<readonly KeptCheckpoint[]> {
    const all: VaultRecord<KeptCheckpoint>[] = [];
    for await (const page of pagesOfKind<KeptCheckpoint>(this.#vault, KEPT)) all.push(...page);
    return all.map(({ value }) => value);
  }

  /** Adds the signature lines of witnesses, one per witness, to a checkpoint of the current log. */
  addCosignatures({ origin, signed: to }: LogState, lines: readonly string[]): Promise<void> {
    return this.change((state) => {
      if (state === undefined || to === null || state.origin !== origin) return undefined;
      const isNewest = state.signed?.note === to.note;
      const known = [state.signed, state.cosigned].find((checkpoint) => checkpoint?.note === to.note) ?? to;
      const byWitness = new Map([...lines, ...known.cosignatures].map((line) => [signerOf(line), line]));
      const cosigned = { ...known, cosignatures: [...byWitness.values()] };
      return { ...state, ...(isNewest ? { signed: cosigned } : { cosigned }) };
    });
  }

  /** Returns when the next proof is due, as an ISO 8601 timestamp; undefined if no worker has set it. */
  async proofDue(): Promise<string | undefined> {
    return (await this.#vault.get<string>(PROOF))?.value;
  }

  setProofDue(value: string): Promise<void> {
    return changeRecord<string>(this.#vault, PROOF, () => ({ ...PROOF, value }));
  }

  /** Returns all noted faults. An earlier version may have left a fault of a source that no longer exists. */
  async faults(): Promise<ReadonlyMap<FaultKey, Fault>> {
    const noted = await this.#vault.getMany<Fault | null>(FAULTS, FAULT_KEYS);
    return new Map(noted.flatMap(({ key, value }) => (value === null ? [] : [[key as FaultKey, value] as const])));
  }

  /** Notes a fault, or clears it if undefined. Returns whether that is a change. */
  async setFault(key: FaultKey, fault: Fault | undefined): Promise<boolean> {
    const record = { kind: FAULTS, key };
    const value = fault ?? null;
    let hasChanged = false;
    await changeRecord<Fault | null>(this.#vault, record, (known = null) => {
      hasChanged = JSON.stringify(known) !== JSON.stringify(value);
      return hasChanged ? { ...record, value } : undefined;
    });
    return hasChanged;
  }
}

/** Returns the last checkpoint that witnesses have cosigned, unless it is some minutes old; otherwise the newest. */
export const recentlyCosigned = ({ signed, cosigned }: LogState): SignedCheckpoint | null => {
  const isRecent = cosigned !== undefined && Math.abs(Date.now() - Date.parse(cosigned.at)) < COSIGNED_WITHIN_MS;
  return isRecent && signed?.cosignatures.length === 0 ? cosigned : signed;
};

export const cosignedNote = ({ note, cosignatures }: Pick<SignedCheckpoint, 'note' | 'cosignatures'>): string =>
  `${note}${cosignatures.map((line) => `${line}\n`).join('')}`;

const signerOf = (line: string): string => {
  const { name, id } = parsedLine(line) ?? {};
  return `${name} ${id?.toString('hex')}`;
};

const keyOf = (generation: number, { level, index }: TilePlace): string =>
  `${padded(generation, 4)}/${level}/${padded(index, 12)}`;
const hashesIn = (base64: string): readonly Hash[] => fromBytes(Buffer.from(base64, 'base64'));
const toText = (hashes: readonly Hash[]): string => Buffer.concat(hashes).toString('base64');
const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
