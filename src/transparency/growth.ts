// Keeps the tree growing while a worker runs. Polls the log once a second, has checkpoints copied once a minute, and
// reports a log that differs from the signed log.
import { settlesWithin } from '../infrastructure/async.js';
import { Bell } from '../infrastructure/bell.js';
import type { Log } from '../infrastructure/log.js';
import { CheckpointCopies } from './checkpoint-copies.js';
import { LogFault } from './faults.js';
import { LogGrower } from './grower.js';
import type { LogStores } from './keys.js';
import { LogRecords } from './records.js';
import type { Witness } from './witnesses.js';

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
  readonly #options: GrowthOptions;
  readonly #records: LogRecords;
  readonly #grower: LogGrower;
  readonly #copies: CheckpointCopies;
  readonly #bell = new Bell();
  readonly #looping: Promise<void>;
  #isClosed = false;
  #copyAt = 0;
  #faults = 0;

  constructor(options: GrowthOptions) {
    this.#options = options;
    this.#records = new LogRecords(options.stores.vault);
    this.#grower = new LogGrower(options.stores, this.#records, options.origin);
    this.#copies = new CheckpointCopies(this.#records, options.witnesses, options.log);
    this.#looping = this.#loop();
  }

  /** Resolves after the current step and a last one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#bell.ring();
    this.#copies.close();
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
    if (performance.now() >= this.#copyAt && (await this.#copies.copyNewest()))
      this.#copyAt = performance.now() + COPY_MS;
    // Another process, or this process before a restart, may have recorded a fault.
    const hadFault = await this.#records.setFault('signing', undefined);
    if (hadFault) this.#options.log.info('the audit log is signed again');
    this.#faults = 0;
    return isAtEnd;
  }

  async #failed(error: unknown): Promise<true> {
    const { log } = this.#options;
    if (error instanceof LogFault) await this.#faulted(error).catch((cause: unknown) => this.#failed(cause));
    else if (!this.#isClosed) log.warn({ err: error }, 'failed to extend the audit log; will retry');
    return true;
  }

  async #faulted(fault: LogFault): Promise<void> {
    const { log } = this.#options;
    this.#faults += 1;
    if (this.#faults < FAULTS_BEFORE_REPORT) return;
    await this.#records.setFault('signing', fault.reported());
    if (this.#faults === FAULTS_BEFORE_REPORT)
      log.error({ code: fault.code }, `the audit log is no longer signed: ${fault.message}`);
  }
}
