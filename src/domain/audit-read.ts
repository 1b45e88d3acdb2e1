// The record of one read of the audit trail. Every read has its own stream, so readers never conflict.
import { z } from 'zod';
import type { Decider } from './decider.js';
import { text } from './fields.js';

const Reading = z.object({
  /**
   * `events` is the whole log, `history` the history of a user, an institution or a protocol, and `entries` are entries
   * of the transparency log.
   */
  what: z.enum(['events', 'profile-history', 'profile-evidence', 'entries', 'decisions', 'history']),
  /** The filter of the request, as the client sent it. */
  filter: z.record(z.string(), text(500)),
});

const auditReadEvents = { AuditTrailRead: Reading };

export const auditReadCommands = { RecordAuditRead: Reading };

/** The state is whether the read is recorded. */
export const auditRead: Decider<boolean, typeof auditReadEvents, typeof auditReadCommands> = {
  aggregate: 'auditRead',
  events: auditReadEvents,
  commands: auditReadCommands,
  initialState: false,
  evolve: { AuditTrailRead: () => true },
  decide: {
    RecordAuditRead: (isRecorded, reading) => (isRecorded ? [] : [{ type: 'AuditTrailRead', data: reading }]),
  },
};
