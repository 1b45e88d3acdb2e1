// The requests of the audit-log measure to its task, and the responses.

/** What the task is to do on the stores of a directory. */
export interface AuditLogStep {
  readonly directory: string;
  readonly step: 'grow' | 'prove' | 'read';
}

/** What the task answers. */
export interface AuditLogResult {
  /** The events that the tree covers. */
  readonly events: number;
  /** The size of the record with the state of the tree. */
  readonly stateBytes: number;
  readonly peakMiB: number;
  /** Absent of `read`. */
  readonly seconds?: number;
  /** Of `read` alone. */
  readonly checkpointMs?: number;
  readonly proofMs?: number;
}
