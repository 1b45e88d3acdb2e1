// The signed log for readers: checkpoints, tiles, leaves and proofs.

import { aggregates } from '../domain/all.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { leafOf } from './leaf.js';
import { consistencyProof, type Hash, inclusionProof } from './merkle.js';
import { cosignedNote, LogRecords, type LogState, lastTileOf } from './records.js';
import { hashesFrom, TILE_WIDTH, type TilePlace, toBytes, widthOf } from './tiles.js';

/** The stores of the log. */
export interface LogStores {
  readonly sealedFacts: Pick<Facts, 'readLog'>;
  readonly vault: Vault;
}

/** The newest checkpoint. */
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
  readonly #facts: LogStores['sealedFacts'];
  readonly #records: LogRecords;

  constructor({ sealedFacts, vault }: LogStores) {
    this.#facts = sealedFacts;
    this.#records = new LogRecords(vault);
  }

  /** Returns the newest checkpoint; undefined before the first signing. */
  async current(): Promise<CurrentCheckpoint | undefined> {
    const state = await this.#state();
    if (state?.signed === undefined || state.signed === null) return undefined;
    return { origin: state.origin, size: state.signed.size, note: cosignedNote(state.signed) };
  }

  /** Returns the hashes of a tile, 32 bytes each; undefined if the signed tree has fewer than `width` of them. */
  async hashTile(place: TilePlace, width: number): Promise<Buffer | undefined> {
    const state = await this.#state();
    if (state === undefined || widthOf(place, signedSize(state)) < width) return undefined;
    const hashes = await this.#records.hashes(state, place);
    return hashes && toBytes(hashes.slice(0, width));
  }

  /**
   * Returns the leaves of the tile of leaves at `index`; undefined if the signed tree has fewer than `width` of them.
   */
  async entries(index: number, width: number): Promise<readonly string[] | undefined> {
    const state = await this.#state();
    if (state === undefined || widthOf({ level: 0, index }, signedSize(state)) < width) return undefined;
    return (await this.#events(state, index, width)).map(leafOf);
  }

  /** Returns the index of the leaf of an event; undefined if the signed tree does not cover the event. */
  async indexOf({ id, position }: Pick<RecordedEvent, 'id' | 'position'>): Promise<number | undefined> {
    const state = await this.#state();
    const size = state === undefined ? 0 : signedSize(state);
    if (state === undefined || size === 0 || position > (state.position ?? '')) return undefined;
    const tile = await this.#tileOf(state, position);
    const events = await this.#events(state, tile, widthOf({ level: 0, index: tile }, size));
    const at = events.findIndex((event) => event.id === id);
    return at < 0 ? undefined : tile * TILE_WIDTH + at;
  }

  /**
   * Returns the inclusion proof of the leaf at `index` in the tree of `size` leaves. `size` must not exceed the signed
   * tree.
   */
  async inclusionProof(index: number, size: number): Promise<readonly Hash[]> {
    return inclusionProof(index, size, await this.#source());
  }

  /** Returns the proof that the tree of `oldSize` leaves is a prefix of the tree of `newSize` leaves. */
  async consistencyProof(oldSize: number, newSize: number): Promise<readonly Hash[]> {
    return consistencyProof(oldSize, newSize, await this.#source());
  }

  async #state(): Promise<LogState | undefined> {
    return (await this.#records.state())?.value;
  }

  async #source() {
    const state = await this.#state();
    return hashesFrom(async (place) => (state && (await this.#records.hashes(state, place))) ?? []);
  }

  // The event is in the last of the tiles that start before its position.
  async #tileOf(state: LogState, position: string): Promise<number> {
    let first = 0;
    let last = lastTileOf(state.size).index;
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      const after = await this.#tileAfter(state, middle);
      if ((after ?? '') < position) first = middle;
      else last = middle - 1;
    }
    return first;
  }

  async #tileAfter(state: LogState, index: number): Promise<string | null> {
    if (index === lastTileOf(state.size).index) return state.tileAfter;
    const tile = await this.#records.tile(state.generation, { level: 0, index });
    if (tile === undefined) throw new Error(`tile ${index} of the audit log is missing: run "audit prove"`);
    return tile.after;
  }

  async #events(state: LogState, index: number, width: number): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    let after = (await this.#tileAfter(state, index)) ?? undefined;
    for (let atEnd = false; !atEnd && events.length < width; ) {
      const page = await this.#facts.readLog({ aggregates, after }, width - events.length);
      events.push(...page.events);
      ({ atEnd, position: after } = page);
    }
    return events;
  }
}

const signedSize = ({ signed }: LogState): number => signed?.size ?? 0;
