// Keeps the tree growing while a worker runs: it looks at the log once a second, has checkpoints copied, and reports a log
// that differs from what was signed.
import { settlesWithin } from '../infrastructure/async.js';
import { Bell } from '../infrastructure/bell.js';
import type { Log } from '../infrastructure/log.js';
import { CheckpointCopies, type CopiesSettings } from './checkpoint-copies.js';
import { type GrowerStores, LogGrower } from './grower.js';
import { LeafHashes } from './leaf-hashes.js';
import { LogFault } from './log-fault.js';
import { LogRecords } from './records.js';

const LOOK_EVERY_MS = 1_000;
const CLOSE_MS = 2_000;
// A member of a cluster may respond with a log that is shorter for a moment.
const LOOKS_BEFORE_FAULT = 3;

/** What growth works with. */
export interface GrowthOptions {
  readonly stores: GrowerStores;
  /** The origin of the first log, if none has begun yet. */
  readonly origin: string;
  /** Where copies of checkpoints go. */
  readonly copies: CopiesSettings;
  readonly log: Log;
}

/** Growth that runs until it is closed. */
export class LogGrowth {
  readonly #options: GrowthOptions;
  readonly #records: LogRecords;
  readonly #hashes = new LeafHashes();
  readonly #grower: LogGrower;
  readonly #copies: CheckpointCopies;
  readonly #bell = new Bell();
  readonly #looping: Promise<void>;
  #isClosed = false;
  #faults = 0;
  #hasSettled = false;

  constructor(options: GrowthOptions) {
    this.#options = options;
    this.#records = new LogRecords(options.stores.vault);
    this.#grower = new LogGrower(options.stores, this.#records, this.#hashes, options.origin);
    this.#copies = new CheckpointCopies({ ...options, records: this.#records, settings: options.copies });
    this.#looping = this.#loop();
  }

  /** Ends after the step in hand and a last one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#bell.ring();
    await Promise.all([this.#copies.close(), settlesWithin(this.#looping, CLOSE_MS)]);
    await this.#hashes.close();
  }

  async #loop(): Promise<void> {
    while (!this.#isClosed) {
      const isAtEnd = await this.#look().catch((error: unknown) => this.#failed(error));
      if (isAtEnd) await this.#bell.heard(LOOK_EVERY_MS);
    }
    // Covers what was recorded since the last look. If that fails, the next worker does it.
    await this.#grower.step().catch((error: unknown) => this.#failed(error));
  }

  async #look(): Promise<boolean> {
    const { isAtEnd } = await this.#grower.step();
    await this.#copies.bring();
    await this.#settled();
    return isAtEnd;
  }

  async #settled(): Promise<void> {
    const { log } = this.#options;
    // Another process, or this one before it was restarted, may have noted a fault.
    if (this.#faults === 0 && this.#hasSettled) return;
    if (await this.#records.setFault('signing', undefined)) log.info('the audit log is signed again');
    this.#faults = 0;
    this.#hasSettled = true;
  }

  async #failed(error: unknown): Promise<true> {
    const { log } = this.#options;
    if (error instanceof LogFault) await this.#faulted(error).catch((cause: unknown) => this.#failed(cause));
    else if (!this.#isClosed) log.warn({ err: error }, 'the audit log cannot be extended; trying again');
    return true;
  }

  async #faulted(fault: LogFault): Promise<void> {
    const { log } = this.#options;
    this.#faults += 1;
    if (this.#faults < LOOKS_BEFORE_FAULT) return;
    await this.#records.setFault('signing', fault.reported());
    if (this.#faults === LOOKS_BEFORE_FAULT)
      log.error({ code: fault.code }, `the audit log is not signed any more: ${fault.message}`);
  }
}
