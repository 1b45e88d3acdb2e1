// Polls the state and the faults of the audit log, so that every http process reports them, and neither /readyz nor
// /metrics waits for an unresponsive vault.
import { Bell } from '../infrastructure/bell.js';
import type { Fault, FaultSource } from '../infrastructure/fault.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { type FaultKey, LogRecords, recentlyCosigned } from './records.js';

const INTERVAL_MS = 2_000;

/** Receives the results of the watch; undefined while the vault cannot be read. */
export interface LogMetrics {
  /** Reports whether signing has stopped because the log differs from the signed log. */
  stopped(isStopped: boolean | undefined): void;
  /** Reports whether the last daily proof found a fault. */
  altered(isAltered: boolean | undefined): void;
  /** Reports the number of witnesses that have cosigned the newest checkpoint. */
  cosignatures(count: number | undefined): void;
}

/** Watches the records of the log until closed. */
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

  /** Returns the faults that the last poll found. */
  readonly faults: FaultSource = async () => this.#found;

  /** Stops the watch. */
  close(): void {
    this.#isClosed = true;
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      // Other checks report an unavailable vault.
      await this.#poll().catch(() => this.#report(undefined, undefined));
      await this.#bell.wait(INTERVAL_MS);
    }
  }

  async #poll(): Promise<void> {
    const [faults, state] = await Promise.all([this.#records.faults(), this.#records.state()]);
    this.#found = [...faults.values()];
    this.#report(faults, (state && recentlyCosigned(state.value)?.cosignatures.length) ?? 0);
  }

  #report(faults: ReadonlyMap<FaultKey, Fault> | undefined, cosignatures: number | undefined): void {
    this.#metrics.stopped(faults?.has('signing'));
    this.#metrics.altered(faults?.has('proof'));
    this.#metrics.cosignatures(cosignatures);
  }
}
