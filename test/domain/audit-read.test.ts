import { describe, it } from 'vitest';
import { auditRead } from '../../src/domain/audit-read.js';
import { specification } from '../support/specification.js';

const { given, sending } = specification(auditRead);
const data = { what: 'events', filter: { category: 'user' } } as const;
const record = { type: 'RecordAuditRead', data } as const;

describe('a read of the audit trail', () => {
  it('is recorded once, with its filter', () => given().when(record, record).then({ type: 'AuditTrailRead', data }));

  it.each(['events', 'profile-history', 'profile-evidence', 'entries', 'decisions', 'history'])(
    'may be of %s',
    (what) => sending('RecordAuditRead', { what, filter: {} }).isAccepted(),
  );

  it('is of a known kind, and has a short text for each part of its filter', () => {
    sending('RecordAuditRead', { what: 'events', filter: { type: 'x'.repeat(500) } }).isAccepted();
    sending('RecordAuditRead', { what: 'users', filter: { type: 'x'.repeat(501) } }).isRefusedFor(
      '/what invalid_value',
      '/filter/type too_big',
    );
  });
});
