// Faults that `/readyz` reports although the service stays usable.

/** A fault: a stable code, and what the operator should know and do. */
export interface Fault {
  readonly code: string;
  readonly detail: string;
}

/** What is wrong with the settings of a server. `text` is empty if nothing is. `isUnsafe`: the server may lose data. */
export interface WrongSettings {
  readonly text: string;
  readonly isUnsafe: boolean;
}

/** Returns the faults of one part of the service; an empty list if there are none. Never rejects. */
export type FaultSource = () => Promise<readonly Fault[]>;
