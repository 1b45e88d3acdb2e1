// Faults that `/readyz` reports although the service stays usable.

/** A fault: a stable code, and what the operator should know and do. */
export interface Fault {
  readonly code: string;
  readonly detail: string;
}

/** Returns the faults of one part of the service; an empty list if there are none. Never rejects. */
export type FaultSource = () => Promise<readonly Fault[]>;
