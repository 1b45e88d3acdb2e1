// The operator's check of the log. Builds the tree from the stored events and compares it with the tree in the vault
// and with every available checkpoint. docs/audit-log.md explains what this proves.
import { aggregates } from '../domain/all.js';
import { isDamage } from '../infrastructure/errors.js';
import { eventsUntil, type Facts, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { PAGE } from '../infrastructure/pages.js';
import { Tally } from '../infrastructure/tally.js';
import type { LogStores } from './keys.js';
import { type EventLeaf, leavesOf } from './leaf.js';
import { rootHash } from './merkle.js';
import { LogRecords, type LogState, newState, storedEdge } from './records.js';
import { type NamedCheckpoint, type SignedTree, signedTrees } from './signed-trees.js';
import { EMPTY, grown, hashesFrom, onEdge, TILE_WIDTH, widthOf } from './tiles.js';

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
  /** Whether signing is held until an operator starts a new log, so that nothing is signed in time. */
  readonly isHeld: boolean;
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
  const comparison = new ComparedLog(records, state ?? newState(1, ''), trees);
  const unread = await addAll(comparison, stores.sealedFacts, signal).then(() => undefined, damageIn);
  const faults = [...(await comparison.faults(unread)), ...invalid, ...damaged];
  const { size: events, first, last } = comparison;
  const unsigned = Math.max(0, events - (state?.signed?.size ?? 0));
  const times = { signedAt: state?.signed?.at, firstAt: first?.metadata.at, lastAt: last?.metadata.at };
  const isHeld = (state?.held ?? null) !== null;
  return { events, unsigned, checkpoints: trees.length, ...times, isHeld, faults };
};

/** Adds the log up to its current end, or up to a damaged event. */
const addAll = async (
  comparison: ComparedLog,
  facts: LogStores['sealedFacts'],
  signal: AbortSignal | undefined,
): Promise<void> => {
  const head = await facts.head();
  if (head === undefined) return;
  const range = { aggregates, after: undefined };
  for await (const events of eventsUntil(upToDamage(facts), range, head, signal)) {
    for await (const event of leavesOf(events)) await comparison.add(event);
  }
};

/** Reads one event at a time after damage in a page, so that the events before the damaged one can be read. */
const upToDamage = (facts: LogStores['sealedFacts']): Pick<Facts, 'readLog'> => {
  let limit: number = PAGE.items;
  const readLog: Facts['readLog'] = (range) =>
    facts.readLog(range, limit).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      limit = 1;
      return facts.readLog(range, limit);
    });
  return { readLog };
};

/** Returns why damage prevents reading further. Throws any other error. */
const damageIn = (error: unknown): string => {
  if (isDamage(error)) return error.message;
  throw error;
};

/**
 * The comparison of the tree of the added events with the signed trees and with the records in the vault. It keeps only
 * the right edge of the tree, so memory does not grow with the log.
 */
class ComparedLog {
  first: RecordedEvent | undefined;
  last: RecordedEvent | undefined;
  readonly #records: LogRecords;
  readonly #state: LogState;
  readonly #largest: number;
  /** The signed trees that are not compared yet. */
  #due: readonly SignedTree[];
  #edge = EMPTY;
  /** The events of the growing tile that are not in the tree yet. */
  #waiting: EventLeaf[] = [];
  /** The size of the largest signed tree that the events match. */
  #matched = 0;
  /** The first event since then whose hash in the vault differs. */
  #difference: { readonly index: number; readonly event: RecordedEvent } | undefined;
  /** The fault of the first signed tree that the events do not match. */
  #refuted: string | undefined;
  /** The records in the vault that differ from the events. */
  readonly #altered = new Tally();

  /** `trees` must be sorted by size. */
  constructor(records: LogRecords, state: LogState, trees: readonly SignedTree[]) {
    this.#records = records;
    this.#state = state;
    this.#largest = Math.max(state.size, trees.at(-1)?.size ?? 0);
    this.#due = trees;
  }

  get size(): number {
    return this.#edge.size + this.#waiting.length;
  }

