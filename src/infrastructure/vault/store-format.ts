// The format of the facts and the vault: one number for both, stored in the vault. A program refuses stores of a format
// that it does not know, before it reads or changes anything else in them.
import { STORES, UnknownFormat } from '../errors.js';
import { changeRecord, type Vault } from './vault.js';

/**
 * The format that this program writes. Raise it if a program of the previous format could misread new records: with a
 * new version of sealing, a new event type, a new schema version, or a new form of a record in the vault.
 */
export const FORMAT = 11;

/** The oldest format that this program reads. Stores without a stamp that are not new have format 1. */
export const OLDEST_FORMAT = 7;

const KEY = { kind: 'format', key: 'stores' };

interface Stamp {
  readonly format: number;
  /** The id of the log's first event. */
  readonly log?: string | undefined;
}

/** Throws `UnknownFormat` unless a program of the format `newest` reads a store of this format. */
export const mustBeKnown = (store: string, format: number, newest = FORMAT): void => {
  if (format < OLDEST_FORMAT || format > newest) throw new UnknownFormat(store, format, newest);
};

export class StoreFormat {
  readonly #vault: Vault;
  readonly #newest: number;

  constructor(vault: Vault, newest: number = FORMAT) {
    this.#vault = vault;
    this.#newest = newest;
  }

  /** Raises the stamp, so that older programs refuse the stores. Returns its id, which is `log` if it had none. */
  async claim(log?: string): Promise<string | undefined> {
    await this.check();
    // If another process is faster, its stamp decides.
    await changeRecord<Stamp>(this.#vault, KEY, (stamp) => {
      if (stamp !== undefined) mustBeKnown(STORES.vault, stamp.format, this.#newest);
      const value = { format: this.#newest, log: stamp?.log ?? log };
      return stamp?.format === value.format && stamp.log === value.log ? undefined : { ...KEY, value };
    });
    return (await this.#stamp())?.log;
  }

  /** Returns the stamp, if there is one. Rejects with `UnknownFormat` if this program does not know the format. */
  async check(): Promise<Stamp | undefined> {
    // Read before the stamp: every program of this format writes the stamp before it makes a key.
    const keys = await this.#vault.ofKind('service-key', undefined, 1);
    const stamp = await this.#stamp();
    if (stamp !== undefined || keys.length > 0) mustBeKnown(STORES.vault, stamp?.format ?? 1, this.#newest);
    return stamp;
  }

  /** Returns whether a newer program has used the stores. */
  async isNewer(): Promise<boolean> {
    return ((await this.#stamp())?.format ?? 0) > this.#newest;
  }

  async #stamp(): Promise<Stamp | undefined> {
    return (await this.#vault.get<Stamp>(KEY))?.value;
  }
}
