// The decisions about the signing of the transparency log, and about jobs that failed, which may be proofs of the log. A
// service has one such aggregate.
import { z } from 'zod';
import type { Decider } from './decider.js';
import { text, visibleText } from './fields.js';

/** The id of the only aggregate of this kind. Must never change. */
export const AUDIT_LOG_ID = '6f1d7c52-3c7e-4a53-9d0e-6f5b8a1c2e90';

const origin = text(300).min(1);
const key = text(500).min(1);

const Rotated = z.object({
  origin: origin.describe('the origin of the log whose checkpoints the keys sign'),
  previousKey: key.describe('the old verifier key; it signs at most one more checkpoint, together with `key`'),
  key: key.describe('the new verifier key; it signs all later checkpoints'),
});

const Started = z.object({
  origin: origin.describe('the origin of the new log, which contains this event'),
  reason: visibleText(500),
  previousOrigin: origin.describe('the origin of the log that the new log replaces'),
  previousCheckpoint: text(100_000)
    .nullable()
    .describe('the last known checkpoint of the replaced log, a signed note; null if that log never had one'),
});

const FailedJob = z.object({ queue: text(100), jobId: text(500) });

const auditLogEvents = {
  AuditLogKeyRotated: Rotated,
  AuditLogStarted: Started,
  AuditLogFailedJobRetried: FailedJob,
  AuditLogFailedJobRemoved: FailedJob,
};

export const auditLogCommands = {
  RotateAuditLogKey: Rotated,
  StartAuditLog: Started,
  RecordRetryOfFailedJob: FailedJob,
  RecordRemovalOfFailedJob: FailedJob,
};

export interface AuditLog {
  readonly keys: readonly string[];
  readonly started: readonly z.infer<typeof Started>[];
}

/** Records a key and a log once, and every action on a failed job. */
export const auditLog: Decider<AuditLog, typeof auditLogEvents, typeof auditLogCommands> = {
  aggregate: 'auditLog',
  events: auditLogEvents,
  commands: auditLogCommands,
  initialState: { keys: [], started: [] },

  evolve: {
    AuditLogKeyRotated: (state, { key }) => ({ ...state, keys: [...state.keys, key] }),
    AuditLogStarted: (state, log) => ({ ...state, started: [...state.started, log] }),
    AuditLogFailedJobRetried: (state) => state,
    AuditLogFailedJobRemoved: (state) => state,
  },

  decide: {
    RotateAuditLogKey: ({ keys }, rotated) =>
      keys.includes(rotated.key) ? [] : [{ type: 'AuditLogKeyRotated', data: rotated }],
    StartAuditLog: ({ started }, log) =>
      started.some(({ origin }) => origin === log.origin) ? [] : [{ type: 'AuditLogStarted', data: log }],
    RecordRetryOfFailedJob: (_, job) => [{ type: 'AuditLogFailedJobRetried', data: job }],
    RecordRemovalOfFailedJob: (_, job) => [{ type: 'AuditLogFailedJobRemoved', data: job }],
  },
};
