// Why the signing of the log stops.
import type { Fault } from '../infrastructure/fault.js';

const NEXT =
  'Nothing is signed until this is settled. `npm run cli -- audit prove` names what differs; after a lawful restore, `npm run cli -- log-keys new-log --reason "…"` begins a new log.';

/** Every reason by its code. The details name no person. */
const DETAILS = {
  'log-cut':
    'The facts end before the last event that the audit log covers: events were removed, or older facts were restored.',
  'log-replaced':
    'The last events that the audit log covers are not in the facts as they were: events were changed, or other facts were restored.',
  'tree-altered':
    'The stored tree of the audit log does not have the last signed checkpoint as its prefix: records of the vault were changed.',
  'checkpoint-altered': 'The last signed checkpoint of the audit log is not valid: records of the vault were changed.',
  held: 'The stores were restored from a backup, so newer checkpoints may be elsewhere; or `log-keys new-log` was cut off.',
} as const;

export type LogFaultCode = keyof typeof DETAILS;

/** Signals that the log differs from what was signed. */
export class LogFault extends Error {
  constructor(readonly code: LogFaultCode) {
    super(DETAILS[code]);
    this.name = 'LogFault';
  }

  /** Returns the fault as `/readyz` reports it. */
  reported(): Fault {
    return { code: `audit-${this.code}`, detail: `${this.message} ${NEXT}` };
  }
}
