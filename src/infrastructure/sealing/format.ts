// The format of the facts and the vault: one number for both, stored in the vault. A program that supports only an
// older format must not use stores of a newer format.
import { StoreTooNew } from '../errors.js';
import { changeRecord, type Vault } from '../vault/vault.js';

/**
 * The format that this program writes. Raise it if a program of the previous format could misread new records: with a
 * new version of sealing, a new event type, a new schema version, or a new form of a record in the vault. Stores
 * without a stamp have format 1.
 */
export const FORMAT = 6;

const KEY = { kind: 'format', key: 'stores' };

interface Stamp {
  readonly format: number;
}

/** The format stamp of the stores. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export class StoreFormat {
  readonly #vault: Vault;
  readonly #known: number;
  readonly #migrate: () => Promise<void>;

  /** `migrate` brings records of earlier formats up to date. It may run again after it was cut off. */
  constructor(vault: Vault, known: number = FORMAT, migrate: () => Promise<void> = async () => {}) {
    this.#vault = vault;
    this.#known = known;
    this.#migrate = migrate;
  }

  /**
   * Raises the stamp to the format of this program, so that programs of an older format refuse the stores. Then
   * migrates the records. Rejects with `StoreTooNew` if the stamp has a newer format.
   */
  async claim(): Promise<void> {
    // If another process is faster, its stamp decides.
    await changeRecord<Stamp>(this.#vault, KEY, (stamp) =>
      this.#usable(stamp) < this.#known ? { ...KEY, value: { format: this.#known } } : undefined,
    );
    await this.#migrate();
  }

  /** Rejects with `StoreTooNew` if the stamp has a newer format. Changes nothing. */
  async check(): Promise<void> {
    this.#usable(await this.#stamp());
  }

  /** Returns whether a newer program has used the stores. */
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
