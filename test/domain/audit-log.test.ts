import { describe, expect, it } from 'vitest';
import { auditLog } from '../../src/domain/audit-log.js';
import { specification } from '../support/specification.js';

const { given, sending } = specification(auditLog);

const ORIGIN = 'localhost/audit/log';
const rotation = { origin: ORIGIN, previousKey: `${ORIGIN}+00000001+AQ==`, key: `${ORIGIN}+00000002+AQ==` };
const start = {
  origin: `${ORIGIN}/2`,
  reason: 'restored',
  previousOrigin: ORIGIN,
  previousCheckpoint: `${ORIGIN}\n1\n`,
};
const rotate = (data: typeof rotation) => ({ type: 'RotateAuditLogKey', data }) as const;
const rotated = (data: typeof rotation) => ({ type: 'AuditLogKeyRotated', data }) as const;
const startLog = (data: typeof start) => ({ type: 'StartAuditLog', data }) as const;
const started = (data: typeof start) => ({ type: 'AuditLogStarted', data }) as const;

describe('the audit log', () => {
  it('records each rotation of its key', () => {
    const next = { ...rotation, previousKey: rotation.key, key: `${ORIGIN}+00000003+AQ==` };
    given(rotated(rotation)).when(rotate(next)).then(rotated(next));
  });

  it('records a key only once', () => given(rotated(rotation)).when(rotate(rotation)).then());

  it('records why a new log starts, and the last checkpoint of the old log', () =>
    given(rotated(rotation)).when(startLog(start)).then(started(start)));

  it('starts a log only once', () =>
    given(started(start))
      .when(startLog({ ...start, reason: 'again' }))
      .then());

  it('starts a log after each log that it replaces', () => {
    const next = { ...start, origin: `${ORIGIN}/3`, previousOrigin: start.origin };
    given(started(start)).when(startLog(next)).then(started(next));
  });

  it('keeps the keys and the logs in its state', () =>
    given(rotated(rotation))
      .when(startLog(start))
      .thenState((state) => expect(state).toEqual({ keys: [rotation.key], started: [start] })));

  it.each([
    ['RecordRetryOfFailedJob', 'AuditLogFailedJobRetried'],
    ['RecordRemovalOfFailedJob', 'AuditLogFailedJobRemoved'],
  ] as const)(
    'records each time that somebody handles a failed job, and keeps its keys and logs: %s',
    (command, event) => {
      const data = { queue: 'audit-proofs', jobId: '_prove' };
      const handled = given(started(start), { type: event, data });
      handled.when({ type: command, data }).then({ type: event, data });
      expect(handled.state()).toEqual({ keys: [], started: [start] });
    },
  );

  it.each([
    ['', 'blank'],
    ['x'.repeat(501), 'too_big'],
  ])('does not start a log for the reason %j', (reason, code) =>
    sending('StartAuditLog', { ...start, reason }).isRefusedFor(`/reason ${code}`),
  );
});
