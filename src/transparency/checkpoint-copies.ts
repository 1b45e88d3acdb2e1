// Gets the newest checkpoint cosigned by witnesses, out of the operator's reach, and keeps the first checkpoint of each
// day in the vault.

import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import { consistencyProof } from './merkle.js';
import { cosignedNote, type LogRecords, type LogState, type SignedCheckpoint } from './records.js';
import { hashesFrom } from './tiles.js';
import { type Witness, Witnesses } from './witnesses.js';

/** The dependencies of the copies. */
export interface CopiesOptions {
  readonly settings: { readonly witnesses: readonly Witness[] };
  readonly records: LogRecords;
  readonly log: Log;
}

/** The copies of the checkpoints of a log. */
export class CheckpointCopies {
  readonly #options: CopiesOptions;
  readonly #witnesses: Witnesses;
  #keptDay = '';
  #notedFault: string | undefined;

  constructor(options: CopiesOptions) {
    this.#options = options;
    const { settings, records, log } = options;
    const newestSize = async () => (await records.state())?.value.signed?.size ?? 0;
    this.#witnesses = new Witnesses({ witnesses: settings.witnesses, newestSize, log });
  }

  /**
   * Asks the witnesses to cosign the newest checkpoint, and keeps the first checkpoint of a day. Takes at most a few
   * seconds, even if a witness is slow.
   */
  async copyNewest(): Promise<void> {
    const state = (await this.#options.records.state())?.value;
    if (state?.signed === undefined || state.signed === null) return;
    const cosignatures = await this.#cosign(state, state.signed);
    await this.#keepDaily(state.generation, { ...state.signed, cosignatures });
  }

  /** Stops waiting for witnesses. */
  close(): void {
    this.#witnesses.close();
  }

  /** Returns the current cosignatures of the checkpoint. */
  async #cosign(state: LogState, signed: SignedCheckpoint): Promise<readonly string[]> {
    const { records } = this.#options;
    const hashes = hashesFrom(async (place) => (await records.hashes(state, place)) ?? []);
    const lines = await this.#witnesses.cosign({
      note: cosignedNote(signed),
      size: signed.size,
      consistencyProof: (oldSize) => consistencyProof(oldSize, signed.size, hashes),
    });
    if (lines.length > 0) await records.addCosignatures(signed.note, lines);
    await this.#noteFault(this.#witnesses.fault());
    return [...signed.cosignatures, ...lines];
  }

  async #noteFault(fault: Fault | undefined): Promise<void> {
    const noted = fault?.detail ?? '';
    if (noted === this.#notedFault) return;
    await this.#options.records.setFault('witnesses', fault);
    this.#notedFault = noted;
  }

  /** Keeps today's checkpoint unless this process has already kept it. */
  async #keepDaily(generation: number, signed: SignedCheckpoint): Promise<void> {
    const today = new Date().toISOString().slice(0, 10);
    if (this.#keptDay === today || !signed.at.startsWith(today)) return;
    await this.#options.records.keep(generation, today, { ...signed, note: cosignedNote(signed) });
    this.#keptDay = today;
  }
}
