// What operators decide about the signing of the log. There is one such aggregate in a service.
import { z } from 'zod';
import type { Decider } from './decider.js';
import { visibleText } from './fields.js';

/** The id of the one aggregate. Never changes. */
export const AUDIT_LOG_ID = '6f1d7c52-3c7e-4a53-9d0e-6f5b8a1c2e90';

const origin = z.string().min(1).max(300);
const key = z.string().min(1).max(500);

const Rotated = z.object({
  origin: origin.describe('the log whose checkpoints the keys sign'),
  previousKey: key.describe('the verifier key that signs one more checkpoint at most, together with `key`'),
  key: key.describe('the verifier key that signs from now on'),
});

const Started = z.object({
  origin: origin.describe('the log that begins, with this event among its leaves'),
  reason: visibleText(500),
  previousOrigin: origin.describe('the log that has ended'),
  previousCheckpoint: z
    .string()
    .max(100_000)
    .nullable()
    .describe('the last known checkpoint of the log that has ended, a signed note; null if it has none'),
});

export const auditLogEvents = { AuditLogKeyRotated: Rotated, AuditLogStarted: Started };

export const auditLogCommands = { RotateAuditLogKey: Rotated, StartAuditLog: Started };

/** The keys and the logs that were recorded. */
export interface AuditLog {
  readonly keys: readonly string[];
  readonly started: readonly z.infer<typeof Started>[];
}

const isKnownKey = ({ keys }: AuditLog, { key }: z.infer<typeof Rotated>): boolean => keys.includes(key);
const isStarted = ({ started }: AuditLog, { origin }: z.infer<typeof Started>): boolean =>
  started.some((log) => log.origin === origin);

/** The decisions of operators about the signing of the log. What is recorded already is not recorded again. */
export const auditLog: Decider<AuditLog, typeof auditLogEvents, typeof auditLogCommands> = {
  aggregate: 'auditLog',
  events: auditLogEvents,
  commands: auditLogCommands,
  initialState: { keys: [], started: [] },

  evolve: {
    AuditLogKeyRotated: (state, { key }) => ({ ...state, keys: [...state.keys, key] }),
    AuditLogStarted: (state, log) => ({ ...state, started: [...state.started, log] }),
  },

  permits: {
    AuditLogKeyRotated: (state, rotated) => !isKnownKey(state, rotated),
    AuditLogStarted: (state, log) => !isStarted(state, log),
  },

  decide: {
    RotateAuditLogKey: (state, rotated) =>
      isKnownKey(state, rotated) ? [] : [{ type: 'AuditLogKeyRotated', data: rotated }],
    StartAuditLog: (state, log) => (isStarted(state, log) ? [] : [{ type: 'AuditLogStarted', data: log }]),
  },
};
