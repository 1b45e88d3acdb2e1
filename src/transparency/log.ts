// The signed log for readers: checkpoints, tiles, leaves and proofs.
import { aggregates } from '../domain/all.js';
import { type Facts, logPages, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { Turns } from '../infrastructure/turns.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { leafOf } from './leaf.js';
import { type Hash, inclusionProof } from './merkle.js';
import { cosignedNote, LogRecords, type LogState, recentlyCosigned } from './records.js';
import { TILE_WIDTH, type TilePlace, widthOf } from './tiles.js';

export interface CurrentCheckpoint {
  readonly origin: string;
  readonly size: number;
  /** The signed note with the cosignatures of witnesses. */
  readonly note: string;
}

/**
 * Reads the transparency log up to its newest checkpoint. Never returns anything that is not signed. Calls reject with
 * `StoreUnavailable` while a store is unavailable.
 */
export class TransparencyLog {
  readonly #facts: Pick<Facts, 'readLog'>;
  readonly #records: LogRecords;

  constructor({ sealedFacts, vault }: { readonly sealedFacts: Pick<Facts, 'readLog'>; readonly vault: Vault }) {
    this.#facts = sealedFacts;
    this.#records = new LogRecords(vault);
  }

  /**
   * Returns the newest checkpoint that witnesses have cosigned in the last minutes, if it covers at least `size` events,
   * and otherwise the newest checkpoint; undefined before the first signing.
   */
  async current(size = 0): Promise<CurrentCheckpoint | undefined> {
    const state = await this.#records.state();
    const cosigned = state && recentlyCosigned(state);
    const found = cosigned && cosigned.size >= size ? cosigned : state?.signed;
    return state && found ? { origin: state.origin, size: found.size, note: cosignedNote(found) } : undefined;
  }

  /** Returns the hashes of a tile, 32 bytes each; undefined if the signed tree has fewer than `width` of them. */
  async hashTile(place: TilePlace, width: number): Promise<Buffer | undefined> {
    const state = await this.#stateWith(place, width);
    const hashes = state && (await this.#records.hashes(state, place));
    return hashes && Buffer.concat(hashes.slice(0, width));
  }

  /**
   * Returns the leaves of the tile of leaves at `index`; undefined if the signed tree has fewer than `width` of them.
   */
  async entries(index: number, width: number): Promise<readonly string[] | undefined> {
    const state = await this.#stateWith({ level: 0, index }, width);
    if (state === undefined) return undefined;
    const leaves: string[] = [];
    for await (const event of this.#events(state, index, width)) leaves.push(leafOf(event));
    return leaves;
  }

  /**
   * Returns the indexes of the leaves of events, in the same order; undefined for an event that the signed tree does not
   * cover. Reads a tile once for all its events if the events are in the order of the log.
   */
  async indexesOf(events: readonly Pick<RecordedEvent, 'id' | 'position'>[]): Promise<readonly (number | undefined)[]> {
    const state = await this.#records.state();
    let inTile: ReadonlyMap<string, number> = new Map();
    const indexes: (number | undefined)[] = [];
    // Each event may be in another tile.
    for await (const { id, position } of new Turns().over(events)) {
      const isInTree = state !== undefined && signedSize(state) > 0 && position <= (state.position ?? '');
      if (isInTree && !inTile.has(id)) inTile = await this.#indexesInTile(state, await this.#tileOf(state, position));
      indexes.push(inTile.get(id));
    }
    return indexes;
  }

  /**
   * Returns a function that returns the inclusion proof of the leaf at an index in the tree of `size` leaves. `size` must
   * not exceed the signed tree. Computes each hash once for all proofs.
   */
  async inclusionProver(size: number): Promise<(index: number) => Promise<readonly Hash[]>> {
    const state = await this.#records.state();
    if (state === undefined) throw new RangeError(`the tree of ${size} leaves is not signed`);
    const hashes = this.#records.source(state);
    return (index) => inclusionProof(index, size, hashes);
  }

  /** Returns the state; undefined if the signed tree has fewer than `width` hashes of a tile. */
  async #stateWith(place: TilePlace, width: number): Promise<LogState | undefined> {
    const state = await this.#records.state();
    return state && widthOf(place, signedSize(state)) >= width ? state : undefined;
  }

  // The event is in the last of the tiles that start before its position.
  async #tileOf(state: LogState, position: string): Promise<number> {
    let first = 0;
    let last = lastTile(state);
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      const after = await this.#tileAfter(state, middle);
      if ((after ?? '') < position) first = middle;
      else last = middle - 1;
    }
    return first;
  }

  async #tileAfter(state: LogState, index: number): Promise<string | null> {
    if (index === lastTile(state)) return state.tileAfter;
    const tile = await this.#records.tile(state.generation, { level: 0, index });
    if (tile === undefined) throw new Error(`tile ${index} of the audit log is missing: run "audit prove"`);
    return tile.after;
  }

  async #indexesInTile(state: LogState, index: number): Promise<ReadonlyMap<string, number>> {
    const indexes = new Map<string, number>();
    const width = widthOf({ level: 0, index }, signedSize(state));
    for await (const { id } of this.#events(state, index, width)) indexes.set(id, index * TILE_WIDTH + indexes.size);
    return indexes;
  }

  async *#events(state: LogState, index: number, width: number): AsyncGenerator<RecordedEvent> {
    const after = (await this.#tileAfter(state, index)) ?? undefined;
    let missing = width;
    for await (const { events } of logPages(this.#facts, { aggregates, after })) {
      yield* events.slice(0, missing);
      missing -= events.length;
      if (missing <= 0) return;
    }
  }
}

const lastTile = ({ size }: LogState): number => Math.ceil(size / TILE_WIDTH) - 1;

const signedSize = ({ signed }: LogState): number => signed?.size ?? 0;