  async add(added: EventLeaf): Promise<void> {
    // A tree of size 0, to which a new key is bound, must not decide about the events after it.
    if (this.first === undefined) await this.#grow();
    this.first ??= added.event;
    this.last = added.event;
    this.#waiting.push(added);
    const isDue = this.size === this.#state.size || this.size === this.#due[0]?.size;
    if (isDue || this.size % TILE_WIDTH === 0) await this.#grow();
  }

  /**
   * Returns the faults, most important first. Names an altered event only if a signed tree has another root; otherwise
   * the records in the vault are at fault. `unread` says why the log could not be read to its end.
   */
  async faults(unread: string | undefined): Promise<readonly string[]> {
    if (this.#waiting.length > 0) await this.#grow();
    this.#moveDifference();
    const ofVault = `records of the audit log in the vault differ from the events: ${this.#altered.summary()}`;
    const isVaultAltered = this.#refuted === undefined && this.#altered.count > 0;
    const found = [this.#refuted, unread ?? this.#missing(), isVaultAltered ? ofVault : undefined];
    return found.filter((fault) => fault !== undefined);
  }

  async #grow(): Promise<void> {
    await this.#compareHashes();
    const { edge, full } = grown(this.#edge, this.#waiting);
    this.#edge = edge;
    this.#waiting = [];
    const { size, generation } = this.#state;
    for (const tile of full) {
      const isSame = widthOf(tile, size) < TILE_WIDTH || (await this.#records.hasTile(generation, tile));
      if (!isSame) this.#altered.add(`tile ${tile.level}/${tile.index}`);
    }
    if (edge.size === size) this.#compareState();
    const due = this.#due.filter((tree) => tree.size <= edge.size);
    this.#due = this.#due.slice(due.length);
    for (const tree of due) await this.#compareTree(tree);
  }

  async #compareHashes(): Promise<void> {
    const { size } = this.#edge;
    const place = { level: 0, index: Math.floor(size / TILE_WIDTH) };
    const stored = (await this.#records.hashes(this.#state, place))?.slice(size % TILE_WIDTH);
    const at = this.#waiting.findIndex(({ hash }, nth) => stored?.[nth]?.equals(hash) === false);
    const { event } = this.#waiting[at] ?? {};
    if (event !== undefined) this.#difference ??= { index: size + at, event };
  }

  #compareState(): void {
    const state: Readonly<Record<string, unknown>> = { ...this.#state };
    for (const [name, value] of Object.entries(storedEdge(this.#edge))) {
      if (JSON.stringify(state[name]) !== JSON.stringify(value)) this.#altered.add(`${name} in the state of the tree`);
    }
  }

  async #compareTree({ name, size, root }: SignedTree): Promise<void> {
    if (this.#refuted !== undefined) return;
    const hashes = hashesFrom(async (place) => onEdge(this.#edge, place) ?? []);
    if ((await rootHash(size, hashes)).equals(root)) {
      this.#matched = size;
      this.#moveDifference();
    } else if (this.#difference === undefined) {
      this.#refuted = `an event between index ${this.#matched} and ${size - 1} differs from the signed log: ${name} has another root. The stored hashes of the audit log were altered, too`;
    } else {
      const { index, event } = this.#difference;
      this.#refuted = `the event at index ${index} differs from the signed log: ${nameOf(event)}. The root of ${name} differs, too`;
    }
  }

  /** Notes that the vault, and not the event, was altered. */
  #moveDifference(): void {
    if (this.#difference === undefined) return;
    const { index, event } = this.#difference;
    this.#altered.add(`the stored hash at index ${index} (${nameOf(event)})`);
    this.#difference = undefined;
  }

  #missing(): string | undefined {
    const [found, expected] = [this.size, this.#largest];
    if (found >= expected) return undefined;
    const end = this.last ? `the log ends at index ${found - 1}, ${nameOf(this.last)}` : 'the log is empty';
    return `${end}: it has ${found} events, but the audit log has ${expected}, so ${expected - found} are missing`;
  }
}

const nameOf = ({ id, stream, revision }: RecordedEvent): string => `event ${id} of ${stream}, revision ${revision}`;
