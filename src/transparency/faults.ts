// The faults that stop the signing of the log, and the faults that workers have noted, for /readyz and /metrics.
import type { Fault, FaultSource } from '../infrastructure/fault.js';
import { TOOL } from '../infrastructure/tool.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { type FaultKey, isDue, LogRecords, recentlyCosigned } from './records.js';

const NEXT = `Nothing is signed until this is resolved. \`${TOOL} audit prove\` names the differences. After a legitimate restore, start a new log with \`${TOOL} log-keys new-log --reason "…"\`.`;

/** The details of each fault by code. They name no person. */
const DETAILS = {
  'log-cut':
    'The event store ends before the last event that the audit log covers: events were removed, or an older event store was restored.',
  'log-replaced':
    'The event store no longer contains the last events that the audit log covers: events were changed, or another event store was restored.',
  'tree-altered':
    'The last signed checkpoint is not a prefix of the stored tree of the audit log: records in the vault were changed.',
  'checkpoint-altered': 'The last signed checkpoint of the audit log is invalid: records in the vault were changed.',
  'log-lost':
    'The vault lacks what the keys of the audit log have signed: its records were removed, changed or replaced by older ones.',
  held: 'The stores were restored from a backup, so newer checkpoints may exist elsewhere, or `log-keys new-log` was interrupted.',
} as const;

/** Signals that the log differs from the signed log, or that signing is held. */
export class LogFault extends Error {
  constructor(readonly code: keyof typeof DETAILS) {
    super(DETAILS[code]);
    this.name = 'LogFault';
  }

  /** Returns the fault as `/readyz` reports it. */
  reported(): Fault {
    return { code: `audit-${this.code}`, detail: `${this.message} ${NEXT}` };
  }
}

/**
 * Receives what the source of the faults finds: the noted faults, the number of witnesses that have cosigned the
 * published checkpoint, and whether the daily proof is late; undefined while the vault cannot be read.
 */
export type LogMetrics = (
  found:
    | {
        readonly faults: ReadonlyMap<FaultKey, Fault>;
        readonly cosignatures: number;
        readonly isProofLate: boolean;
      }
    | undefined,
) => void;

// A proof that is due at the start has as much time as a proof that became due later.
const PROOF_LATE_MS = 2 * 3_600_000;

const PROOF_LATE: Fault = {
  code: 'audit-proof-late',
  detail:
    'The log was not proven for 26 hours. Check that a worker runs, and that the queue `audit-proofs` is not paused and has no dead letter.',
};

/**
 * Returns the source of the faults that workers have noted, and of a daily proof that is late. It keeps them while the
 * vault cannot be read.
 */
export const logFaults = (vault: Vault, metrics: LogMetrics): FaultSource => {
  const records = new LogRecords(vault);
  const startedAt = performance.now();
  let noted: readonly Fault[] = [];
  const isLate = (due: string | undefined) =>
    performance.now() - startedAt > PROOF_LATE_MS && (due === undefined || isDue(due, PROOF_LATE_MS));
  return async () => {
    try {
      const [faults, state, due] = await Promise.all([records.faults(), records.state(), records.proofDue()]);
      const isProofLate = isLate(due);
      const cosignatures = (state && recentlyCosigned(state)?.cosignatures.length) ?? 0;
      metrics({ faults, cosignatures, isProofLate });
      noted = [...faults.values(), ...(isProofLate ? [PROOF_LATE] : [])];
    } catch {
      // Other checks report an unavailable vault.
      metrics(undefined);
    }
    return noted;
  };
};
