// The format of the facts and the vault: one number for both, kept in the vault. A program that knows only an older
// format must not use stores of a newer one.
import { StoreTooNew } from '../errors.js';
import { changeRecord, type Vault } from '../vault/vault.js';

/**
 * The format that this program writes. Raise it when a program of the format before it could misread what this one
 * records: a new form of sealing, a new type of event, a new schema version of one. Stores without a stamp are of
 * format 1.
 */
export const FORMAT = 5;

const KEY = { kind: 'format', key: 'stores' };

interface Stamp {
  readonly format: number;
}

/** The format stamp of the stores. Calls reject with `StoreUnavailable` while the vault cannot answer. */
export class StoreFormat {
  readonly #vault: Vault;
  readonly #known: number;

  constructor(vault: Vault, known: number = FORMAT) {
    this.#vault = vault;
    this.#known = known;
  }

  /**
   * Raises the stamp to the format of this program, which programs of an older format then refuse. Rejects with
   * `StoreTooNew` if the stamp is of a newer format.
   */
  async claim(): Promise<void> {
    // If another process is faster, its stamp decides.
    await changeRecord<Stamp>(this.#vault, KEY, (stamp) =>
      this.#usable(stamp) < this.#known ? { ...KEY, value: { format: this.#known } } : undefined,
    );
  }

  /** Rejects with `StoreTooNew` if the stamp is of a newer format. Changes nothing. */
  async check(): Promise<void> {
    this.#usable(await this.#stamp());
  }

  /** Returns whether a newer program has used the stores, as of now. */
  async isNewer(): Promise<boolean> {
    return formatOf(await this.#stamp()) > this.#known;
  }

  #usable(stamp: Stamp | undefined): number {
    const format = formatOf(stamp);
    if (format > this.#known) throw new StoreTooNew('the vault', format, this.#known);
    return format;
  }

  async #stamp(): Promise<Stamp | undefined> {
    return (await this.#vault.get<Stamp>(KEY))?.value;
  }
}

const formatOf = (stamp: Stamp | undefined): number => stamp?.format ?? 1;
