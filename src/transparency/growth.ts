// Keeps the tree growing while a worker runs. Polls the log once a second, has the newest checkpoint cosigned and the
// first checkpoint of each day kept once a minute, and reports a log that differs from the signed log.
import { settlesWithin } from '../infrastructure/async.js';
import { Bell } from '../infrastructure/bell.js';
import type { Log } from '../infrastructure/log.js';
import { LogFault } from './faults.js';
import { LogGrower } from './grower.js';
import type { LogStores } from './keys.js';
import { consistencyProof } from './merkle.js';
import { cosignedNote, LogRecords } from './records.js';
import { type Witness, Witnesses } from './witnesses.js';

const POLL_MS = 1_000;
const COPY_MS = 60_000;
const CLOSE_MS = 2_000;
// A member of a cluster may briefly respond with a shorter log.
const FAULTS_BEFORE_REPORT = 3;

export interface GrowthOptions {
  readonly stores: LogStores;
  /** The origin of the first log if none has started yet. */
  readonly origin: string;
  readonly witnesses: readonly Witness[];
  readonly log: Log;
}

export class LogGrowth {
  readonly #log: Log;
  readonly #records: LogRecords;
  readonly #grower: LogGrower;
  readonly #witnesses: Witnesses;
  readonly #bell = new Bell();
  readonly #looping: Promise<void>;
  #isClosed = false;
  #copyAt = 0;
  #faults = 0;

  constructor({ stores, origin, witnesses, log }: GrowthOptions) {
    this.#log = log;
    this.#records = new LogRecords(stores.vault);
    this.#grower = new LogGrower(stores, this.#records, origin);
    this.#witnesses = new Witnesses({ witnesses, newestSize: () => signedSizeIn(this.#records), log });
    this.#looping = this.#loop();
  }

  /** Resolves after the current step and a last one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#bell.ring();
    this.#witnesses.close();
    await settlesWithin(this.#looping, CLOSE_MS);
  }

  async #loop(): Promise<void> {
    while (!this.#isClosed) {
      const isAtEnd = await this.#poll().catch((error: unknown) => this.#failed(error));
      if (isAtEnd) await this.#bell.wait(POLL_MS);
    }
    // Covers the events since the last poll. If this step fails, the next worker covers them.
    await this.#grower.step().catch((error: unknown) => this.#failed(error));
  }

  async #poll(): Promise<boolean> {
    const isAtEnd = await this.#grower.step();
    if (performance.now() >= this.#copyAt && (await copyNewest(this.#records, this.#witnesses)))
      this.#copyAt = performance.now() + COPY_MS;
    // Another process, or this process before a restart, may have recorded a fault.
    const hadFault = await this.#records.setFault('signing', undefined);
    if (hadFault) this.#log.info('the audit log is signed again');
    this.#faults = 0;
    return isAtEnd;
  }

  async #failed(error: unknown): Promise<true> {
    if (error instanceof LogFault) await this.#faulted(error).catch((cause: unknown) => this.#failed(cause));
    else if (!this.#isClosed) this.#log.warn({ err: error }, 'failed to extend the audit log; will retry');
    return true;
  }

  async #faulted(fault: LogFault): Promise<void> {
    this.#faults += 1;
    if (this.#faults < FAULTS_BEFORE_REPORT) return;
    await this.#records.setFault('signing', fault.reported());
    if (this.#faults === FAULTS_BEFORE_REPORT)
      this.#log.error({ code: fault.code }, `the audit log is no longer signed: ${fault.message}`);
  }
}

/**
 * Asks the witnesses to cosign the newest checkpoint, and keeps the first checkpoint of a day. Takes at most a few
 * seconds, even if a witness is slow. Returns false if nothing is signed yet.
 */
export const copyNewest = async (records: LogRecords, witnesses: Witnesses): Promise<boolean> => {
  const state = await records.state();
  if (!state?.signed) return false;
  const { generation, signed } = state;
  const lines = await witnesses.cosign({
    note: cosignedNote(signed),
    size: signed.size,
    consistencyProof: (oldSize) => consistencyProof(oldSize, signed.size, records.source(state)),
  });
  if (lines.length > 0) await records.addCosignatures(state, lines);
  await records.setFault('witnesses', witnesses.fault());
  const today = new Date().toISOString().slice(0, 10);
  const note = cosignedNote({ ...signed, cosignatures: [...signed.cosignatures, ...lines] });
  if (signed.at.startsWith(today)) await records.keep(generation, today, { ...signed, note });
  return true;
};

const signedSizeIn = async (records: LogRecords): Promise<number> => (await records.state())?.signed?.size ?? 0;
