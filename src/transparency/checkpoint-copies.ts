// Gets the newest checkpoint cosigned by witnesses, out of the operator's reach, and keeps the first checkpoint of each
// day in the vault.

import type { Log } from '../infrastructure/log.js';
import { consistencyProof } from './merkle.js';
import { cosignedNote, type LogRecords, type LogState } from './records.js';
import { hashesFrom } from './tiles.js';
import { type Witness, Witnesses } from './witnesses.js';

export class CheckpointCopies {
  readonly #records: LogRecords;
  readonly #witnesses: Witnesses;

  constructor(records: LogRecords, witnesses: readonly Witness[], log: Log) {
    this.#records = records;
    const newestSize = async () => (await records.state())?.value.signed?.size ?? 0;
    this.#witnesses = new Witnesses({ witnesses, newestSize, log });
  }

  /**
   * Asks the witnesses to cosign the newest checkpoint, and keeps the first checkpoint of a day. Takes at most a few
   * seconds, even if a witness is slow. Returns false if nothing is signed yet.
   */
  async copyNewest(): Promise<boolean> {
    const state = (await this.#records.state())?.value;
    if (!state?.signed) return false;
    const { generation, signed } = state;
    const lines = await this.#cosign(state, signed);
    const today = new Date().toISOString().slice(0, 10);
    const cosignatures = [...signed.cosignatures, ...lines];
    if (signed.at.startsWith(today))
      await this.#records.keep(generation, today, { ...signed, note: cosignedNote({ ...signed, cosignatures }) });
    return true;
  }

  close(): void {
    this.#witnesses.close();
  }

  async #cosign(state: LogState, signed: NonNullable<LogState['signed']>): Promise<readonly string[]> {
    const hashes = hashesFrom(async (place) => (await this.#records.hashes(state, place)) ?? []);
    const lines = await this.#witnesses.cosign({
      note: cosignedNote(signed),
      size: signed.size,
      consistencyProof: (oldSize) => consistencyProof(oldSize, signed.size, hashes),
    });
    if (lines.length > 0) await this.#records.addCosignatures(state, lines);
    await this.#records.setFault('witnesses', this.#witnesses.fault());
    return lines;
  }
}
