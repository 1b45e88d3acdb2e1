import { describe, expect, it } from 'vitest';
import { aggregates, allDeciders, allUpcasters } from '../../src/domain/all.js';
import { AUDIT_LOG_ID } from '../../src/domain/audit-log.js';
import { schemaVersionOf } from '../../src/domain/decider.js';

describe('the recorded names', () => {
  it('are the categories of streams, which never change', () =>
    expect(aggregates).toEqual([
      'auditLog',
      'auditRead',
      'institution',
      'protocol',
      'securityLog',
      'specialty',
      'user',
    ]));
  it('are the id of the only audit log, which never changes', () =>
    expect(AUDIT_LOG_ID).toBe('6f1d7c52-3c7e-4a53-9d0e-6f5b8a1c2e90'));
});

describe('the schema version of an event', () => {
  const upcasters = { Revised: [(data: never) => data, (data: never) => data] };

  it('is one more than its upcasters', () => expect(schemaVersionOf({ upcasters }, 'Revised')).toBe(3));
  it('is 1 if the event has never changed', () => {
    expect(schemaVersionOf({ upcasters }, 'Created')).toBe(1);
    expect(schemaVersionOf({}, 'Created')).toBe(1);
  });
  it('is known for every event, also for one that has never changed', () =>
    expect([...allUpcasters.keys()]).toEqual(allDeciders.flatMap(({ events }) => Object.keys(events))));
});
