// Looks at what workers noted of the audit log, so that every http process reports it, and neither /readyz nor /metrics
// waits for a vault that is silent.
import { Bell } from '../infrastructure/bell.js';
import type { Fault, FaultSource } from '../infrastructure/fault.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { type FaultKey, LogRecords } from './records.js';

const EVERY_MS = 2_000;

/** Takes what the watch found; undefined while the vault cannot be read. */
export interface LogMetrics {
  /** Whether the signing has stopped because the log differs from what was signed. */
  stopped(isStopped: boolean | undefined): void;
  /** Whether the last daily proof found that something was altered. */
  altered(isAltered: boolean | undefined): void;
  /** How many witnesses have cosigned the newest checkpoint. */
  cosignatures(count: number | undefined): void;
}

/** Watches the records of the log until it is closed. */
export class LogWatch {
  readonly #records: LogRecords;
  readonly #metrics: LogMetrics;
  readonly #bell = new Bell();
  #found: readonly Fault[] = [];
  #isClosed = false;

  constructor(vault: Vault, metrics: LogMetrics) {
    this.#records = new LogRecords(vault);
    this.#metrics = metrics;
    void this.#run();
  }

  /** Returns the faults that the last look found. */
  readonly faults: FaultSource = async () => this.#found;

  /** Stops the watch. */
  close(): void {
    this.#isClosed = true;
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      // While the vault cannot be read, what else it holds up is reported elsewhere.
      await this.#look().catch(() => this.#report(undefined, undefined));
      await this.#bell.heard(EVERY_MS);
    }
  }

  async #look(): Promise<void> {
    const [faults, state] = await Promise.all([this.#records.faults(), this.#records.state()]);
    this.#found = [...faults.values()];
    this.#report(faults, state?.value.signed?.cosignatures.length ?? 0);
  }

  #report(faults: ReadonlyMap<FaultKey, Fault> | undefined, cosignatures: number | undefined): void {
    this.#metrics.stopped(faults?.has('signing'));
    this.#metrics.altered(faults?.has('proof'));
    this.#metrics.cosignatures(cosignatures);
  }
}
