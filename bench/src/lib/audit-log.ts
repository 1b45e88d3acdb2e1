// The requests of the audit-log measure to its task, and the responses.

/** A step for the task to run on the stores of a directory. */
export interface AuditLogStep {
  readonly directory: string;
  readonly step: 'grow' | 'prove' | 'read';
}

/** The result of the task. */
export interface AuditLogResult {
  /** The events that the tree covers. */
  readonly events: number;
  /** The size of the record with the state of the tree. */
  readonly stateBytes: number;
  readonly peakMiB: number;
  /** Absent for `read`. */
  readonly seconds?: number;
  /** Only for `read`. */
  readonly checkpointMs?: number;
  readonly proofMs?: number;
}
