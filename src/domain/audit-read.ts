// A reading of the audit trail, recorded as a fact of its own: a stream for each, so that readers never contend.
import { z } from 'zod';
import type { Decider } from './decider.js';

const Reading = z.object({
  /** What was read: the whole log, the history of one profile, evidence of it, or entries of the transparency log. */
  what: z.enum(['events', 'profile-history', 'profile-evidence', 'entries']),
  /** What it was narrowed to, as it was asked. */
  filter: z.record(z.string(), z.string().max(500)),
});

export const auditReadEvents = { AuditTrailRead: Reading };

export const auditReadCommands = { RecordAuditRead: Reading };

/** Whether the reading is recorded already. */
export type AuditRead = { readonly status: 'unknown' } | { readonly status: 'recorded' };

export const auditRead: Decider<AuditRead, typeof auditReadEvents, typeof auditReadCommands> = {
  aggregate: 'auditRead',
  events: auditReadEvents,
  commands: auditReadCommands,
  initialState: { status: 'unknown' },
  evolve: { AuditTrailRead: () => ({ status: 'recorded' }) },
  permits: { AuditTrailRead: ({ status }) => status === 'unknown' },
  decide: {
    RecordAuditRead: (state, reading) =>
      state.status === 'recorded' ? [] : [{ type: 'AuditTrailRead', data: reading }],
  },
};
