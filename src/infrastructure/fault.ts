// Faults that leave the service usable, as `/readyz` reports them.

/** A fault that leaves the service usable: a stable code, and what an operator should know and do. */
export interface Fault {
  readonly code: string;
  readonly detail: string;
}

/** Returns the faults of one part of the service; an empty list if there are none. Never rejects. */
export type FaultSource = () => Promise<readonly Fault[]>;
