// Copies checkpoints out of the operator's reach. Witnesses cosign the newest checkpoint. The first checkpoint of each
// day is kept in the vault and written to a directory.

import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import { CheckpointDirectory } from './checkpoint-directory.js';
import { consistencyProof } from './merkle.js';
import { cosignedNote, type LogRecords, type LogState, type SignedCheckpoint } from './records.js';
import { hashesFrom } from './tiles.js';
import { type Witness, Witnesses } from './witnesses.js';

/** The targets of copies. */
export interface CopiesSettings {
  readonly witnesses: readonly Witness[];
  /** The directory of checkpoints; undefined: none. */
  readonly checkpointDirectory: string | undefined;
}

/** The dependencies of the copies. */
export interface CopiesOptions {
  readonly settings: CopiesSettings;
  readonly records: LogRecords;
  readonly log: Log;
}

/** The copies of the checkpoints of a log. */
export class CheckpointCopies {
  readonly #options: CopiesOptions;
  readonly #witnesses: Witnesses;
  readonly #directory: CheckpointDirectory;
  #keptDay = '';
  #notedFault: string | undefined;

  constructor(options: CopiesOptions) {
    this.#options = options;
    const { settings, records, log } = options;
    const newestSize = async () => (await records.state())?.value.signed?.size ?? 0;
    this.#witnesses = new Witnesses({ witnesses: settings.witnesses, newestSize, log });
    this.#directory = new CheckpointDirectory({ directory: settings.checkpointDirectory, records, log });
  }

  /**
   * Asks the witnesses to cosign the newest checkpoint, and keeps the first checkpoint of a day. Takes at most a few
   * seconds, even if a witness is slow.
   */
  async copyNewest(): Promise<void> {
    const state = (await this.#options.records.state())?.value;
    if (state?.signed === undefined || state.signed === null) return;
    const cosignatures = await this.#cosign(state, state.signed);
    const hasKept = await this.#keepDaily(state.generation, { ...state.signed, cosignatures });
    this.#directory.update(hasKept);
  }

  /** Stops waiting for witnesses, and resolves when the current copy has ended. */
  async close(): Promise<void> {
    this.#witnesses.close();
    await this.#directory.close();
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

  /** Keeps today's checkpoint unless this process has already kept it. Returns whether it may have kept one. */
  async #keepDaily(generation: number, signed: SignedCheckpoint): Promise<boolean> {
    const today = new Date().toISOString().slice(0, 10);
    if (this.#keptDay === today || !signed.at.startsWith(today)) return false;
    await this.#options.records.keep(generation, today, { ...signed, note: cosignedNote(signed) });
    this.#keptDay = today;
    return true;
  }
}
