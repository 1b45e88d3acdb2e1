// The input and the result of the task `audit-log`.

/** A step that the task runs on the stores of a directory. */
export interface AuditLogStep {
  readonly directory: string;
  readonly step: 'grow' | 'prove' | 'read';
}

/** The result of the task. */
export interface AuditLogResult {
  /** The number of events in the tree. */
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
